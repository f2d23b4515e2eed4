import * as z from "zod/mini";
import type { Shape } from "../core/schemas.ts";
import type { UniversalEvent, UniversalEventType } from "../universal/events.ts";
import { EVENT_ID, TIME } from "../universal/patterns.ts";
import { data, origin } from "./data.ts";

const envelope = {
  event_id: z.string().check(z.regex(EVENT_ID)),
  sequence: z.int().check(z.minimum(1)),
  time: z.string().check(z.regex(TIME)),
  session_id: z.string(),
  native_session_id: z.nullable(z.string()),
  synthetic: z.boolean(),
  source: origin,
  raw: z.unknown(),
} satisfies Shape<Omit<UniversalEvent, "type" | "data">>;

const eventOf = <const Type extends UniversalEventType>(type: Type) =>
  z.looseObject({ ...envelope, type: z.literal(type), data: data[type] });

export const event = z.discriminatedUnion("type", [
  eventOf("session.started"),
  eventOf("session.ended"),
  eventOf("turn.started"),
  eventOf("turn.ended"),
  eventOf("item.started"),
  eventOf("item.delta"),
  eventOf("item.completed"),
  eventOf("permission.requested"),
  eventOf("permission.resolved"),
  eventOf("question.requested"),
  eventOf("question.resolved"),
  eventOf("error"),
  eventOf("agent.unparsed"),
]);

/** The schema of an event. */
export const universalEventSchema: z.ZodMiniType<UniversalEvent> = event;
