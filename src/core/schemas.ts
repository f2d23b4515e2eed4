// The zod schemas that all protocols share, and the parsing of a message by its `type`.
import * as z from "zod/mini";

/**
 * Ties a schema to its interface, field by field: `z.looseObject({ ... } satisfies Shape<Ack>)` does not compile if a
 * field is missing or has another type. Interfaces are written by hand, so that declarations do not mention zod.
 */
export type Shape<T> = { [Key in keyof T]-?: z.ZodMiniType<T[Key]> };

/** A schema, created now or at its first use. */
export interface Reads<T> {
  safeParse(value: unknown): z.core.util.SafeParseResult<T>;
}

/** Creates a schema at its first use. Creating all of them would take as long as loading zod. */
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
 * Parses a message with the schema of its `type`. If that fails, returns `otherwise(problem)`. `problem` names the
 * wrong fields, and is undefined for an unknown type.
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

/** Absent and `null` mean the same: servers omit some empty fields and send others as null. */
export type Nullish<T> = T | null | undefined;

/** A field that may be absent, null or wrong. A wrong value counts as absent, and the message stays valid. */
export const optional = <T>(schema: Reads<T>): z.ZodMiniType<Nullish<T>> =>
  z.transform((value): Nullish<T> => {
    if (value === undefined || value === null) return value;
    const result = schema.safeParse(value);
    return result.success ? result.data : undefined;
  });

/** A field that may be null or absent, and then becomes `absent(value)`. A wrong value is an error. */
export const given = <T, A>(schema: Reads<T>, absent: (value: null | undefined) => A): z.ZodMiniType<T | A> =>
  z.transform((value, { issues }): T | A => {
    if (value === undefined || value === null) return absent(value);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    report(issues, value, result.error);
    return absent(undefined); // a placeholder: the message is invalid
  });

/** A field that may be absent or null, which stays as it is. A wrong value makes the message invalid. */
export const nullish = <T>(schema: Reads<T>): z.ZodMiniType<Nullish<T>> =>
  given<T, null | undefined>(schema, (value) => value);

// `z.custom` instead of zod's own schemas, whose code a browser would have to load.

export const literal = <const T extends string>(...values: readonly T[]): z.ZodMiniType<T> =>
  z.custom<T>((value) => values.some((each) => each === value));

export const finite = z.custom<number>(Number.isFinite);

export const boolean = z.custom<boolean>((value) => typeof value === "boolean");

/** Gives several fields the same schema. */
export const fields = <const Name extends string, Schema>(
  schema: Schema,
  ...names: readonly Name[]
): Readonly<Record<Name, Schema>> =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;

/** A list. A wrong item makes the whole list wrong. */
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

/** Adds the problems of a part of a message. `at`: the index in a list. */
function report(
  issues: z.core.$ZodRawIssue[],
  input: unknown,
  error: z.core.$ZodError,
  ...at: readonly number[]
): void {
  for (const { path, message } of error.issues)
    issues.push({ code: "custom", input, message, path: [...at, ...path] });
}
