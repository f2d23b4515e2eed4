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

/** A field that may be absent or null, and decides on its message when it is wrong: something is done with it. */
export const nullish = <T>(schema: z.ZodMiniType<T>): z.ZodMiniType<Nullish<T>> =>
  z.optional(z.nullable(schema));
