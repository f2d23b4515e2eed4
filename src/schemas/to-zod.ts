// Makes a zod schema from a shape of `universal`.
import * as z from "zod/mini";
import type { Form, TypeShape } from "../universal/shapes.ts";

/** Makes the zod schema of a shape, once, so that a JSON Schema can name it. */
export function toZod<T>(shape: TypeShape<T>): z.ZodMiniType<T> {
  return schemaOf(shape) as z.ZodMiniType<T>; // the compiler has tied the shape to its type
}

const known = new Map<Form, z.ZodMiniType>();

function schemaOf(form: Form): z.ZodMiniType {
  const schema = known.get(form) ?? make(form);
  known.set(form, schema);
  return schema;
}

function make(form: Form): z.ZodMiniType {
  switch (form.kind) {
    case "any":
      return z.unknown();
    case "true":
      return z.literal(true);
    case "boolean":
      return z.boolean();
    case "number":
      return z.number();
    case "whole":
      return form.min === undefined ? z.int() : z.int().check(z.minimum(form.min));
    case "string":
      return form.pattern === undefined ? z.string() : z.string().check(z.regex(form.pattern));
    case "word":
      return form.words.length === 1 ? z.literal(form.words) : z.enum([...form.words]);
    case "null-or":
      return z.nullable(schemaOf(form.of));
    case "list":
      return z.array(schemaOf(form.of));
    case "object":
      return looseObject(form);
    case "tagged": {
      const [first, ...others] = Object.values(form.types).map(looseObject);
      if (!first) throw new Error("a tagged form without types");
      return z.discriminatedUnion("type", [first, ...others]);
    }
    default:
      return form satisfies never;
  }
}

function looseObject(form: Form): z.ZodMiniObject {
  if (form.kind !== "object") throw new Error("the types of a tagged form are objects");
  const fields = Object.entries(form.fields).map(([name, { isOptional, ...field }]) => {
    const schema = isOptional ? z.exactOptional(make(field)) : schemaOf(form.fields[name] ?? field);
    return [name, schema] as const;
  });
  return z.looseObject(Object.fromEntries(fields));
}
