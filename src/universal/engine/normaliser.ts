import { type AnyAgentwireError, said } from "../../core/errors.ts";
import type { TurnResult } from "../../core/turn/turn.ts";
import type { AnyEvent } from "../../core/values.ts";
import type { ResolvedReason, SessionEndedData, TurnEndMetadata, UniversalEvent } from "../events.ts";
import type { Fact, TurnEnd, UserInput } from "../facts.ts";
import type { CompletedFacts, Mapping } from "../mapping.ts";
import { onConnection } from "./connection-facts.ts";
import type { Stated } from "./envelope.ts";
import { failureOf, lostData } from "./failure.ts";
import type { NormaliserOptions } from "./normaliser-options.ts";
import { Session } from "./session.ts";
import type { TurnClose } from "./session-details.ts";
import { onAsked, onCall, onSettled } from "./tool-facts.ts";
import { UNREADABLE } from "./unreadable.ts";

/** The end of a turn that was never sent, told while another turn runs. */
interface Postponed<Result extends TurnResult> {
  readonly turnId: string;
  readonly end: TurnEnd<Result>;
  readonly input: UserInput;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Turns that are remembered, so that a fact that comes twice begins no turn again. */
const MAX_REMEMBERED = 1_000;

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
  /** The last turns that have begun. */
  readonly #over = new Set<string>();
  readonly #postponed: Postponed<Result>[] = [];
  /** What `opened` has said before the session began. */
  #opening: Readonly<Record<string, unknown>> = {};
  /** The first turn, until the backend has said something. */
  #held: Extract<Fact, { readonly type: "sent" }> | undefined;
  /** Whether the first turn is held back. */
  readonly #holds: boolean;
  /** Whether a status item has told what the backend says of its session. */
  #isStartTold = false;

  constructor(mapping: Mapping<Event, Result>, options: NormaliserOptions) {
    const { sessionId, wallTime, reasoningVisibility = "public", eagerStart = false } = options;
    this.#holds = mapping.opens !== undefined && !eagerStart;
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
    return this.#session.isUnsolicited;
  }

  /** Handles one fact. Returns the events that follow from it. */
  push(fact: Fact<Event, Result>): readonly UniversalEvent[] {
    const session = this.#session;
    if (session.isEnded) return NOTHING;
    try {
      session.input(this.#rawOf(fact));
      this.#handle(fact);
    } catch (error) {
      this.#threw(error, fact.type);
    }
    const told = this.#told;
    if (told.length === 0) return NOTHING;
    this.#told = [];
    return told;
  }

  #rawOf(fact: Fact<Event, Result>): unknown {
    if (this.#options.includeRaw !== true) return null;
    if (fact.type === "call") return this.#session.hasCall(fact.call.id) ? null : fact.call.raw; // `raw` is the call's first message
    if (fact.type === "notice")
      return this.#mapping.rawOfNotice ? this.#mapping.rawOfNotice(fact.name, fact.value) : fact.value;
    if (fact.type !== "event" && fact.type !== "stray") return null;
    return this.#mapping.rawOf ? this.#mapping.rawOf(fact.event) : fact.event;
  }

  #handle(fact: Fact<Event, Result>): void {
    const session = this.#session;
    if (this.#held && !isBeside(fact)) this.#release(this.#held, fact);
    switch (fact.type) {
      case "opened":
        session.known(fact.nativeSessionId);
        this.#opening = { ...this.#opening, ...fact.metadata };
        if (fact.isNative || !this.#holds) this.#open(fact.isNative ? "agent" : "inferred");
        return;
      case "event":
        if (this.#isOfTurn(fact.turnId)) this.#onEvent(fact.event);
        else session.late++;
        return;
      case "call":
        if (fact.turnId !== undefined && !this.#isOfTurn(fact.turnId)) return;
        this.#open("inferred");
        onCall(fact.call, this.#mapping, session);
        return;
      case "sent":
        if (this.#over.has(fact.turnId)) return;
        if (this.#holds && !session.isOpen) this.#held = fact;
        else this.#begin(fact.turnId, fact.input, fact.metadata);
        return;
      case "stray":
        this.#onStray(fact.event);
        return;
      case "asked":
        if (fact.turnId !== undefined && !this.#isOfTurn(fact.turnId)) return;
        this.#open("inferred");
        onAsked(fact.request, this.#mapping, session);
        return;
      case "settled":
        if (fact.turnId !== undefined && !this.#isOfTurn(fact.turnId)) return;
        this.#open("inferred");
        onSettled(fact.request, this.#mapping, session);
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
      case "retrying":
        if (fact.error) this.#onRefused(fact.error, false);
        onConnection(fact, session);
        return;
      case "disconnected":
      case "reconnected":
        onConnection(fact, session);
        return;
      case "quiet":
        if (this.isUnsolicited && !session.requests.hasOpen) this.#endUnsolicited();
        return;
      case "lost":
        this.#onLost(fact.error);
        return;
      case "done":
        this.#close(fact.data);
        return;
      case "missed":
        if (!this.#isOfTurn(fact.turnId)) return;
        if (this.#mapping.missed) this.#mapping.missed(fact.text, session);
        else session.text(undefined, fact.text, "inferred");
        for (const call of fact.calls) onCall(call, this.#mapping, session, true);
        return;
      case "closed":
        this.#close({ reason: "terminated", terminated_by: "daemon" });
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

  /** The turn that was held back begins. If the fact is the backend's statement of its session, that opens the session. */
  #release(held: Extract<Fact, { readonly type: "sent" }>, fact: Fact<Event, Result>): void {
    const session = this.#session;
    const said = fact.type === "event" ? this.#mapping.opens?.(fact.event, session) : undefined;
    this.#held = undefined;
    session.known(said?.nativeSessionId);
    this.#opening = { ...this.#opening, ...said?.metadata };
    this.#open(said ? "agent" : "inferred");
    this.#begin(held.turnId, held.input, held.metadata);
  }

  #onEvent(event: Event): void {
    const session = this.#session;
    const isTold = this.#holds || this.#isStartTold;
    const said = isTold ? undefined : this.#mapping.opens?.(event, session);
    if (said) {
      this.#isStartTold = true;
      session.known(said.nativeSessionId);
      session.status("start", null, { json: said.metadata });
    }
    this.#mapping.event(event, session);
  }

  #close(data: SessionEndedData): void {
    this.#endOpen({ status: "cancelled" }, "cancelled", undefined);
    this.#endPostponed();
    this.#session.close(data);
  }

  #onLost(error: AnyAgentwireError): void {
    this.#endOpen({ status: "failed" }, "disconnected", lostData(error));
    this.#onRefused(error, true);
    this.#close({ reason: "error", terminated_by: "daemon", message: error.message });
  }

  /** The mapping knows why there is no connection. Then a session begins, to say so. */
  #onRefused(error: AnyAgentwireError, isFinal: boolean): void {
    const said = this.#mapping.lost?.(error, isFinal);
    if (!said) return;
    this.#open("inferred");
    this.#session.error(said, "inferred");
  }

  /** Whether a fact is about the turn that runs. Facts about other turns are late. */
  #isOfTurn(turnId: string): boolean {
    return this.#session.hasTurn && this.#session.nativeTurnId === turnId;
  }

  /** An event of no turn. While a turn runs, the event is late: it is not the turn's own. */
  #onStray(event: Event): void {
    const session = this.#session;
    this.#open("inferred");
    if (session.hasTurn && !session.isUnsolicited) session.late++;
    else if (this.#mapping.stray) this.#mapping.stray(event, session);
    else this.#mapping.event(event, session);
  }

  #begin(turnId: string, input: UserInput, metadata: Readonly<Record<string, unknown>> | undefined): void {
    this.#open("inferred");
    if (this.isUnsolicited) this.#endUnsolicited();
    else this.#endOpen({ status: "failed" }, "cancelled", undefined); // the client runs one turn at a time
    this.#remember(turnId);
    this.#mapping.began?.(turnId);
    this.#session.begin(turnId, { native_turn_id: turnId, ...metadata });
    this.#session.user(input);
  }

  #remember(turnId: string): void {
    this.#over.add(turnId);
    if (this.#over.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#over;
    if (oldest !== undefined) this.#over.delete(oldest);
  }

  #endUnsolicited(): void {
    this.#session.end({ metadata: { status: "completed" }, stated: "inferred", reason: "cancelled" });
  }

  #endOpen(metadata: TurnEndMetadata, reason: ResolvedReason, error: TurnClose["error"]): void {
    if (!this.#session.hasTurn) return;
    this.#session.end({ metadata, stated: "inferred", reason, ...(error ? { error } : {}) });
  }

  // --- ends ---

  #onEnded({ turnId, end, input, metadata }: Extract<Fact<Event, Result>, { readonly type: "ended" }>): void {
    const session = this.#session;
    if (!this.#isOfTurn(turnId)) {
      if (!input || this.#over.has(turnId)) return;
      if (session.hasTurn && !session.isUnsolicited) {
        this.#postponed.push({ turnId, end, input, metadata });
        return;
      }
      this.#begin(turnId, input, metadata);
    }
    this.#end(end);
    this.#endPostponed();
  }

  /** Tells the turns that were never sent, and ended while another turn ran. */
  #endPostponed(): void {
    for (const { turnId, end, input, metadata } of this.#postponed.splice(0)) {
      if (this.#over.has(turnId)) continue;
      this.#begin(turnId, input, metadata);
      this.#end(end);
    }
  }

  #end(end: TurnEnd<Result>): void {
    const session = this.#session;
    switch (end.status) {
      case "completed": {
        const { metadata, stated = "agent", raw } = this.#completed(end.result);
        this.#show(raw);
        session.end({ metadata: { status: "completed", ...metadata }, stated, reason: "cancelled" });
        return;
      }
      case "cancelled":
        session.end({ metadata: { status: "cancelled" }, stated: "inferred", reason: "cancelled" });
        return;
      case "failed":
        this.#fail(failureOf(end.error, this.#mapping, session));
        return;
      default:
        end satisfies never;
    }
  }

  /** The message that ended the turn goes out with the next event that a message states. */
  #show(raw: unknown): void {
    if (raw !== undefined && this.#options.includeRaw === true) this.#session.input(raw);
  }

  #fail(close: TurnClose): void {
    this.#show(close.raw);
    this.#session.end(close);
    if (close.session) this.#close(close.session);
  }

  /** A turn ends even if its result cannot be read. */
  #completed(result: Result): CompletedFacts {
    try {
      return this.#mapping.completed(result, this.#session);
    } catch (error) {
      this.#threw(error, "result");
      return { metadata: {}, stated: "inferred" };
    }
  }

  #threw(error: unknown, location: string): void {
    if (this.#session.isOpen) this.#session.unparsed(said(error), `${this.#mapping.protocol}/${location}`);
  }

  #onWarning(kind: string, message: string): void {
    const place = UNREADABLE.get(kind);
    if (place === undefined) return; // what a listener or a callback did is no event of the agent
    this.#open("inferred");
    this.#session.unparsed(message, `${this.#mapping.protocol}/${place}`);
  }
}

/** Whether a fact says nothing of a turn that is held back. */
function isBeside(fact: Fact): boolean {
  return fact.type === "opened" || (fact.type === "warning" && !UNREADABLE.has(fact.warning.kind));
}
