// A JSON object of unknown content.

/** A JSON object of which nothing is known yet. */
export interface Dict {
  readonly [key: string]: unknown;
}

export function isDict(value: unknown): value is Dict {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
