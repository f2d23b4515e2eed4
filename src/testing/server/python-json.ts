// Writes JSON in Python's format.

/** A number that is a float in Python. Python writes it with a point: `0.0`. */
export class PythonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** `spaced`: the defaults of `json.dumps`. `compact`: no spaces, and only necessary escapes. */
export type JsonStyle = "spaced" | "compact";

/**
 * Writes JSON like Python, including invalid JSON: infinity becomes the bare token `Infinity`. Properties that are
 * `undefined` are left out.
 */
export function writePythonJson(value: unknown, style: JsonStyle): string {
  const comma = style === "spaced" ? ", " : ",";
  const colon = style === "spaced" ? ": " : ":";
  const quote = style === "spaced" ? quoteAscii : (text: string) => JSON.stringify(text);

  const write = (item: unknown): string => {
    if (item instanceof PythonFloat) return pythonFloat(item.value);
    switch (typeof item) {
      case "string":
        return quote(item);
      case "number":
        return Number.isFinite(item) ? JSON.stringify(item) : pythonFloat(item);
      case "bigint":
        return String(item);
      case "boolean":
        return item ? "true" : "false";
      case "object":
        if (item === null) return "null";
        if (Array.isArray(item)) return `[${item.map(write).join(comma)}]`;
        return `{${Object.entries(item)
          .filter(([, member]) => member !== undefined)
          .map(([key, member]) => quote(key) + colon + write(member))
          .join(comma)}}`;
      default:
        throw new TypeError(`A ${typeof item} cannot be written as JSON`);
    }
  };
  return write(value);
}

/** Writes ASCII only: other characters become `\uXXXX`, and those beyond U+FFFF a pair of these. */
function quoteAscii(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value);
}
