// Ids that nobody can guess.

/** `prefix` and 128 random bits in hex. */
export function randomId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  return [prefix, "-", ...hex].join(""); // `join` makes one text: a template would keep its parts, at twice the memory
}
