// Listens to one client, and passes each event to the spans of its turn.
import * as api from "@opentelemetry/api";
import { fieldsOf } from "../core/checks.ts";
import type { AnyAgentClient } from "../core/client/any-client.ts";
import { Recent } from "../core/recent.ts";
import type { TurnStarted, UniversalEvent } from "../universal/events.ts";
import { fieldsIn, labelIn } from "../universal/item-content.ts";
import type { AgentSource } from "../universal/stream.ts";
import type { Prompted, Telemetry } from "./telemetry.ts";
import { TurnSpans } from "./turn-spans.ts";

/** Remembered prompts whose turn has not started. */
const MAX_PROMPTS = 10_000;

/** Remembered models of sessions. A client may have a session for each turn. */
const MAX_MODELS = 1_000;

/** Nobody reads old events, so the log holds 1 byte. */
const NO_LOG = 1;

/** Traces and measures all turns of a new client. The client drops the listeners when it closes. */
export function watchClient<Client extends AnyAgentClient>(
  source: AgentSource<Client>,
  client: Client,
  telemetry: Telemetry,
): void {
  const { guard } = telemetry;
  const prompts = new Recent<string, Prompted>(MAX_PROMPTS);
  // Before `toUniversal`, because a turn may start in the tick of `prompt()`.
  client.on("turn", ({ id }) => {
    guard(() => prompts.set(id, { context: api.context.active(), at: Date.now() }));
  });
  const models = new Recent<string, string>(MAX_MODELS);
  /** The running turns, by session. */
  const turns = new Map<string, TurnSpans>();
  const start = (event: TurnStarted): void => {
    const { native_turn_id: id = "" } = event.data.metadata ?? {};
    const session = event.session_id;
    turns.set(session, new TurnSpans(telemetry, event, prompts.get(id), models.get(session)));
    prompts.delete(id);
  };
  const hear = (event: UniversalEvent): void => {
    const { session_id: session } = event;
    const model = modelIn(event);
    if (model !== undefined) models.set(session, model);
    const turn = turns.get(session);
    switch (event.type) {
      case "session.started":
        return;
      case "turn.started": // only a stream that breaks its rules has an open turn here
      case "turn.ended":
      case "session.ended":
        turns.delete(session);
        turn?.end(event);
        if (event.type === "turn.started") start(event);
        return;
      default:
        turn?.hear(event);
    }
  };
  source.toUniversal(client, { maxLogBytes: NO_LOG }).on("event", (event) => guard(() => hear(event)));
  // After `toUniversal`, so that the stream has ended its turns before.
  client.on("status", (status) => {
    if (status !== "closed") return;
    for (const turn of turns.values()) turn.end();
    turns.clear();
  });
}

/** The model that a session uses from now on, if the event says so. */
function modelIn(event: UniversalEvent): string | undefined {
  const isModel = event.type === "item.completed" && labelIn(event.data.item) === "model";
  const model = isModel
    ? fieldsIn(event.data.item)["current"]
    : event.type === "session.started" && fieldsOf(event.data.metadata)["model"];
  return typeof model === "string" ? model : undefined;
}
