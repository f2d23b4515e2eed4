// Checks of values that callers pass. The `InvalidInputError` for a wrong value says what to pass instead.
import { MAX_DELAY } from "./clock.ts";
import { InvalidInputError } from "./errors.ts";
import { checkNames, labelledName } from "./names.ts";

/** Copies a value without its `undefined` fields, which would hide defaults. */
export function defined<T extends object>(
  value: T | undefined,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The check of one value. */
export interface Check {
  readonly expects: string;
  readonly holds: (value: unknown) => boolean;
  /** Checks for the fields of the object, or of each object in the array. */
  readonly fields?: Readonly<Record<string, Check>>;
}

/** A check for every field of `T`: a field without a check is a type error. */
export type Checks<T> = Readonly<Record<keyof T, Check>>;

/** Makes a check for an unknown field a type error. */
export type Only<T, Table> = Readonly<Record<Exclude<keyof Table, keyof T>, never>>;

export const checks = {
  /** For values that other code checks. */
  any: { expects: "anything", holds: () => true },
  string: { expects: "a string", holds: (value) => typeof value === "string" },
  text: {
    expects: "a string that is not blank",
    holds: (value) => typeof value === "string" && value.trim() !== "",
  },
  boolean: { expects: "true or false", holds: (value) => typeof value === "boolean" },
  function: { expects: "a function", holds: (value) => typeof value === "function" },
  object: { expects: "an object", holds: isObject },
  array: { expects: "an array", holds: (value) => Array.isArray(value) },
  objects: {
    expects: "an array of objects",
    holds: (value) => Array.isArray(value) && value.every(isObject),
  },
  delay: {
    expects: `a number of milliseconds from 0 to ${MAX_DELAY}`,
    holds: (value) => typeof value === "number" && value >= 0 && value <= MAX_DELAY,
  },
  count: {
    expects: "a whole number, 1 or more",
    holds: (value) =>
      typeof value === "number" && value >= 1 && (Number.isInteger(value) || value === Infinity),
  },
  tries: {
    expects: "a whole number, 0 or more",
    holds: (value) =>
      typeof value === "number" && value >= 0 && (Number.isInteger(value) || value === Infinity),
  },
  signal: {
    expects: "an AbortSignal",
    holds: (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
  },
  headers: {
    expects: "an object of strings",
    holds: (value) => isObject(value) && Object.values(value).every((field) => typeof field === "string"),
  },
  logger: {
    expects: "an object with the functions debug, info, warn and error",
    holds: (value) =>
      typeof value === "object" &&
      value !== null &&
      ["debug", "info", "warn", "error"].every((level) => typeof Reflect.get(value, level) === "function"),
  },
} satisfies Record<string, Check>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object; of any other value none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

export function oneOf(...values: readonly string[]): Check {
  return {
    expects: `one of ${values.map((value) => `"${value}"`).join(", ")}`,
    holds: (value) => typeof value === "string" && values.includes(value),
  };
}

function either(first: Check, second: Check): Check {
  return {
    expects: `${first.expects} or ${second.expects}`,
    holds: (value) => first.holds(value) || second.holds(value),
  };
}

/** For options that `false` turns off. */
export const orFalse = (check: Check): Check =>
  either(check, { expects: "false", holds: (value) => value === false });

/** @throws InvalidInputError if `options` is not an object, and as {@link checkFields}. */
export function checkCallOptions<Options extends object, Table extends Checks<Options>>(
  options: Options | undefined,
  expected: Table & Only<Options, Table>,
): void {
  if (options === undefined) return;
  if (!isObject(options as unknown))
    throw new InvalidInputError(`the options are ${describe(options)}.`, "Pass an object, or nothing.");
  checkFields<Options, Table>(options, expected, "option");
}

/** @throws InvalidInputError for the first field of `value` that is unknown or fails its check. */
export function checkFields<Value extends object, Table extends Checks<Value>>(
  value: Value,
  expected: Table & Only<Value, Table>,
  what: string,
): void;
export function checkFields(value: object, expected: Readonly<Record<string, Check>>, what: string): void {
  checkNames(value, expected, what);
  checkValues(value, expected, what);
}

/** Like `checkFields`, but allows unknown fields, which go to a server unchanged. */
export function checkValues(value: object, expected: Readonly<Record<string, Check>>, what: string): void {
  const given = new Map<string, unknown>(Object.entries(value));
  for (const [name, { expects, holds, fields }] of Object.entries(expected)) {
    const field = given.get(name);
    if (field === undefined) continue;
    const label = labelledName(what, name);
    const inner = fields ? innerOf(field, fields, label.replaceAll("`", "")) : [];
    for (const each of inner) checkNames(...each); // names first, so that a misspelt `then` gets a hint
    if (!holds(field))
      throw new InvalidInputError(`${label} is ${describe(field)}.`, `It must be ${expects}.`);
    for (const each of inner) checkValues(...each);
  }
}

type Table = Readonly<Record<string, Check>>;

/** The objects in a field, each with its checks and its path in the input. */
function innerOf(
  field: unknown,
  fields: Table,
  label: string,
): readonly (readonly [item: object, fields: Table, place: string])[] {
  if (!Array.isArray(field)) return isObject(field) ? [[field, fields, `${label}.`]] : [];
  return field.flatMap((item: unknown, at) => (isObject(item) ? [[item, fields, `${label}[${at}].`]] : []));
}

/** Describes the kind of a value. Never quotes it, because it may be long or a credential. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value === "") return "an empty string";
  if (typeof value === "string") return value.trim() === "" ? "a blank string" : "a string";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "undefined")
    return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
