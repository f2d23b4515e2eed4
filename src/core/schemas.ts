import * as z from "zod/mini";

/**
 * Ties a schema to the interface it stands for, key by key: `z.looseObject({ ... } satisfies Shape<Ack>)`
 * fails to compile when a field is forgotten or has another type. The interface stays hand-written, so
 * that declarations name no zod.
 */
export type Shape<T> = { [Key in keyof T]-?: z.ZodMiniType<T[Key]> };

/** What reads a value: a schema, or one that is yet to be made. */
export interface Reads<T> {
  safeParse(value: unknown): z.core.util.SafeParseResult<T>;
}

/** A schema that is made when it first reads something: making them all takes as long as loading zod. */
export function lazy<T>(make: () => Reads<T>): Reads<T> {
  let schema: Reads<T> | undefined;
  return {
    safeParse(value) {
      schema ??= make();
      return schema.safeParse(value);
    },
  };
}

/** `null` and absent are the same thing on this wire: servers drop some empty fields and send others. */
export type Nullish<T> = T | null | undefined;

/** A field that a server may leave out, send as null, or get wrong: only required fields decide on a message. */
export const optional = <T>(schema: Reads<T>): z.ZodMiniType<Nullish<T>> =>
  z.transform((value): Nullish<T> => {
    if (value === undefined || value === null) return value;
    const result = schema.safeParse(value);
    return result.success ? result.data : undefined;
  });

/** A field that may be absent or null, which is read as `absent` says, and decides on its message when it is wrong. */
export const given = <T, A>(schema: Reads<T>, absent: (value: null | undefined) => A): z.ZodMiniType<T | A> =>
  z.transform((value, { issues }): T | A => {
    if (value === undefined || value === null) return absent(value);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    report(issues, value, result.error);
    return absent(undefined); // nobody reads it: the message is refused
  });

/** The same, left as it is: something is done with it. */
export const nullish = <T>(schema: Reads<T>): z.ZodMiniType<Nullish<T>> =>
  given<T, null | undefined>(schema, (value) => value);

// One kind of schema for what a comparison decides: each kind of zod's own is code that a browser loads.

/** One of these. */
export const literal = <const T extends string>(...values: readonly T[]): z.ZodMiniType<T> =>
  z.custom<T>((value) => values.some((each) => each === value));

/** A number as JSON has them. */
export const finite = z.custom<number>(Number.isFinite);

export const boolean = z.custom<boolean>((value) => typeof value === "boolean");

/** Several fields of one schema. */
export const fields = <const Name extends string, Schema>(
  schema: Schema,
  ...names: readonly Name[]
): Readonly<Record<Name, Schema>> =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;

/** A list of these; one that is wrong makes the list wrong. */
export const list = <T>(schema: Reads<T>): z.ZodMiniType<readonly T[]> =>
  z.transform((value, { issues }): readonly T[] => {
    if (!Array.isArray(value)) {
      issues.push({ code: "custom", input: value });
      return [];
    }
    return value.flatMap((item: unknown, at) => {
      const result = schema.safeParse(item);
      if (result.success) return [result.data];
      report(issues, item, result.error, at);
      return [];
    });
  });

/** Says what is wrong in a part of a message, and where: `at` is its place in a list. */
function report(
  issues: z.core.$ZodRawIssue[],
  input: unknown,
  error: z.core.$ZodError,
  ...at: readonly number[]
): void {
  for (const { path, message } of error.issues)
    issues.push({ code: "custom", input, message, path: [...at, ...path] });
}
