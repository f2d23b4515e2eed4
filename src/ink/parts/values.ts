// Any value as text to read, without ambiguity.

/**
 * A value of any kind, as text to read: the fields of an object one below the other, text as it is, all else as JSON. Different values have
 * different texts, and no value can look like a field: a line that begins no field begins with `>`, a name that is not plain is quoted, and so
 * is a text of one line that would be read as JSON. `undefined` and an object without fields are nothing.
 */
export function readable(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value.split("\n").map(continued).join("\n");
  if (!isRecord(value)) return belowFirst(json(value).split("\n"));
  return Object.entries(value)
    .map(([key, field]) => `${PLAIN_NAME.test(key) ? key : JSON.stringify(key)}:${ofField(field)}`)
    .join("\n");
}

/** What stands behind the colon. A text of several lines begins below it. */
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

/** As JSON; what JSON cannot say is named instead. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return `(a value that is no JSON: ${typeof value})`; // a circle, or a BigInt
  }
}
