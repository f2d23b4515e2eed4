import type {
  ContentPart,
  DataOf,
  DeltaPart,
  ErrorData,
  ItemKind,
  ItemRole,
  ItemStatus,
  PermissionData,
  QuestionData,
  TurnEndMetadata,
  TurnStartMetadata,
  UniversalEvent,
  UniversalEventType,
  UniversalItem,
} from "../../src/universal/events.ts";

/** The wall time of the first event of a script. Each event comes one ms after the event before. */
export const START = Date.UTC(2026, 1, 10, 9, 0, 0);

const ROLES: Readonly<Record<ItemKind, ItemRole | null>> = {
  message: "assistant",
  tool_call: "assistant",
  tool_result: "tool",
  system: "system",
  status: null,
  unknown: null,
};

/** A type of events, and its data. */
type Said = { [Type in UniversalEventType]: readonly [Type, DataOf<Type>] }[UniversalEventType];

type ItemFields = Partial<Omit<UniversalItem, "item_id">>;

/** The text of an item's content. */
const text = (value: string): ContentPart => ({ type: "text", text: value });

/**
 * Writes the events of one session: ids, sequences and times are right by themselves, and an item is completed with the content of its deltas.
 * What follows what is up to the test.
 */
export class Script {
  readonly events: UniversalEvent[] = [];
  readonly sessionId: string;
  readonly #items = new Map<string, UniversalItem>();
  #turns = 0;
  #turn = "";
  #calls = 0;
  #sequence = 0;
  readonly #start: number;

  constructor(sessionId = "ses_1", start = START) {
    this.sessionId = sessionId;
    this.#start = start;
  }

  /** Adds any event. */
  add(...[type, data]: Said): this {
    const sequence = ++this.#sequence;
    this.events.push({
      event_id: `evt_${sequence}`,
      sequence,
      time: new Date(this.#start + sequence - 1).toISOString(),
      session_id: this.sessionId,
      native_session_id: "native",
      synthetic: false,
      source: "agent",
      type,
      data,
      raw: null,
    } as UniversalEvent);
    return this;
  }

  /** The events that did not arrive. */
  skip(events: number): this {
    this.#sequence += events;
    return this;
  }

  session(metadata: unknown = { protocol: "mock" }): this {
    return this.add("session.started", { metadata });
  }

  sessionEnded(data: Partial<DataOf<"session.ended">> = {}): this {
    return this.add("session.ended", { reason: "completed", terminated_by: "agent", ...data });
  }

  /** Starts a turn, with a prompt if one is given. */
  turn(prompt?: string, metadata?: TurnStartMetadata): this {
    this.#turn = `trn_${++this.#turns}`;
    this.add("turn.started", { phase: "started", turn_id: this.#turn, ...(metadata ? { metadata } : {}) });
    if (prompt !== undefined) this.user([text(prompt)]);
    return this;
  }

  get turnId(): string {
    return this.#turn;
  }

  turnEnded(metadata: Partial<TurnEndMetadata> = {}): this {
    return this.add("turn.ended", {
      phase: "ended",
      turn_id: this.#turn,
      metadata: { status: "completed", ...metadata },
    });
  }

  user(content: readonly ContentPart[]): this {
    this.item({ kind: "message", role: "user", content });
    return this;
  }

  /** Starts an item, and gives its id. */
  start(fields: ItemFields = {}): string {
    const kind = fields.kind ?? "message";
    const item: UniversalItem = {
      native_item_id: null,
      parent_id: null,
      kind,
      role: ROLES[kind],
      content: [],
      status: "in_progress",
      ...fields,
      item_id: `itm_${this.#items.size + 1}`,
    };
    this.#items.set(item.item_id, item);
    this.add("item.started", { item });
    return item.item_id;
  }

  delta(itemId: string, delta: string, type: DeltaPart["type"] = "text"): this {
    const item = this.#items.get(itemId);
    const part: DeltaPart = type === "reasoning" ? { type, visibility: "public" } : { type };
    if (item) this.#items.set(itemId, { ...item, content: longer(item.content, delta, type) });
    return this.add("item.delta", { item_id: itemId, native_item_id: null, delta, part });
  }

  complete(itemId: string, fields: ItemFields = {}): this {
    const item = this.#items.get(itemId);
    if (!item) throw new Error(`the script has not started ${itemId}`);
    const completed: UniversalItem = { ...item, status: "completed", ...fields };
    this.#items.set(itemId, completed);
    return this.add("item.completed", { item: completed });
  }

  /** An item that starts and completes with the same content. */
  item(fields: ItemFields, status: ItemStatus = "completed"): string {
    const id = this.start(fields);
    this.complete(id, { status });
    return id;
  }

  /** A message that comes in pieces. */
  message(
    pieces: readonly string[],
    { type = "text", parent = null }: { type?: "text" | "reasoning"; parent?: string | null } = {},
  ): string {
    const id = this.start({ parent_id: parent });
    for (const piece of pieces) this.delta(id, piece, type);
    this.complete(id);
    return id;
  }

  /** A call, without its result. Gives the ids of the item and of the call. */
  call(
    name = "read_file",
    input: unknown = {},
    { parent = null, callId }: { parent?: string | null; callId?: string } = {},
  ): { readonly item: string; readonly call: string } {
    const call = callId ?? `call_${++this.#calls}`;
    const content: ContentPart[] = [
      { type: "tool_call", name, arguments: JSON.stringify(input), call_id: call },
    ];
    const item = this.item({ kind: "tool_call", native_item_id: call, parent_id: parent, content });
    return { item, call };
  }

  /** The result of a call: starts, streams and completes. */
  result(
    { item, call }: { readonly item: string; readonly call: string },
    output = "ok",
    {
      pieces = [],
      status = "completed",
      more = [],
    }: {
      pieces?: readonly string[];
      status?: "completed" | "failed";
      more?: readonly ContentPart[];
    } = {},
  ): string {
    const id = this.start({ kind: "tool_result", native_item_id: call, parent_id: item });
    for (const piece of pieces) this.delta(id, piece, "tool_output");
    this.complete(id, { status, content: [{ type: "tool_result", call_id: call, output }, ...more] });
    return id;
  }

  /** A call with its result. */
  tool(name = "read_file", input: unknown = {}, output = "ok", parent: string | null = null): string {
    const ids = this.call(name, input, { parent });
    this.result(ids, output);
    return ids.item;
  }

  status(label: string, detail: string | null = null, json?: unknown): string {
    const content: ContentPart[] = [{ type: "status", label, detail }];
    if (json !== undefined) content.push({ type: "json", json });
    return this.item({ kind: "status", content });
  }

  /** Starts the item of a sub-agent. */
  subagent(type: string, name: string | null = null, parent: string | null = null): string {
    const content: ContentPart[] = [{ type: "status", label: `subagent:${type}`, detail: name }];
    return this.start({ kind: "status", parent_id: parent, content });
  }

  permission(status: PermissionData["status"], data: Partial<PermissionData> = {}): this {
    const type = status === "requested" ? "permission.requested" : "permission.resolved";
    return this.add(type, { permission_id: "prm_1", action: "read_file", metadata: null, ...data, status });
  }

  question(status: QuestionData["status"], data: Partial<QuestionData> = {}): this {
    const type = status === "requested" ? "question.requested" : "question.resolved";
    return this.add(type, {
      question_id: "qst_1",
      prompt: "Commit?",
      options: ["Yes", "No"],
      response: null,
      ...data,
      status,
    });
  }

  error(message: string, data: Partial<ErrorData> = {}): this {
    return this.add("error", { message, code: null, details: null, ...data });
  }
}

function longer(
  content: readonly ContentPart[],
  delta: string,
  type: DeltaPart["type"],
): readonly ContentPart[] {
  const last = content.at(-1);
  const before = content.slice(0, -1);
  switch (type) {
    case "text":
      return last?.type === "text"
        ? [...before, { type, text: last.text + delta }]
        : [...content, { type, text: delta }];
    case "reasoning":
      return last?.type === "reasoning"
        ? [...before, { ...last, text: last.text + delta }]
        : [...content, { type, text: delta, visibility: "public" }];
    case "tool_arguments":
      return last?.type === "tool_call"
        ? [...before, { ...last, arguments: last.arguments + delta }]
        : content;
    case "tool_output":
      return content;
  }
}
