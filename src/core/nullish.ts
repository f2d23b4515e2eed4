import * as z from "zod/mini";

/** `null` and absent are the same thing on this wire: servers drop some empty fields and send others. */
export type Nullish<T> = T | null | undefined;

/** A field that a server may leave out, send as null, or get wrong: only required fields decide on a message. */
export const optional = <T>(schema: z.ZodMiniType<T>): z.ZodMiniType<Nullish<T>> =>
  z.transform((value): Nullish<T> => {
    if (value === undefined || value === null) return value;
    const result = schema.safeParse(value);
    return result.success ? result.data : undefined;
  });

/** A field that may be absent or null, which is read as `absent` says, and decides on its message when it is wrong. */
export const given = <T, A>(
  schema: z.ZodMiniType<T>,
  absent: (value: null | undefined) => A,
): z.ZodMiniType<T | A> =>
  z.transform((value, { issues }): T | A => {
    if (value === undefined || value === null) return absent(value);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const { path, message } of result.error.issues)
      issues.push({ code: "custom", path: [...path], message, input: value });
    return absent(undefined); // nobody reads it: the message is refused
  });

/** The same, left as it is: something is done with it. */
export const nullish = <T>(schema: z.ZodMiniType<T>): z.ZodMiniType<Nullish<T>> =>
  given<T, null | undefined>(schema, (value) => value);

/** A number as JSON has them. */
export const finite = z.custom<number>(Number.isFinite);
