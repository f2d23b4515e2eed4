import { describe, isObject } from "../../core/checks.ts";

/**
 * The check of a field. Says what is wrong with its value, or returns undefined. The text begins with a path, such as `.item.status is
 * missing`: each level adds its part of the path only if there is a problem. `of` exists for the compiler alone.
 */
export type Field<T> = ((value: unknown) => string | undefined) & { readonly of?: T };

/** A check for each field of an interface. The compiler refuses a table without a field, or with a check of another type. */
export type Fields<T> = { readonly [Name in keyof T]-?: Field<T[Name]> };

/** Characters of a wrong word that a message quotes. */
const QUOTED = 40;

export const is =
  <T>(expects: string, holds: (value: unknown) => boolean): Field<T> =>
  (value) => {
    if (value === undefined) return " is missing";
    if (holds(value)) return undefined;
    const found = typeof value === "string" ? JSON.stringify(value.slice(0, QUOTED)) : describe(value);
    return ` is ${found}: it must be ${expects}`;
  };

export const any = is<unknown>("any value", () => true);
export const string = is<string>("a string", (value) => typeof value === "string");
export const boolean = is<boolean>("true or false", (value) => typeof value === "boolean");
export const number = is<number>("a number", Number.isFinite);
export const whole = is<number>("a whole number", Number.isSafeInteger);
export const wholeFromOne = is<number>(
  "a whole number from 1",
  (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 1,
);
export const literalTrue = is<true>("true", (value) => value === true);

export const word = <const Word extends string>(...words: readonly Word[]): Field<Word> =>
  is(
    words.map((each) => `"${each}"`).join(" or "),
    (value) => typeof value === "string" && words.some((each) => each === value),
  );

export function matching(expects: string, form: RegExp): Field<string> {
  return is(expects, (value) => typeof value === "string" && form.test(value));
}

export const orNull =
  <T>(field: Field<T>): Field<T | null> =>
  (value) =>
    value === null ? undefined : field(value);

/** A field that may be absent. */
export const optional =
  <T>(field: Field<T>): Field<T> =>
  (value) =>
    value === undefined ? undefined : field(value);

/** Stops at the first wrong entry: a sparse array may claim to have billions. */
export const list =
  <T>(entry: Field<T>): Field<readonly T[]> =>
  (value) => {
    if (!Array.isArray(value)) return isList(value);
    for (let at = 0; at < value.length; at++) {
      const problem = entry(value[at]);
      if (problem !== undefined) return `[${at}]${problem}`;
    }
    return undefined;
  };

const isList = is<readonly unknown[]>("an array", Array.isArray);
const anyObject = is<object>("an object", isObject);

export function object<T>(fields: Fields<T>): Field<T> {
  const entries = Object.entries<Field<unknown>>(fields);
  return (value) => {
    if (!isObject(value)) return anyObject(value);
    for (const [name, field] of entries) {
      const problem = field(value[name]);
      if (problem !== undefined) return `.${name}${problem}`;
    }
    return undefined;
  };
}

/** An object whose `type` chooses its fields. */
export function tagged<T extends { readonly type: string }>(
  fields: {
    readonly [Type in T["type"]]: Field<Extract<T, { readonly type: Type }>>;
  },
): Field<T> {
  const byType = new Map<unknown, Field<unknown>>(Object.entries(fields));
  const type = is<string>(`one of: ${Object.keys(fields).join(", ")}`, (value) => byType.has(value));
  return (value) => {
    if (!isObject(value)) return anyObject(value);
    const problem = type(value["type"]);
    return problem === undefined ? byType.get(value["type"])?.(value) : `.type${problem}`;
  };
}
