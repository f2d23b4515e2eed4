// The entry `agentwire/schemas`: zod schemas and the JSON Schema of universal events.
import * as z from "zod/mini";
import {
  type DataOf,
  UNIVERSAL_EVENT_TYPES,
  UNIVERSAL_SCHEMA,
  type UniversalEventType,
} from "../universal/events.ts";
import { data, event, type Form, item, part, type TypeShape } from "../universal/shapes.ts";

/** Makes the zod schema of a shape, once, so that a JSON Schema can name it. */
function toZod<T>(shape: TypeShape<T>): z.ZodMiniType<T> {
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

/** The schema of an event. */
export const universalEventSchema = toZod(event);

/** The schema of an item. */
export const universalItemSchema = toZod(item);

/** The schema of a content part. */
export const contentPartSchema = toZod(part);

/** The schema of the data of each type of event. */
export const eventDataSchemas = Object.fromEntries(
  UNIVERSAL_EVENT_TYPES.map((type) => [type, toZod<unknown>(data[type])]),
) as { readonly [Type in UniversalEventType]: z.ZodMiniType<DataOf<Type>> }; // `data` ties each shape to its type

/** The schemas that are named in `$defs`. */
const names = z.registry<{ readonly id: string }>();
names.add(universalItemSchema, { id: "UniversalItem" });
names.add(contentPartSchema, { id: "ContentPart" });

/**
 * The JSON Schema (draft 2020-12) of an event, for programs in any language. Made from `universalEventSchema`, and
 * accepts the same values. Unknown fields are allowed.
 */
export const universalEventJsonSchema: Readonly<Record<string, unknown>> = {
  title: UNIVERSAL_SCHEMA,
  ...z.toJSONSchema(universalEventSchema, { target: "draft-2020-12", metadata: names }),
};
