// Estimates the memory that a waiting event keeps alive.
import { isObject } from "../checks.ts";

/**
 * Sizes in V8 on a 64-bit machine, measured with `process.memoryUsage()` over parsed frames: text, records, lists of numbers, of strings,
 * of empty objects. The sum was between 0.95 and 3 times the real size.
 */
const STRING = 16;
const LIST = 32;
const OBJECT = 24;
const SLOT = 8;
/** A parsed object has room for at least so many fields. */
const LEAST_SLOTS = 4;
const NUMBER = 16;
/** The name of a field in an object that is used as a table. The names of a type are few, and all its objects share them. */
const NAME = 64;
const MOST_FIELDS_OF_A_TYPE = 32;

/** The size of a queue entry besides its value. */
const ENTRY = 48;

/** A string with any other character takes two bytes per character. */
const NOT_LATIN1 = /[^\0-\xff]/;

const MAX_SMALL_INTEGER = 2 ** 31;

/**
 * Estimates, rather too high, how many bytes a value keeps alive while it waits. Without recursion. Stops counting at `most`: a larger
 * value does not fit anyway.
 */
export function keptBytes(value: unknown, most: number): number {
  return (isObject(value) ? flatBytes(value) : undefined) ?? walkedBytes(value, most);
}

/**
 * Upper bound on the kept bytes per character of JSON. Measured: 22, in a list of `{}`. A client may keep text twice: by itself, and in
 * its event.
 */
const MOST_OF_A_CHARACTER = 32;
/** Upper bound on the kept bytes of an event of a few characters. */
const MOST_OF_AN_EVENT = 1_024;

/** Upper bound on the kept bytes of an event that arrived in so many characters. */
export function mostBytes(characters: number): number {
  return MOST_OF_AN_EVENT + characters * MOST_OF_A_CHARACTER;
}

/** Like {@link keptBytes}, for an object of text and numbers only, such as a chunk. Allocates nothing. */
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
      // An event often holds its text twice: as `text` and as `chunk`. Skip only one such pair: a server could send a list of equal
      // strings.
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

/** The size of an object without its members. Adds the members to `open`. */
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
