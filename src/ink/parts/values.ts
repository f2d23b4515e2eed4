// Converts any value to readable text, without ambiguity.

/**
 * Any value as readable text: one line per object field, text verbatim, everything else as JSON. Different values have
 * different texts. A line that begins no field starts with `>`, so that no value can imitate a field. Names with
 * special characters are quoted, and so are one-line texts that look like JSON. `undefined` and an empty object are
 * empty text.
 */
export function readable(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value.split("\n").map(continued).join("\n");
  if (!isRecord(value)) return belowFirst(json(value).split("\n"));
  return Object.entries(value)
    .map(([key, field]) => `${PLAIN_NAME.test(key) ? key : JSON.stringify(key)}:${ofField(field)}`)
    .join("\n");
}

/** The text after the colon. A text of several lines starts on the next line. */
function ofField(field: unknown): string {
  if (typeof field !== "string") return ` ${belowFirst(json(field).split("\n"))}`;
  if (field.includes("\n")) return belowFirst(["", ...field.split("\n")]);
  return ` ${field === "" || isJson(field) ? JSON.stringify(field) : field}`;
}

function belowFirst([first = "", ...more]: readonly string[]): string {
  return [first, ...more.map(continued)].join("\n");
}

function continued(line: string): string {
  return line === "" ? ">" : `> ${line}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const PLAIN_NAME = /^[\p{L}\p{N}_$.-]+$/u;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON. A value without JSON is replaced by the name of its type. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return `(a value that is no JSON: ${typeof value})`; // a circular value, or a BigInt
  }
}
