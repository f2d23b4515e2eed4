// Checks of values that a test passes to the mock agent.
import { checkNames, InvalidMockInput, type NamesOf } from "../names.ts";

/** What a value must be: words for the error, and the test. */
export type Check = readonly [expects: string, holds: (value: unknown) => boolean];

/** ms; the longest delay that a timer holds. */
const MAX_DELAY = 2 ** 31 - 1;

export const isSignal: Check = [
  "an AbortSignal",
  (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
];
export const isDelay: Check = [
  `a number of milliseconds from 0 to ${MAX_DELAY}`,
  (value) => typeof value === "number" && value >= 0 && value <= MAX_DELAY,
];
export const isCount: Check = [
  "a whole number, 1 or more",
  (value) => typeof value === "number" && value >= 1 && (Number.isInteger(value) || value === Infinity),
];
export const isDeltas: Check = [
  'a number of characters, "words" or "whole"',
  (value) => value === "words" || value === "whole" || isCount[1](value),
];
export const isFlag: Check = ["true or false", (value) => typeof value === "boolean"];
export const isText: Check = [
  "a string that is not blank",
  (value) => typeof value === "string" && value.trim() !== "",
];
export const isAnything: Check = ["anything", () => true];
export const anObject: Check = ["an object", isObject];

/** Either of two checks. */
export function either([first, holdsFirst]: Check, [second, holdsSecond]: Check): Check {
  return [`${first} or ${second}`, (value) => holdsFirst(value) || holdsSecond(value)];
}

export const isFalse: Check = ["false", (value) => value === false];

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Checks the names and the values of an object's fields. An undefined field is none.
 * @param what what the fields are, such as `option`
 * @throws InvalidInputError for the first mistake
 */
export function checkValues<Value extends object>(
  value: Value,
  table: NamesOf<Value> & Readonly<Record<string, Check>>,
  what: string,
): void {
  if (!isObject(value as unknown))
    throw new InvalidMockInput(`the ${what}s are no object.`, "Pass an object, or nothing.");
  checkNames(value, Object.fromEntries(Object.keys(table).map((name) => [name, true])), what);
  for (const [name, [expects, holds]] of Object.entries(table)) {
    const field: unknown = Reflect.get(value, name);
    if (field === undefined || holds(field)) continue;
    throw new InvalidMockInput(`${what} \`${name}\` is wrong.`, `It must be ${expects}.`);
  }
}
