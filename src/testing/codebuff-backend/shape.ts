// Small checks of JSON fields.
import { type Dict, isDict } from "../server/dict.ts";

/** What a value must be; the words complete "must be". Undefined for a value that is fine. */
export type Check = (value: unknown) => string | undefined;

/** The fields of an object. A name with `?` at its end may be missing. */
export type Shape = Readonly<Record<string, Check>>;

/** What is wrong with the fields of an object, by the name of the field. Fields without a check are fine. */
export function problemsOf(value: Dict, shape: Shape): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const [key, check] of Object.entries(shape)) {
    const optional = key.endsWith("?");
    const name = optional ? key.slice(0, -1) : key;
    const given = value[name];
    if (given === undefined && optional) continue;
    const wanted = given === undefined ? "there" : check(given);
    if (wanted !== undefined) problems[name] = `must be ${wanted}`;
  }
  return problems;
}

const says =
  (words: string, test: (value: unknown) => boolean): Check =>
  (value) =>
    test(value) ? undefined : words;

export const text = says("a string", (value) => typeof value === "string");
export const filled = says(
  "a string that is not empty",
  (value) => typeof value === "string" && value !== "",
);
export const textOrNull = says("a string or null", (value) => value === null || typeof value === "string");
export const flag = says("a boolean", (value) => typeof value === "boolean");
export const amount = says(
  "a number of 0 or more",
  (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
);
export const whole = says(
  "a whole number of 0 or more",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const object = says("an object", isDict);
export const list = says("an array", Array.isArray);
export const texts = says(
  "an array of strings",
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
);
export const moment = says(
  "a time in ISO 8601",
  (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)),
);

export function oneOf(...values: readonly string[]): Check {
  return says(`one of ${values.join(", ")}`, (value) => typeof value === "string" && values.includes(value));
}

/** An array of objects of one shape. */
export function listOf(shape: Shape, most: number): Check {
  return (value) => {
    if (!Array.isArray(value)) return "an array";
    if (value.length > most) return `an array of ${most} at most`;
    const good = value.every((item) => isDict(item) && Object.keys(problemsOf(item, shape)).length === 0);
    return good ? undefined : `an array of objects with ${Object.keys(shape).join(", ")}`;
  };
}
