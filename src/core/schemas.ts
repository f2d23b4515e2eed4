import * as z from "zod/mini";

/**
 * Ties a schema to its interface, key by key: `z.looseObject({ ... } satisfies Shape<Ack>)` does not compile when a field is
 * missing or has another type. Interfaces are written by hand, so that declarations name no zod.
 */
export type Shape<T> = { [Key in keyof T]-?: z.ZodMiniType<T[Key]> };

/** A schema, or one that is yet to be made. */
export interface Reads<T> {
  safeParse(value: unknown): z.core.util.SafeParseResult<T>;
}

/** A schema that is made at its first use: making all of them takes as long as loading zod. */
export function lazy<T>(make: () => Reads<T>): Reads<T> {
  let schema: Reads<T> | undefined;
  return {
    safeParse(value) {
      schema ??= make();
      return schema.safeParse(value);
    },
  };
}

/**
 * Reads a message by the schema of its `type`. What cannot be read becomes what `otherwise` makes of it: `problem` says which
 * fields are wrong, and is undefined for a type that is not known.
 */
export function readByType<T, Other>(
  schemas: Readonly<Record<string, Reads<T>>>,
  type: string,
  message: unknown,
  otherwise: (problem: string | undefined) => Other,
): T | Other {
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (!schema) return otherwise(undefined);
  const result = schema.safeParse(message);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => issue.path.join(".") || "(itself)");
  return otherwise(`${type}: wrong or missing ${fields.join(", ")}`);
}

/** Absent and `null` mean the same: servers drop some empty fields and send others as null. */
export type Nullish<T> = T | null | undefined;

/** A field that may be absent, null or wrong: a wrong value is read as absent, and the message stays valid. */
export const optional = <T>(schema: Reads<T>): z.ZodMiniType<Nullish<T>> =>
  z.transform((value): Nullish<T> => {
    if (value === undefined || value === null) return value;
    const result = schema.safeParse(value);
    return result.success ? result.data : undefined;
  });

/** A field that may be absent or null, both read by `absent`. A wrong value makes the message invalid. */
export const given = <T, A>(schema: Reads<T>, absent: (value: null | undefined) => A): z.ZodMiniType<T | A> =>
  z.transform((value, { issues }): T | A => {
    if (value === undefined || value === null) return absent(value);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    report(issues, value, result.error);
    return absent(undefined); // not read: the message is invalid
  });

/** The same, with absent and null left as they are. */
export const nullish = <T>(schema: Reads<T>): z.ZodMiniType<Nullish<T>> =>
  given<T, null | undefined>(schema, (value) => value);

// By `z.custom`, not by zod's own kinds: each kind is code that a browser loads.

export const literal = <const T extends string>(...values: readonly T[]): z.ZodMiniType<T> =>
  z.custom<T>((value) => values.some((each) => each === value));

export const finite = z.custom<number>(Number.isFinite);

export const boolean = z.custom<boolean>((value) => typeof value === "boolean");

/** Several fields of one schema. */
export const fields = <const Name extends string, Schema>(
  schema: Schema,
  ...names: readonly Name[]
): Readonly<Record<Name, Schema>> =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;

/** A wrong item makes the list wrong. */
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

/** Adds the problems of a part of a message. `at` is the place in a list. */
function report(
  issues: z.core.$ZodRawIssue[],
  input: unknown,
  error: z.core.$ZodError,
  ...at: readonly number[]
): void {
  for (const { path, message } of error.issues)
    issues.push({ code: "custom", input, message, path: [...at, ...path] });
}
