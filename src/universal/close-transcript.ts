import type {
  ContentPart,
  DataOf,
  DeltaPart,
  ErrorData,
  PermissionData,
  QuestionData,
  UniversalEvent,
  UniversalEventType,
  UniversalItem,
} from "./events.ts";

export interface CloseTranscriptOptions {
  /** RFC 3339, UTC, with milliseconds: the `time` of the events. */
  readonly time: string;
  /** What is said of a turn that was under way. */
  readonly error: Pick<ErrorData, "message" | "code">;
}

/** What a session has left open. */
interface OpenSession {
  last: UniversalEvent;
  turnId: string | undefined;
  /** By id, in the order of their starts. */
  readonly items: Map<
    string,
    { readonly item: UniversalItem; readonly texts: Map<DeltaPart["type"], string> }
  >;
  readonly calls: Map<string, string>;
  readonly permissions: Map<string, PermissionData>;
  readonly questions: Map<string, QuestionData>;
}

/**
 * The events that end what a crash has left open: a process that stored these events is gone, and nobody else can say how they went on.
 * Requests are rejected as `disconnected`, items fail with what they had, the turn fails with `error`, and the session ends. Behind them
 * the transcript is complete: `checkTranscript` finds nothing open.
 */
export function closeTranscript(
  events: Iterable<UniversalEvent>,
  options: CloseTranscriptOptions,
): readonly UniversalEvent[] {
  const sessions = new Map<string, OpenSession>();
  for (const event of events) {
    if (event.type === "session.ended") sessions.delete(event.session_id);
    else follow(openOf(sessions, event), event);
  }
  return [...sessions.values()].flatMap((session) => closing(session, options));
}

function openOf(sessions: Map<string, OpenSession>, event: UniversalEvent): OpenSession {
  const known = sessions.get(event.session_id);
  if (known) {
    known.last = event;
    return known;
  }
  const session: OpenSession = {
    last: event,
    turnId: undefined,
    items: new Map(),
    calls: new Map(),
    permissions: new Map(),
    questions: new Map(),
  };
  sessions.set(event.session_id, session);
  return session;
}

function follow(session: OpenSession, event: UniversalEvent): void {
  const { items, calls, permissions, questions } = session;
  switch (event.type) {
    case "turn.started":
      session.turnId = event.data.turn_id;
      return;
    case "turn.ended":
      session.turnId = undefined;
      calls.clear();
      return;
    case "item.started": {
      const { item } = event.data;
      items.set(item.item_id, { item, texts: new Map() });
      for (const part of item.content) if (part.type === "tool_call") calls.set(item.item_id, part.call_id);
      return;
    }
    case "item.delta": {
      const { item_id, delta, part } = event.data;
      const { texts } = items.get(item_id) ?? {};
      const type = part?.type ?? "text";
      texts?.set(type, (texts.get(type) ?? "") + delta);
      return;
    }
    case "item.completed":
      items.delete(event.data.item.item_id);
      return;
    case "permission.requested":
      permissions.set(event.data.permission_id, event.data);
      return;
    case "permission.resolved":
      permissions.delete(event.data.permission_id);
      return;
    case "question.requested":
      questions.set(event.data.question_id, event.data);
      return;
    case "question.resolved":
      questions.delete(event.data.question_id);
      return;
    case "session.started":
    case "session.ended":
    case "error":
    case "agent.unparsed":
      return;
  }
}

/** In the order in which a turn ends: requests, items from the inside out, the error, the turn, the session. */
function closing(session: OpenSession, { time, error }: CloseTranscriptOptions): readonly UniversalEvent[] {
  const { session_id, native_session_id } = session.last;
  let { sequence } = session.last;
  const events: UniversalEvent[] = [];
  const tell = <Type extends UniversalEventType>(type: Type, data: DataOf<Type>): void => {
    sequence++;
    const event = {
      event_id: `evt_${sequence}`,
      sequence,
      time,
      session_id,
      native_session_id,
      synthetic: true,
      source: "daemon",
      type,
      data,
      raw: null,
    } as const;
    events.push(event as UniversalEvent); // `data` fits `type`: TypeScript does not follow the pair through the type parameter
  };
  for (const data of session.permissions.values())
    tell("permission.resolved", { ...data, status: "reject", reason: "disconnected", state: "denied" });
  for (const data of session.questions.values())
    tell("question.resolved", { ...data, status: "rejected", reason: "disconnected" });
  for (const { item, texts } of [...session.items.values()].reverse()) {
    const content = contentOf(item, texts, session.calls);
    const state = item.kind === "tool_result" ? ({ state: "abandoned" } as const) : {};
    tell("item.completed", { item: { ...item, content, status: "failed" }, ...state });
  }
  if (session.turnId !== undefined) {
    tell("error", { ...error, details: null, turn_id: session.turnId });
    tell("turn.ended", { phase: "ended", turn_id: session.turnId, metadata: { status: "failed" } });
  }
  tell("session.ended", { reason: "error", terminated_by: "daemon", message: error.message });
  return events;
}

/** The content that an item has come to. */
function contentOf(
  { content, kind, item_id, parent_id, native_item_id }: UniversalItem,
  texts: ReadonlyMap<DeltaPart["type"], string>,
  calls: ReadonlyMap<string, string>,
): readonly ContentPart[] {
  if (kind === "tool_result" && content.length === 0) {
    const call_id = (parent_id === null ? undefined : calls.get(parent_id)) ?? native_item_id ?? item_id;
    return [{ type: "tool_result", call_id, output: texts.get("tool_output") ?? "" }];
  }
  const grown = [...content];
  for (const [type, text] of texts) {
    let at = grown.length - 1;
    while (at >= 0 && grown[at]?.type !== PARTS[type]) at--;
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
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: part.text + text };
    case "tool_call":
      return { ...part, arguments: JSON.stringify(part.arguments + text) }; // a fragment is no JSON of its own
    case "tool_result":
      return { ...part, output: part.output + text };
    case "file_ref":
    case "image":
    case "json":
    case "status":
      return part;
  }
}
