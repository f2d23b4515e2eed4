// The entry `agentwire/schemas`: zod schemas and the JSON Schema of universal events.
import * as z from "zod/mini";
import { type DataOf, UNIVERSAL_SCHEMA, type UniversalEventType } from "../universal/events.ts";
import { data, event, item, part } from "../universal/shapes.ts";
import { toZod } from "./to-zod.ts";

/** The schema of an event. */
export const universalEventSchema = toZod(event);

/** The schema of an item. */
export const universalItemSchema = toZod(item);

/** The schema of a content part. */
export const contentPartSchema = toZod(part);

/** The schema of the data of each type of event. */
export const eventDataSchemas: { readonly [Type in UniversalEventType]: z.ZodMiniType<DataOf<Type>> } = {
  "session.started": toZod(data["session.started"]),
  "session.ended": toZod(data["session.ended"]),
  "turn.started": toZod(data["turn.started"]),
  "turn.ended": toZod(data["turn.ended"]),
  "item.started": toZod(data["item.started"]),
  "item.delta": toZod(data["item.delta"]),
  "item.completed": toZod(data["item.completed"]),
  "permission.requested": toZod(data["permission.requested"]),
  "permission.resolved": toZod(data["permission.resolved"]),
  "question.requested": toZod(data["question.requested"]),
  "question.resolved": toZod(data["question.resolved"]),
  error: toZod(data.error),
  "agent.unparsed": toZod(data["agent.unparsed"]),
};

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
