// Checks the input of REST calls.
import {
  type Check,
  type Checks,
  checkFields,
  checks,
  describe,
  isObject,
  type Only,
} from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { checkNames } from "../../core/names.ts";

const whole: Check = {
  expects: "a whole number, 1 or more",
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};

const filled: Check = {
  expects: "a string that is not empty",
  holds: (value) => typeof value === "string" && value !== "",
};

/** Checks of the options of calls. */
export const CALL = { signal: checks.signal };
export const LIST = { ...CALL, limit: whole };
export const MESSAGES = { ...LIST, sinceHours: whole };
export const NEW = { ...CALL, title: checks.text, projectId: checks.text, userId: checks.text };

/** Checks of inputs. As far as known, a password may be blank. */
export const LOGIN = { email: checks.text, password: filled };
export const REGISTRATION = { ...LOGIN, displayName: checks.text };

/** @throws InvalidInputError for a missing, wrong or unknown field */
export function checkInput<Input extends object, Table extends Checks<Input>>(
  input: Input,
  expected: Table & Only<Input, Table>,
  what: string,
): void {
  const value: unknown = input;
  if (!isObject(value)) throw new InvalidInputError(`${what} is ${describe(value)}.`, "Pass an object.");
  checkNames(value, expected, `${what}'s`); // check names first: a misspelt field must not be reported as missing
  const missing = Object.entries<Check>(expected).find(([name]) => value[name] === undefined);
  if (missing !== undefined) {
    const [name, { expects }] = missing;
    throw new InvalidInputError(`${what} has no \`${name}\`.`, `It must be ${expects}.`);
  }
  checkFields<Input, Table>(input, expected, `${what}'s`);
}

/** @throws InvalidInputError for a value that is no text, or blank */
export function checkText(value: unknown, what: string): void {
  if (checks.text.holds(value)) return;
  throw new InvalidInputError(`${what} is ${describe(value)}.`, `It must be ${checks.text.expects}.`);
}

/** An id as a part of a path. @throws InvalidInputError for an invalid id */
export function segment(id: unknown): string {
  const hint = "Give the id of a conversation, as the server told it.";
  if (typeof id !== "string" || id.trim() === "")
    throw new InvalidInputError(`the id is ${describe(id)}.`, hint);
  // `.` and `..` lead to another route, even if escaped. Lone surrogates cannot be escaped.
  if (id === "." || id === ".." || /\p{Cs}/u.test(id))
    throw new InvalidInputError("the id is none that a path can hold.", hint);
  return encodeURIComponent(id);
}

/** The query with its question mark; empty without fields. */
export function queryOf(fields: Readonly<Record<string, number | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return given.length === 0 ? "" : `?${given.join("&")}`;
}
