/**
 * A value of any kind, as text to read: the fields of an object one below the other, text as it is, all else as JSON. A name that is not plain
 * is quoted: with a line break in it, it could look like two fields.
 */
export function readable(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (!isRecord(value)) return json(value);
  return Object.entries(value)
    .map(([key, field]) => {
      const name = PLAIN_NAME.test(key) ? key : JSON.stringify(key);
      const text = typeof field === "string" ? field : json(field);
      return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join("\n");
}

const PLAIN_NAME = /^[\p{L}\p{N}_$.-]+$/u;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As JSON; what JSON cannot say is named instead. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return `(a value that is no JSON: ${typeof value})`; // a circle, or a BigInt
  }
}
