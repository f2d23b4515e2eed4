// Pure: keeps a message to the client within a size that every client reads.
import { isObject } from "../core/checks.ts";
import { utf8Length, wellFormed } from "../core/text.ts";
import { callContent, cutText, textContent } from "./blocks.ts";

/**
 * Bytes of one update, request or answer: 16 MiB. A longer line may end the connection: the SDKs of ACP read lines of
 * 32 MiB (TypeScript) and 50 MiB (Python), `acpx` 64 MiB. `agentwire/acp` skips a line of more than 32 MiB.
 */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The most bytes that one UTF-16 unit takes in JSON: `\u0000`. */
const UNIT_BYTES = 6;

/** More bytes than a number, a literal, or the signs around a value and its name take. */
const VALUE_BYTES = 32;

/** Texts up to this length stay: ids are among them. */
const KEPT_TEXT = 512;

/** The fields that hold JSON of any form. All others have a form of ACP, which stays. */
const FREE: ReadonlySet<string> = new Set(["rawInput", "rawOutput", "data"]);

/**
 * The message with well-formed texts, shortened if it is too large. What stands for the rest says how many characters are
 * left out. Returns the same object if nothing changes.
 */
export function bounded<T>(message: T, maxBytes = MAX_MESSAGE_BYTES): T {
  const sound = withSoundTexts(message);
  if (mostBytes(sound) <= maxBytes || bytesOf(sound) <= maxBytes) return sound as T;
  for (let limit = Math.floor(maxBytes / 2); ; limit = Math.floor(limit / 4)) {
    const short = shortened(sound, limit);
    if (limit === 0 || bytesOf(short) <= maxBytes) return short as T;
  }
}

const bytesOf = (value: unknown): number => utf8Length(JSON.stringify(value) ?? "");

/** An upper limit of the bytes in JSON, without writing it. */
function mostBytes(value: unknown): number {
  if (typeof value === "string") return value.length * UNIT_BYTES + VALUE_BYTES;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += mostBytes(item);
  else if (isObject(value))
    for (const [name, field] of Object.entries(value)) bytes += name.length * UNIT_BYTES + mostBytes(field);
  return bytes;
}

/** Replaces lone surrogates: parsers outside of JavaScript refuse a message that has one. */
function withSoundTexts(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) {
    const items = value.map(withSoundTexts);
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  const sound = fields.map(([name, field]): [string, unknown] => [wellFormed(name), withSoundTexts(field)]);
  const isSame = sound.every(([name, field], at) => name === fields[at]?.[0] && field === fields[at]?.[1]);
  return isSame ? value : Object.fromEntries(sound);
}

/**
 * @param limit characters of each text
 * @param entries of each list
 */
function shortened(value: unknown, limit: number, entries = limit): unknown {
  if (typeof value === "string") return cutText(value, Math.max(limit, KEPT_TEXT));
  if (Array.isArray(value)) return value.slice(0, entries).map((item) => shortened(item, limit, entries));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    if (FREE.has(name)) return [name, shortJson(field, limit)];
    const short = shortened(field, limit, entries);
    const rest = name === "content" && Array.isArray(field) ? field.length - entries : 0;
    return [name, rest > 0 ? [short, callContent(note(`${rest} more parts are`))].flat() : short];
  });
  return insteadOf(value, limit) ?? Object.fromEntries(fields);
}

/** Keeps the form of the JSON if cutting its texts is enough. Otherwise the start of the JSON, as a text. */
function shortJson(json: unknown, limit: number): unknown {
  const text = typeof json === "string" ? json : JSON.stringify(json);
  if (text === undefined || text.length <= limit) return json;
  const short = typeof json === "string" ? undefined : shortened(json, Math.floor(limit / 8), Infinity);
  return short !== undefined && JSON.stringify(short).length <= limit ? short : shortened(text, limit);
}

/** Content that cannot be cut: half of an image is none, and half of a diff is another change. */
function insteadOf(
  { type, data, uri, path, oldText, newText }: Readonly<Record<string, unknown>>,
  limit: number,
): unknown {
  const [bytes, address, before, after] = [
    lengthOf(data),
    lengthOf(uri),
    lengthOf(oldText),
    lengthOf(newText),
  ];
  if (type === "image" && bytes > limit) return note(`An image of ${bytes} characters is`);
  if (type === "audio" && bytes > limit) return note(`A sound of ${bytes} characters is`);
  if (type === "resource_link" && address > limit) return note(`A link of ${address} characters is`);
  if (type === "diff" && before + after > limit)
    return callContent(note(`A change of ${path}, from ${before} to ${after} characters, is`));
  return undefined;
}

const lengthOf = (text: unknown): number => (typeof text === "string" ? text.length : 0);

const note = (what: string) => textContent(`[${what} left out]`);
