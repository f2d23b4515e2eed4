import type * as z from "zod/mini";

/**
 * Ties a schema to the interface it stands for, key by key: `z.looseObject({ ... } satisfies Shape<Ack>)`
 * fails to compile when a field is forgotten or has another type. The interface stays hand-written, so
 * that declarations name no zod.
 */
export type Shape<T> = { [Key in keyof T]-?: z.ZodMiniType<T[Key]> };
