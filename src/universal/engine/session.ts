// The rules of a session for every backend: turns, statuses, errors. Everything that opens also closes.
import type { Answers, Question, Ruling, ToolCall } from "../../core/values.ts";
import type {
  ContentPart,
  ErrorData,
  ItemKind,
  ItemRole,
  Json,
  ResolvedReason,
  SessionEndedData,
  TurnEndMetadata,
  TurnStartMetadata,
  Visibility,
} from "../events.ts";
import type { UserInput } from "../facts.ts";
import { type CallEnd, type CallReport, Calls } from "./calls.ts";
import { finiteJson, type ToolOutputContent } from "./content.ts";
import type { AgentKey, SessionSetup, Stated, SubagentStart } from "./items.ts";
import { Agents, Envelopes, Items } from "./items.ts";
import { type ApprovalDetails, Requests } from "./requests.ts";

/** Unreadable messages that a turn reports. Further ones are only counted, to limit the transcript. */
export const MAX_UNPARSED = 20;

/** How a turn ends. */
export interface TurnClose {
  readonly metadata: TurnEndMetadata;
  /** Whether a message of the backend ended the turn. */
  readonly stated: Stated;
  /** The reason for requests that still wait. */
  readonly reason: ResolvedReason;
  readonly error?: Omit<ErrorData, "turn_id"> | undefined;
  /** Set if the session ends with the turn. */
  readonly session?: SessionEndedData;
  /** The message that ended the turn, if no event contains it. */
  readonly raw?: Json | undefined;
}

/** The fields of a status besides label and detail. */
export interface StatusDetails {
  readonly json?: Json;
  readonly stated?: Stated;
  readonly status?: "completed" | "failed";
  readonly agent?: AgentKey;
}

/** The running turn. */
interface OpenTurn {
  readonly id: string;
  /** The client's id. Undefined for work without a prompt. */
  readonly nativeId: string | undefined;
  readonly agents: Agents;
  readonly calls: Calls;
}

/**
 * The state of one universal session, and the rules that hold for every backend: what opens, closes. Each method keeps the order of
 * events that the schema demands, so no mapping can break it.
 *
 *     new ──open()──▶ between turns ──begin()──▶ in a turn ──end()──▶ between turns
 *                        └───────────────close()──────┴──▶ ended
 */
export class Session {
  readonly #visibility: Visibility;
  readonly #envelopes: Envelopes;
  readonly #items: Items;
  /** @internal */
  readonly requests: Requests;
  #state: "new" | "open" | "ended" = "new";
  #turn: OpenTurn | undefined;
  #turns = 0;
  #unparsed = 0;
  /** Number of messages for turns that have ended. */
  late = 0;
  /** Statuses of no turn, by label. They wait for the end of the running turn. */
  readonly #besides = new Map<string, readonly [detail: string | null, json: Json]>();

  constructor(setup: SessionSetup) {
    this.#visibility = setup.visibility;
    this.#envelopes = new Envelopes(setup);
    this.#items = new Items(this.#envelopes);
    this.requests = new Requests(this.#envelopes);
  }

  get isEnded(): boolean {
    return this.#state === "ended";
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get hasTurn(): boolean {
    return this.#turn !== undefined;
  }

  /** The client's id of the running turn. */
  get nativeTurnId(): string | undefined {
    return this.#turn?.nativeId;
  }

  get nativeSessionId(): string | null {
    return this.#envelopes.nativeSessionId;
  }

  /** Whether the running turn has no prompt. */
  get isUnsolicited(): boolean {
    return this.#turn !== undefined && this.#turn.nativeId === undefined;
  }

  /** An input begins. `raw` is its message. */
  input(raw: Json | null): void {
    this.#envelopes.begin();
    this.#envelopes.raw = raw;
  }

  open(metadata: Readonly<Record<string, unknown>>, stated: Stated): void {
    if (this.#state !== "new") return;
    this.#state = "open";
    this.#envelopes.emit("session.started", { metadata }, stated);
  }

  /** Sets the backend's id of the session. */
  known(nativeSessionId: string | undefined): void {
    if (typeof nativeSessionId === "string") this.#envelopes.nativeSessionId = nativeSessionId;
  }

  close(data: SessionEndedData): void {
    const wasOpen = this.#state === "open";
    this.#state = "ended";
    if (!wasOpen) return;
    this.end({ metadata: { status: "cancelled" }, stated: "inferred", reason: "cancelled" });
    const metadata = { ...(data.metadata as object | undefined), late_frames: this.late };
    this.#envelopes.emit("session.ended", this.late === 0 ? data : { ...data, metadata }, data.terminated_by);
  }

  begin(nativeId: string | undefined, metadata: TurnStartMetadata): void {
    this.#turns++;
    const turn_id = `trn_${this.#turns}`;
    const agents = new Agents(this.#items, this.#visibility);
    this.#turn = { id: turn_id, nativeId, agents, calls: new Calls(this.#items, agents) };
    this.#unparsed = 0;
    this.#envelopes.emit("turn.started", { phase: "started", turn_id, metadata }, "inferred");
  }

  /** Ends the turn: resolves its requests, completes its items, then emits the error and the end. */
  end({ metadata, stated, reason, error }: TurnClose): void {
    const turn = this.#turn;
    if (!turn) return;
    this.requests.refuseAll(reason);
    turn.calls.finish();
    this.#items.completeAll(stated, metadata.status === "completed" ? "completed" : "failed");
    if (error) this.#envelopes.emit("error", { ...error, turn_id: turn.id }, stated);
    const unparsed = this.#unparsed > MAX_UNPARSED ? { unparsed_count: this.#unparsed } : {};
    const ended = { ...metadata, ...unparsed };
    this.#envelopes.emit("turn.ended", { phase: "ended", turn_id: turn.id, metadata: ended }, stated);
    this.#turn = undefined;
    this.#unparsed = 0;
    for (const [label, [detail, json]] of this.#besides) this.status(label, detail, { json });
    this.#besides.clear();
  }

  /** The running turn. Work without a prompt opens a turn. */
  #working(): OpenTurn {
    if (!this.#turn) this.begin(undefined, { unsolicited: true });
    const turn = this.#turn;
    if (!turn) throw new Error("the turn that has just begun is not open");
    return turn;
  }

  user({ text, images = [], files = [] }: UserInput): void {
    const pictures = images.map(({ path, mime }): ContentPart => ({ type: "image", path, mime }));
    const named = files.map((path): ContentPart => ({ type: "file_ref", path, action: "read", diff: null }));
    const words: readonly ContentPart[] = text === "" && images.length > 0 ? [] : [{ type: "text", text }];
    this.#whole("message", "user", [...words, ...pictures, ...named], "inferred");
  }

  text(agent: AgentKey, delta: string, stated: Stated = "agent"): void {
    if (delta !== "") this.#working().agents.say(agent, delta, false, stated);
  }

  /** Adds streamed text. Blank text waits for the agent's next text; a tool call drops it. */
  chunk(agent: AgentKey, delta: string, stated: Stated = "agent"): void {
    if (delta.trim() === "" && this.#working().agents.hold(agent, delta)) return;
    this.text(agent, delta, stated);
  }

  reasoning(agent: AgentKey, delta: string, stated: Stated = "agent"): void {
    if (delta !== "") this.#working().agents.say(agent, delta, true, stated);
  }

  /** Ends the agent's text or reasoning. */
  pause(agent: AgentKey, stated?: Stated): void {
    this.#turn?.agents.pause(agent, stated);
  }

  /** The backend restarts: ends all text and reasoning. */
  pauseAll(): void {
    this.#turn?.agents.pauseAll();
  }

  /** Adds a whole answer: its text as one delta, then `parts`. Returns the id of the item. */
  answer(text: string, parts: readonly ContentPart[], stated: Stated): string {
    this.#working().agents.pause(undefined);
    const item = this.#items.startText(null);
    if (text !== "") this.#items.grow(item, text, "inferred");
    this.#items.complete(item, stated, "completed", text === "" ? parts : [{ type: "text", text }, ...parts]);
    return item.head.item_id;
  }

  /** Adds a status item. */
  status(
    label: string,
    detail: string | null,
    { json, stated = "agent", status = "completed", agent }: StatusDetails = {},
  ): void {
    const part: ContentPart = { type: "status", label, detail };
    const content = json === undefined ? [part] : [part, { type: "json", json: finiteJson(json) } as const];
    this.#whole("status", null, content, stated, this.#turn?.agents.itemOf(agent), status);
  }

  /** Adds a status of no turn. During a turn it waits for the turn's end; the last of each label counts. */
  beside(label: string, detail: string | null, json?: Json): void {
    if (this.#turn) this.#besides.set(label, [detail, json]);
    else this.status(label, detail, { json });
  }

  /** Adds a system message, inside or outside of a turn. */
  system(text: string, stated: Stated = "agent"): void {
    this.#whole("system", "system", [{ type: "text", text }], stated);
  }

  /** Adds a whole assistant message, such as speech. Opens no turn. */
  message(content: readonly ContentPart[], parentId: string | null, stated: Stated = "agent"): void {
    this.#whole("message", "assistant", content, stated, parentId);
  }

  /** Adds a well-formed message of an unknown type. */
  unknown(json: Json, stated: Stated = "agent"): void {
    this.#whole("unknown", null, [{ type: "json", json: finiteJson(json) }], stated);
  }

  error(error: Omit<ErrorData, "turn_id">, stated: Stated = "agent"): void {
    if (typeof error.message !== "string") throw new TypeError("an error without a message");
    this.#envelopes.emit("error", this.#turn ? { ...error, turn_id: this.#turn.id } : error, stated);
  }

  /** Reports an unreadable message. `location`: such as `frame`. */
  unparsed(error: string, location: string): void {
    this.#unparsed++;
    if (this.#unparsed > MAX_UNPARSED) return;
    this.#envelopes.emit("agent.unparsed", { error, location, raw_hash: null }, "inferred");
  }

  startSubagent(start: SubagentStart, stated: Stated = "agent"): void {
    this.#working().agents.start(start, stated);
  }

  finishSubagent(key: AgentKey, stated: Stated = "agent"): void {
    this.#turn?.agents.finish(key, stated);
  }

  isSubagent(key: AgentKey): boolean {
    return this.#turn?.agents.isOpen(key) ?? false;
  }

  call(report: CallReport, stated: Stated = "agent"): void {
    this.#working().calls.announce(report, stated);
  }

  /** A call whose input may still change. It is announced with its next report, or at the end of the turn. */
  holdCall(report: CallReport): void {
    this.#working().calls.hold(report);
  }

  /** Adds a piece of a call's arguments. `null`: no call follows. */
  callInput(report: CallReport, delta: string | null): void {
    this.#working().calls.write(report, delta);
  }

  /** This machine runs a call. The backend may have announced the call under another id. */
  ownCall(report: CallReport, stated: Stated = "agent"): void {
    this.#working().calls.link(report, stated);
  }

  hasCall(id: string): boolean {
    return this.#turn?.calls.has(id) ?? false;
  }

  /** The call continues or is over: the backend has decided a request that still waits. */
  decidedElsewhere(id: string, decision: Ruling["decision"]): void {
    this.requests.decidedFor(this.#turn?.calls.idOf(id) ?? id, decision);
  }

  startCall(id: string, stated: Stated = "agent"): void {
    this.decidedElsewhere(id, "once");
    this.#turn?.calls.start(id, stated);
  }

  callOutput(id: string, delta: string, stated: Stated = "agent"): void {
    this.decidedElsewhere(id, "once");
    this.#turn?.calls.output(id, delta, stated);
  }

  endCall(
    id: string,
    content: ToolOutputContent,
    state: CallEnd,
    stated: Stated = "agent",
    name?: string,
  ): void {
    this.decidedElsewhere(id, state === "done" ? "once" : "reject");
    this.#working().calls.end(id, content, state, stated, name);
  }

  /** A call was denied here. If the backend does not confirm the denial, the turn's end ends the call. */
  deniedCall(id: string, content: ToolOutputContent): void {
    this.#turn?.calls.deny(id, content);
  }

  permission(call: ToolCall, metadata: ApprovalDetails["metadata"], stated: Stated): void {
    const { calls } = this.#working();
    const item = calls.itemOf(call.id);
    const of = item ? { item_id: item.item_id, call_id: calls.idOf(call.id) } : {};
    const nativeId = calls.nativeIdOf(call.id);
    this.requests.permission(call, { ...of, nativeId, ...(metadata ? { metadata } : {}) }, stated);
  }

  decided(id: string, ruling: Omit<Ruling, "by">, reason: ResolvedReason): void {
    this.requests.decided(id, ruling, reason);
  }

  question(question: Question, callId: string | undefined, stated: Stated): void {
    const { calls } = this.#working();
    const of =
      callId === undefined ? {} : { call_id: calls.idOf(callId), nativeId: calls.nativeIdOf(callId) };
    this.requests.question(question, of, stated);
  }

  answered(id: string, answers: Answers, reason: ResolvedReason, stated: Stated): void {
    this.requests.answered(id, answers, reason, stated);
  }

  #whole(
    kind: ItemKind,
    role: ItemRole | null,
    content: readonly ContentPart[],
    stated: Stated,
    parent_id: string | null = null,
    status?: "completed" | "failed",
  ): void {
    this.#items.whole({ native_item_id: null, parent_id, kind, role, content }, stated, status);
  }
}
