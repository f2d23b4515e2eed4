/**
 * What a value must be, as data. The check of events, the zod schemas and the JSON Schema are made from this, so the three cannot differ. `is`
 * exists for the compiler alone.
 */
export type Shape<T> = Form & { readonly is?: T };

export type Form =
  /** Any value but a missing one. */
  | { readonly kind: "any" }
  | { readonly kind: "boolean" }
  /** A finite number. `min`: a whole number from here on. `whole`: any whole number. */
  | { readonly kind: "number" | "whole"; readonly min?: number }
  /** `expects`: what the pattern says, in words. */
  | { readonly kind: "string"; readonly pattern?: RegExp; readonly expects?: string }
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "true" }
  | { readonly kind: "null-or" | "list"; readonly of: Form }
  | { readonly kind: "object"; readonly fields: Forms }
  /** An object whose `type` chooses its form. */
  | { readonly kind: "tagged"; readonly types: Forms };

/** `isOptional`: the field may be absent. */
export type Forms = Readonly<Record<string, Form & { readonly isOptional?: true }>>;

/** The shape of each field of an interface: the compiler refuses a table without a field, and with a field of another type. */
export type Shapes<T> = { readonly [Name in keyof T]-?: Shape<T[Name]> };

export const any: Shape<unknown> = { kind: "any" };
export const boolean: Shape<boolean> = { kind: "boolean" };
export const number: Shape<number> = { kind: "number" };
export const whole: Shape<number> = { kind: "whole" };
export const string: Shape<string> = { kind: "string" };
export const literalTrue: Shape<true> = { kind: "true" };

export const wholeFrom = (min: number): Shape<number> => ({ kind: "whole", min });

export const matching = (expects: string, pattern: RegExp): Shape<string> => ({
  kind: "string",
  expects,
  pattern,
});

export const word = <const Word extends string>(...words: readonly Word[]): Shape<Word> => ({
  kind: "word",
  words,
});

export const orNull = <T>(of: Shape<T>): Shape<T | null> => ({ kind: "null-or", of });

export const list = <T>(of: Shape<T>): Shape<readonly T[]> => ({ kind: "list", of });

export const optional = <T>(of: Shape<T>): Shape<T> & { readonly isOptional: true } => ({
  ...of,
  isOptional: true,
});

export const object = <T>(fields: Shapes<T>): Shape<T> => ({ kind: "object", fields });

export const tagged = <T extends { readonly type: string }>(
  types: {
    readonly [Type in T["type"]]: Shape<Extract<T, { readonly type: Type }>>;
  },
): Shape<T> => ({ kind: "tagged", types });
