// Makes the events that close a stored transcript after a crash.
import { subjectOfEvent } from "./check/session-check.ts";
import type {
  ContentPart,
  DataOf,
  DeltaPart,
  ErrorData,
  UniversalEvent,
  UniversalEventType,
  UniversalItem,
} from "./events.ts";

export interface CloseTranscriptOptions {
  /** The `time` of the events: RFC 3339, UTC, with milliseconds. */
  readonly time: string;
  /** The error of a turn that was running. */
  readonly error: Pick<ErrorData, "message" | "code">;
}

type Texts = Map<DeltaPart["type"], string>;

interface OpenSession {
  last: UniversalEvent;
  /** The events that still need a closing event, oldest first. */
  readonly open: Map<string, UniversalEvent>;
  /** For open items, by item id. */
  readonly texts: Map<string, Texts>;
  /** The ids of the turn's calls, by item. */
  readonly calls: Map<string, string>;
}

/**
 * Makes the events that close a transcript after a crash. The process that stored the events is gone, so nothing else
 * can close them. Requests are rejected as `disconnected`. Items fail with their content so far. The turn fails with
 * `error`, and the session ends. Then `checkTranscript` finds nothing open.
 */
export function closeTranscript(
  events: Iterable<UniversalEvent>,
  options: CloseTranscriptOptions,
): readonly UniversalEvent[] {
  const sessions = new Map<string, OpenSession>();
  for (const event of events) {
    const id = event.session_id;
    if (event.type === "session.ended") {
      sessions.delete(id);
      continue;
    }
    const known = sessions.get(id);
    const session = known ?? { last: event, open: new Map(), texts: new Map(), calls: new Map() };
    session.last = event;
    sessions.set(id, session);
    follow(session, event);
  }
  return [...sessions.values()].flatMap((session) => closing(session, options));
}

function follow({ open, texts, calls }: OpenSession, event: UniversalEvent): void {
  const subject = subjectOfEvent(event);
  if (subject?.opens) open.set(subject.key, event);
  else if (subject) open.delete(subject.key);
  if (event.type === "turn.ended") calls.clear();
  if (event.type === "item.started") {
    const { item_id, content } = event.data.item;
    texts.set(item_id, new Map());
    for (const part of content) if (part.type === "tool_call") calls.set(item_id, part.call_id);
  }
  if (event.type === "item.completed") texts.delete(event.data.item.item_id);
  if (event.type === "item.delta") {
    const { item_id, delta, part } = event.data;
    const type = part?.type ?? "text";
    const grown = texts.get(item_id);
    grown?.set(type, (grown.get(type) ?? "") + delta);
  }
}

/** The order: requests, items from the inside out, the error, the turn, the session. */
function closing(session: OpenSession, { time, error }: CloseTranscriptOptions): readonly UniversalEvent[] {
  const { session_id, native_session_id } = session.last;
  let { sequence } = session.last;
  const events: UniversalEvent[] = [];
  const tell = <Type extends UniversalEventType>(type: Type, data: DataOf<Type>): void => {
    sequence++;
    const ids = { event_id: `evt_${sequence}`, sequence, time, session_id, native_session_id };
    const event = { ...ids, synthetic: true, source: "daemon", type, data, raw: null } as const;
    events.push(event as UniversalEvent); // TypeScript cannot see that `data` fits `type`
  };
  const open = [...session.open.values()];
  for (const { type, data } of open)
    if (type === "permission.requested")
      tell("permission.resolved", { ...data, status: "reject", reason: "disconnected", state: "denied" });
  for (const { type, data } of open)
    if (type === "question.requested")
      tell("question.resolved", { ...data, status: "rejected", reason: "disconnected" });
  for (const { type, data } of [...open].reverse()) {
    if (type !== "item.started") continue;
    const { item } = data;
    const content = contentOf(item, session);
    const state = item.kind === "tool_result" ? ({ state: "abandoned" } as const) : {};
    tell("item.completed", { item: { ...item, content, status: "failed" }, ...state });
  }
  for (const { type, data } of open) {
    if (type !== "turn.started") continue;
    tell("error", { ...error, details: null, turn_id: data.turn_id });
    tell("turn.ended", { phase: "ended", turn_id: data.turn_id, metadata: { status: "failed" } });
  }
  tell("session.ended", { reason: "error", terminated_by: "daemon", message: error.message });
  return events;
}

function contentOf(item: UniversalItem, { texts, calls }: OpenSession): readonly ContentPart[] {
  const { content, kind, item_id, parent_id, native_item_id } = item;
  const said: Texts = texts.get(item_id) ?? new Map();
  if (kind === "tool_result" && content.length === 0) {
    const call_id = (parent_id === null ? undefined : calls.get(parent_id)) ?? native_item_id ?? item_id;
    return [{ type: "tool_result", call_id, output: said.get("tool_output") ?? "" }];
  }
  const grown = [...content];
  for (const [type, text] of said) {
    const at = grown.map((part) => part.type).lastIndexOf(PARTS[type]);
    const before = grown[at];
    if (before) grown[at] = longer(before, text);
    else if (type === "text") grown.push({ type, text });
    else if (type === "reasoning") grown.push({ type, text, visibility: "public" });
  }
  return grown;
}

const PARTS = {
  text: "text",
  reasoning: "reasoning",
  tool_arguments: "tool_call",
  tool_output: "tool_result",
} as const satisfies Record<DeltaPart["type"], ContentPart["type"]>;

function longer(part: ContentPart, text: string): ContentPart {
  if (part.type === "text" || part.type === "reasoning") return { ...part, text: part.text + text };
  if (part.type === "tool_result") return { ...part, output: part.output + text };
  if (part.type !== "tool_call") return part;
  return { ...part, arguments: JSON.stringify(part.arguments + text) }; // a fragment is not valid JSON
}
