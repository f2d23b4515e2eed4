import * as z from "zod/mini";
import type { EVENT_ID, TIME } from "../universal/check/patterns.ts";
import type { UniversalEvent, UniversalEventType } from "../universal/events.ts";
import { data, origin } from "./data.ts";
import { matching, type Shape } from "./shape.ts";

const envelope = {
  event_id: matching(new RegExp("^evt_[1-9]\\d*$" satisfies typeof EVENT_ID)),
  sequence: z.int().check(z.minimum(1)),
  time: matching(
    new RegExp(
      "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$" satisfies typeof TIME,
    ),
  ),
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
