import type { AnyAgentwireError } from "../core/errors.ts";
import type { TurnResult } from "../core/turn/turn.ts";
import type { AnyEvent, PendingRequest, SettledRequest, TurnToolCall } from "../core/values.ts";
import { finiteJson, type ToolOutputContent, toJsonText } from "./content.ts";
import type { Stated } from "./envelope.ts";
import type { Json, ResolvedReason, TurnEndMetadata, UniversalEvent, Visibility } from "./events.ts";
import type { Fact, TurnEnd, UserInput } from "./facts.ts";
import type { Mapping } from "./mapping.ts";
import { reasonOf } from "./requests.ts";
import { Session, type TurnClose } from "./session.ts";

export interface NormaliserOptions {
  readonly sessionId: string;
  /** ms since the epoch. */
  readonly wallTime: () => number;
  /** @default false */
  readonly includeRaw?: boolean;
  /** @default "public" */
  readonly reasoningVisibility?: Visibility;
  /** What `session.started` says besides the protocol. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** An end of a turn that was never sent, told while another turn runs. */
interface Postponed {
  readonly turnId: string;
  readonly end: TurnEnd;
  readonly input: UserInput | undefined;
}

const NOTHING: readonly UniversalEvent[] = [];

/**
 * Makes the universal events of one session from what the backend said and what happened here. Synchronous, without I/O, timers or
 * chance: the same facts, times and ids give the same events. Never throws: what cannot be handled becomes `agent.unparsed`.
 */
export class Normaliser<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> {
  readonly #mapping: Mapping<Event, Result>;
  readonly #options: NormaliserOptions;
  readonly #session: Session;
  #told: UniversalEvent[] = [];
  /** Calls whose decision was made by the backend: the next state of the call says which. */
  readonly #elsewhere = new Set<string>();
  readonly #postponed: Postponed[] = [];
  /** What `opened` has said before the session began. */
  #opening: Readonly<Record<string, unknown>> = {};

  constructor(mapping: Mapping<Event, Result>, options: NormaliserOptions) {
    const { sessionId, wallTime, reasoningVisibility = "public" } = options;
    this.#mapping = mapping;
    this.#options = options;
    this.#session = new Session({
      sessionId,
      wallTime,
      visibility: reasoningVisibility,
      emit: (event) => void this.#told.push(event),
    });
  }

  /** Whether the session has ended. Later facts say nothing. */
  get isEnded(): boolean {
    return this.#session.isEnded;
  }

  /** Whether work without a prompt is under way, which `quiet` would end. */
  get isUnsolicited(): boolean {
    return this.#session.hasTurn && this.#session.nativeTurnId === undefined;
  }

  /** Handles one fact. Returns the events that follow from it. */
  push(fact: Fact<Event, Result>): readonly UniversalEvent[] {
    const session = this.#session;
    if (session.isEnded) return NOTHING;
    session.input(this.#rawOf(fact));
    try {
      this.#handle(fact);
    } catch (error) {
      if (session.isOpen) session.unparsed(wordsOf(error), `${this.#mapping.protocol}/${fact.type}`);
    }
    const told = this.#told;
    if (told.length === 0) return NOTHING;
    this.#told = [];
    return told;
  }

  #rawOf(fact: Fact<Event, Result>): unknown {
    if (this.#options.includeRaw !== true) return null;
    if (fact.type === "call") return fact.call.raw;
    if (fact.type === "notice") return fact.value;
    if (fact.type !== "event" && fact.type !== "stray") return null;
    return this.#mapping.rawOf ? this.#mapping.rawOf(fact.event) : fact.event;
  }

  #handle(fact: Fact<Event, Result>): void {
    const session = this.#session;
    switch (fact.type) {
      case "opened":
        session.known(fact.nativeSessionId);
        this.#opening = { ...this.#opening, ...fact.metadata };
        this.#open(fact.isNative ? "agent" : "inferred");
        return;
      case "event":
        if (this.#isOfTurn(fact.turnId)) this.#mapping.event(fact.event, session);
        else session.late++;
        return;
      case "call":
        if (this.#isOfTurn(fact.turnId)) this.#onCall(fact.call);
        return;
      case "sent":
        this.#begin(fact.turnId, fact.input, fact.metadata);
        return;
      case "stray":
        this.#open("inferred");
        this.#mapping.event(fact.event, session);
        return;
      case "asked":
        if (fact.turnId === undefined || this.#isOfTurn(fact.turnId)) this.#onAsked(fact.request);
        return;
      case "settled":
        if (fact.turnId === undefined || this.#isOfTurn(fact.turnId)) this.#onSettled(fact.request);
        return;
      case "recovering":
        if (this.#isOfTurn(fact.turnId)) session.status("recovering", null, { stated: "daemon" });
        return;
      case "ended":
        this.#onEnded(fact);
        return;
      case "notice":
        this.#open("inferred");
        this.#mapping.notice?.(fact.name, fact.value, session);
        return;
      case "warning":
        this.#onWarning(fact.warning.kind, fact.warning.message);
        return;
      case "disconnected":
        if (session.isOpen) session.status("connection.lost", fact.error.message, { stated: "daemon" });
        return;
      case "retrying":
        if (!session.isOpen) return;
        session.status("connection.retrying", `attempt ${fact.attempt}`, {
          stated: "daemon",
          json: { attempt: fact.attempt, delay_ms: Math.round(fact.delay) },
        });
        return;
      case "reconnected":
        if (session.isOpen) session.status("connection.restored", null, { stated: "daemon" });
        return;
      case "quiet":
        if (this.isUnsolicited && !session.requests.hasOpen) this.#endUnsolicited();
        return;
      case "lost":
        this.#endOpen({ status: "failed" }, "disconnected", lostData(fact.error));
        session.close({ reason: "error", terminated_by: "daemon", message: fact.error.message });
        return;
      case "done":
        session.close(fact.data);
        return;
      case "missed":
        if (!this.#isOfTurn(fact.turnId)) return;
        session.text(undefined, fact.text, "inferred");
        for (const call of fact.calls) this.#onCall(call);
        return;
      case "closed":
        session.close({ reason: "terminated", terminated_by: "daemon" });
        return;
      default:
        fact satisfies never;
    }
  }

  #open(stated: Stated): void {
    if (this.#session.isOpen) return;
    const { metadata } = this.#options;
    this.#session.open({ protocol: this.#mapping.protocol, ...metadata, ...this.#opening }, stated);
  }

  /** Whether a fact is about the turn that runs. Facts about other turns are late. */
  #isOfTurn(turnId: string): boolean {
    return this.#session.hasTurn && this.#session.nativeTurnId === turnId;
  }

  #begin(turnId: string, input: UserInput, metadata: Readonly<Record<string, unknown>> | undefined): void {
    this.#open("inferred");
    if (this.isUnsolicited) this.#endUnsolicited();
    else this.#endOpen({ status: "failed" }, "cancelled", undefined); // the client runs one turn at a time
    this.#mapping.began?.(turnId);
    this.#elsewhere.clear();
    this.#session.begin(turnId, { native_turn_id: turnId, ...metadata });
    this.#session.user(input);
  }

  #endUnsolicited(): void {
    this.#session.end({ metadata: { status: "completed" }, stated: "inferred", reason: "cancelled" });
  }

  #endOpen(metadata: TurnEndMetadata, reason: ResolvedReason, error: TurnClose["error"]): void {
    if (!this.#session.hasTurn) return;
    this.#session.end({ metadata, stated: "inferred", reason, ...(error ? { error } : {}) });
  }

  // --- tools and requests ---

  #onCall(call: TurnToolCall): void {
    const session = this.#session;
    const { isOwn = false, ...facts } = this.#mapping.call?.(call) ?? {};
    const { id, name, input } = call;
    if (isOwn) session.ownCall({ id, name, input, ...facts });
    else session.call({ id, name, input, ...facts });
    const stated: Stated = isOwn ? "daemon" : "agent";
    switch (call.state) {
      case "requested":
      case "awaiting":
      case "abandoned": // the end of the turn completes what is open
        return;
      case "approved":
      case "running":
        this.#decidedElsewhere(id, true);
        if (call.state === "running")
          session.startCall(id, isOwn || call.startInferred ? "inferred" : stated);
        return;
      case "done":
        this.#decidedElsewhere(id, true);
        session.endCall(id, this.#outputOf(call), "completed", stated, name);
        return;
      case "failed":
      case "denied":
        this.#decidedElsewhere(id, false);
        session.endCall(id, this.#outputOf(call), "failed", stated, name);
        return;
      default:
        call.state satisfies never;
    }
  }

  #outputOf(call: TurnToolCall): ToolOutputContent {
    if (call.state === "denied") {
      return { output: denialOf(call), parts: [] };
    }
    if (this.#mapping.output) return this.#mapping.output(call);
    return defaultOutput(call);
  }

  #decidedElsewhere(id: string, isAllowed: boolean): void {
    if (this.#elsewhere.delete(id)) this.#session.decided(id, isAllowed ? "once" : "reject", "policy");
  }

  #onAsked(request: PendingRequest): void {
    const session = this.#session;
    this.#open("inferred");
    if (request.type === "approval") {
      const { call } = request;
      const { id, name, input } = call;
      if (!session.hasCall(id)) session.ownCall({ id, name, input });
      session.permission(
        call,
        this.#mapping.approval?.(call),
        this.#mapping.asksOnWire ? "agent" : "inferred",
      );
      return;
    }
    const { question } = request;
    const callId = this.#mapping.callOf ? this.#mapping.callOf(question) : question.id;
    session.question(question, callId, "agent");
  }

  #onSettled(request: SettledRequest): void {
    const session = this.#session;
    if (!session.requests.wasTold(request.id)) this.#onAsked(request); // a rule has decided it at once
    if (request.type === "question") {
      const { answers, by } = request.reply;
      session.answered(request.id, answers, reasonOf(by), by === "elsewhere" ? "agent" : "inferred");
      return;
    }
    const { decision, by } = request.ruling;
    if (by === "elsewhere") this.#elsewhere.add(request.id);
    else session.decided(request.id, decision, reasonOf(by));
  }

  // --- ends ---

  #onEnded({
    turnId,
    end,
    input,
  }: {
    readonly turnId: string;
    readonly end: TurnEnd<Result>;
    readonly input?: UserInput;
  }): void {
    const session = this.#session;
    if (session.nativeTurnId !== turnId || !session.hasTurn) {
      if (!input) return;
      if (session.hasTurn && !this.isUnsolicited) {
        this.#postponed.push({ turnId, end, input });
        return;
      }
      this.#begin(turnId, input, undefined);
    }
    this.#end(end);
    const postponed = this.#postponed.splice(0);
    for (const next of postponed) {
      this.#begin(next.turnId, next.input ?? { text: "" }, undefined);
      this.#end(next.end as TurnEnd<Result>);
    }
  }

  #end(end: TurnEnd<Result>): void {
    const session = this.#session;
    switch (end.status) {
      case "completed": {
        const { metadata, stated = "agent", raw } = this.#mapping.completed(end.result, session);
        this.#show(raw);
        session.end({ metadata: { status: "completed", ...metadata }, stated, reason: "cancelled" });
        return;
      }
      case "cancelled":
        session.end({ metadata: { status: "cancelled" }, stated: "inferred", reason: "cancelled" });
        return;
      case "failed":
        session.end(this.#failure(end.error));
        return;
      default:
        end satisfies never;
    }
  }

  /** The message that ended the turn goes out with the next event that a message states. */
  #show(raw: Json | undefined): void {
    if (raw !== undefined && this.#options.includeRaw === true) this.#session.input(raw);
  }

  #failure(error: AnyAgentwireError): TurnClose {
    const { errorPrefix } = this.#mapping;
    const metadata: TurnEndMetadata = { status: "failed" };
    const { message, retryable } = error;
    switch (error.code) {
      case "closed":
        return { metadata: { status: "cancelled" }, stated: "inferred", reason: "cancelled" };
      case "connection-lost":
      case "context-lost":
        return { metadata, stated: "inferred", reason: "disconnected", error: lostData(error) };
      case "turn-timeout": {
        const details = { kind: error.kind, timeout_ms: error.timeout, ...deliveryOf(error) };
        const data = { message, code: "timeout", details };
        return {
          metadata,
          stated: "inferred",
          reason: "timeout",
          error: { ...data, fatal: false, retryable },
        };
      }
      default: {
        const facts = this.#mapping.failed?.(error);
        this.#show(facts?.raw);
        const reason = facts?.reason ?? error.code.replaceAll("-", "_");
        const details = { ...facts?.details, ...deliveryOf(error) };
        const data = { message, code: `${errorPrefix}.${reason}`, details: orNull(details) };
        return {
          metadata: { ...metadata, ...facts?.metadata },
          stated: facts ? (facts.stated ?? "agent") : "inferred",
          reason: "cancelled",
          error: { ...data, fatal: false, retryable, ...facts?.data },
        };
      }
    }
  }

  #onWarning(kind: string, message: string): void {
    if (!UNREADABLE.has(kind)) return; // what a listener or a callback did is no event of the agent
    this.#open("inferred");
    this.#session.unparsed(message, `${this.#mapping.protocol}/${kind}`);
  }
}

/** The warnings about a message that could not be read. */
const UNREADABLE: ReadonlySet<string> = new Set([
  "unreadable-frame",
  "invalid-message",
  "frame-failed",
  "unparsed-line",
  "line-too-long",
  "line-failed",
]);

/** The words of a denial: its reason alone may not say that the call was denied. */
function denialOf({ deniedBy, error, reason }: TurnToolCall): string {
  const why = error ?? reason;
  if (why !== undefined && /\bdenied\b/i.test(why)) return why;
  const denied = deniedBy === undefined ? "Denied" : `Denied by the ${deniedBy}`;
  return why === undefined ? `${denied}.` : `${denied}: ${why}`;
}

function defaultOutput({ output, error, state }: TurnToolCall): ToolOutputContent {
  if (state === "failed" && error !== undefined && typeof output !== "string")
    return { output: error, parts: output === undefined ? [] : [{ type: "json", json: finiteJson(output) }] };
  if (output === undefined) return { output: "", parts: [] };
  if (typeof output === "string")
    return { output: state === "failed" ? (error ?? output) : output, parts: [] };
  return { output: toJsonText(output), parts: [{ type: "json", json: finiteJson(output) }] };
}

function lostData(error: AnyAgentwireError): NonNullable<TurnClose["error"]> {
  const { message, code } = error;
  const details = { ...(code === "context-lost" ? { context_lost: true } : {}), ...deliveryOf(error) };
  return { message, code: "connection.lost", details: orNull(details), fatal: false, retryable: true };
}

/** Whether the prompt can have reached the backend: a user interface asks before it sends the prompt again. */
function deliveryOf({ delivery }: AnyAgentwireError): { readonly delivery?: string } {
  return delivery === undefined ? {} : { delivery };
}

function orNull(details: object): object | null {
  return Object.keys(details).length === 0 ? null : details;
}

/** The message of a thrown value. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
