import * as z from "zod/mini";

/** Ties a schema to its interface, key by key: `z.looseObject({ ... } satisfies Shape<TextPart>)`. */
export type Shape<T> = { [Key in keyof T]-?: z.ZodMiniType<T[Key]> };

/** A string of one form. Callers tie the form to that of `universal` by its type. */
export const matching = (form: RegExp) => z.string().check(z.regex(form));
