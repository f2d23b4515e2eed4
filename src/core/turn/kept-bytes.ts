// Estimates how much memory an unread event uses.
import { isObject } from "../checks.ts";

/**
 * Sizes in V8 on a 64-bit machine, measured with `process.memoryUsage()` over parsed frames: text, records, and lists
 * of numbers, strings or empty objects. Estimates were 0.95 to 3 times the real size.
 */
const STRING = 16;
const LIST = 32;
const OBJECT = 24;
const SLOT = 8;
/** The minimum number of field slots in a parsed object. */
const LEAST_SLOTS = 4;
const NUMBER = 16;
/** A field name in an object that is used as a table. Objects of a type share their few names. */
const NAME = 64;
const MOST_FIELDS_OF_A_TYPE = 32;

/** The size of a queue entry without its value. */
const ENTRY = 48;

/** Any other character makes a string take two bytes per character. */
const NOT_LATIN1 = /[^\0-\xff]/;

const MAX_SMALL_INTEGER = 2 ** 31;

/** Estimates the bytes that an unread value uses, rather too high and without recursion, up to `most`. */
export function keptBytes(value: unknown, most: number): number {
  return (isObject(value) ? flatBytes(value) : undefined) ?? walkedBytes(value, most);
}

/**
 * The maximum bytes in memory per character of JSON. Measured: 22, for a list of `{}`. Higher, because a client may
 * keep text twice: alone and in its event.
 */
const MOST_OF_A_CHARACTER = 32;
/** The maximum bytes in memory for an event of a few characters. */
const MOST_OF_AN_EVENT = 1_024;

/** The maximum bytes in memory for an event that arrived with this many characters. */
export function mostBytes(characters: number): number {
  return MOST_OF_AN_EVENT + characters * MOST_OF_A_CHARACTER;
}

/** Like {@link keptBytes}, for an object of text and numbers, else undefined. Allocates nothing. */
function flatBytes(value: Readonly<Record<string, unknown>>): number | undefined {
  let bytes = ENTRY + OBJECT;
  let fields = 0;
  let last: string | undefined;
  let isShared = false;
  for (const name in value) {
    const field = value[name];
    if (++fields > MOST_FIELDS_OF_A_TYPE) return undefined;
    if (typeof field === "string") {
      if (field === last && !isShared) isShared = true;
      else bytes += textBytes(field);
      last = field;
    } else if (typeof field === "number") bytes += numberBytes(field);
    else if (typeof field === "object" && field !== null) return undefined;
  }
  return bytes + Math.max(fields, LEAST_SLOTS) * SLOT;
}

function walkedBytes(value: unknown, most: number): number {
  let bytes = ENTRY;
  let last: unknown;
  let isShared = false;
  const open: unknown[] = [value];
  for (let next = open.pop(); (next !== undefined || open.length > 0) && bytes <= most; next = open.pop()) {
    if (typeof next === "string") {
      // An event often contains its text twice, as `text` and `chunk`. Only one such pair is skipped, because a server
      // could send a list of equal strings.
      if (next === last && !isShared) isShared = true;
      else bytes += textBytes(next);
      last = next;
    } else if (typeof next === "number") bytes += numberBytes(next);
    else if (typeof next === "object" && next !== null) bytes += ownBytes(next, open);
  }
  return bytes;
}

function textBytes(text: string): number {
  return STRING + text.length * (NOT_LATIN1.test(text) ? 2 : 1);
}

function numberBytes(number: number): number {
  return Number.isInteger(number) && Math.abs(number) < MAX_SMALL_INTEGER ? 0 : NUMBER;
}

/** The size of an object without its members, which are added to `open`. */
function ownBytes(value: object, open: unknown[]): number {
  if (ArrayBuffer.isView(value)) return LIST + value.byteLength;
  if (Array.isArray(value)) {
    for (const item of value) open.push(item);
    return LIST + value.length * SLOT;
  }
  let names = 0;
  let fields = 0;
  for (const [name, field] of Object.entries(value)) {
    if (++fields > MOST_FIELDS_OF_A_TYPE) names += NAME + name.length;
    open.push(field);
  }
  return OBJECT + Math.max(fields, LEAST_SLOTS) * SLOT + names;
}
