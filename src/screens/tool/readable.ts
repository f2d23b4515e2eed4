// Any value as text that a person reads, without ambiguity.
import { isObject } from "../../core/checks.ts";
import { readableJson } from "./readable-json.ts";

/**
 * Any value as readable text: one line per object field, text verbatim, everything else as JSON, whose texts have real
 * line breaks and tabs. Different values have different texts. A line that begins no field starts with `>`, so that no
 * value can imitate a field. Names with special characters are quoted, and so are one-line texts that look like JSON.
 * `undefined` and an empty object are empty text.
 */
export function readable(value: unknown): string {
  if (typeof value === "string") return continued(value);
  if (isObject(value)) return Object.entries(value).map(fieldText).join("\n");
  return value === undefined ? "" : below(json(value));
}

/** A field. A text of several lines starts on the next line. */
export function fieldText([name, value]: readonly [string, unknown]): string {
  const label = `${PLAIN_NAME.test(name) ? name : JSON.stringify(name)}:`;
  if (typeof value !== "string") return `${label} ${below(json(value))}`;
  return value.includes("\n") ? `${label}\n${continued(value)}` : `${label} ${inJson(value)}`;
}

/** A one-line text, quoted if it looks like JSON. */
export function inJson(text: string): string {
  return text === "" || isJson(text) ? JSON.stringify(text) : text;
}

/** The lines below the first begin with `>`. */
export function below(text: string): string {
  return text.replaceAll(/\n(?=(.?))/gs, (_, next: string) =>
    next === "" || next === "\n" ? "\n>" : "\n> ",
  );
}

export const PLAIN_NAME = /^[\p{L}\p{N}_$.-]+$/u;

function continued(text: string): string {
  return below(`\n${text}`).slice(1);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON. A value without JSON is replaced by the name of its type. */
function json(value: unknown): string {
  try {
    return readableJson(value);
  } catch {
    return `(a value that is no JSON: ${typeof value})`; // a circular value, or a BigInt
  }
}
