// A JSON object of unknown content.

export interface Dict {
  readonly [key: string]: unknown;
}

export function isDict(value: unknown): value is Dict {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
