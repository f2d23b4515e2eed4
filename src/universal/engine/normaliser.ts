// Makes the universal events of one session from facts, with the mapping of the protocol.
import { type AnyAgentwireError, said } from "../../core/errors.ts";
import { Recent } from "../../core/recent.ts";
import type { TurnResult } from "../../core/turn/turn.ts";
import type { AnyEvent } from "../../core/values.ts";
import type { ResolvedReason, SessionEndedData, TurnEndMetadata, UniversalEvent } from "../events.ts";
import type { Fact, TurnEnd, UserInput } from "../facts.ts";
import type { CompletedFacts, Mapping } from "../mapping.ts";
import type { UniversalOptions } from "../stream.ts";
import { failureOf, lostData, onAsked, onCall, onConnection, onSettled, UNREADABLE } from "./common-facts.ts";
import { finiteJson } from "./content.ts";
import type { Stated } from "./items.ts";
import { Session, type TurnClose } from "./session.ts";

export interface NormaliserOptions
  extends Pick<UniversalOptions, "includeRaw" | "eagerStart" | "reasoningVisibility"> {
  readonly sessionId: string;
  /** ms since the epoch. */
  readonly wallTime: () => number;
  /** Metadata of `session.started`, besides the protocol. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Remembered turns, so that a repeated fact begins no turn again. */
const MAX_REMEMBERED = 1_000;

type FactOf<
  Type extends Fact["type"],
  Event extends AnyEvent = AnyEvent,
  Result extends TurnResult = TurnResult,
> = Extract<Fact<Event, Result>, { readonly type: Type }>;

/**
 * Makes the universal events of one session from facts. Synchronous, without I/O, timers or randomness: the same facts,
 * times and ids give the same events. Never throws: a failure becomes `agent.unparsed`.
 */
export class Normaliser<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> {
  readonly #mapping: Mapping<Event, Result>;
  readonly #options: NormaliserOptions;
  readonly #session: Session;
  readonly #told: UniversalEvent[] = [];
  /** The turns that began last. */
  readonly #over = new Recent<string, true>(MAX_REMEMBERED);
  /** The ends of turns that were never sent, while another turn runs. */
  readonly #postponed: FactOf<"ended", Event, Result>[] = [];
  /** The metadata of `opened` facts before the session began. */
  #opening: Readonly<Record<string, unknown>> = {};
  /** The first turn, until the backend's first message. */
  #held: FactOf<"sent"> | undefined;
  /** Whether to hold the first turn. */
  readonly #holds: boolean;
  /** Whether a status item has reported the backend's statement about its session. */
  #isStartTold = false;

  /** `emit`: receives the events of `handle`, for this library's streams. */
  constructor(
    mapping: Mapping<Event, Result>,
    options: NormaliserOptions,
    emit: (event: UniversalEvent) => void = (event) => void this.#told.push(event),
  ) {
    const { sessionId, wallTime, reasoningVisibility = "public", eagerStart = false } = options;
    this.#holds = mapping.opens !== undefined && !eagerStart;
    this.#mapping = mapping;
    this.#options = options;
    this.#session = new Session({
      sessionId,
      wallTime,
      visibility: reasoningVisibility,
      emit,
    });
  }

  /** Whether the session has ended. Later facts have no effect. */
  get isEnded(): boolean {
    return this.#session.isEnded;
  }

  /** Whether work without a prompt runs. A `quiet` fact ends it. */
  get isUnsolicited(): boolean {
    return this.#session.isUnsolicited;
  }

  /** Handles one fact. Returns its events. */
  push(fact: Fact<Event, Result>): readonly UniversalEvent[] {
    this.handle(fact);
    return this.#told.splice(0);
  }

  /** @internal Handles one fact. Allocates nothing but events, because most facts are a few bytes of text. */
  handle(fact: Fact<Event, Result>): void {
    const session = this.#session;
    if (session.isEnded) return;
    try {
      session.input(this.#options.includeRaw ? finiteJson(this.#rawOf(fact)) : null);
      this.#handle(fact);
    } catch (error) {
      this.#threw(error, fact.type);
    }
  }

  #rawOf(fact: Fact<Event, Result>): unknown {
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
      case "asked":
      case "settled":
        if (fact.turnId !== undefined && !this.#isOfTurn(fact.turnId)) return;
        this.#open("inferred");
        if (fact.type === "call") onCall(fact.call, this.#mapping, session);
        else if (fact.type === "asked") onAsked(fact.request, this.#mapping, session);
        else onSettled(fact.request, this.#mapping, session);
        return;
      case "sent":
        if (this.#over.has(fact.turnId)) return;
        if (this.#holds && !session.isOpen) this.#held = fact;
        else this.#begin(fact.turnId, fact.input, fact.metadata);
        return;
      case "stray":
        this.#onStray(fact.event);
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
      case "disconnected":
      case "reconnected":
        if (fact.type === "retrying" && fact.error) this.#onRefused(fact.error, false);
        onConnection(fact, session);
        return;
      case "quiet":
        if (this.isUnsolicited && !session.requests.hasOpen) this.#endOpen("completed");
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

  /** Begins the held turn. The fact opens the session, if it is the backend's statement of its session. */
  #release(held: FactOf<"sent">, fact: Fact<Event, Result>): void {
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
    this.#endOpen("cancelled");
    this.#endPostponed();
    this.#session.close(data);
  }

  #onLost(error: AnyAgentwireError): void {
    this.#endOpen("failed", "disconnected", lostData(error));
    this.#onRefused(error, true);
    this.#close({ reason: "error", terminated_by: "daemon", message: error.message });
  }

  /** If the mapping knows why there is no connection, begins a session that reports the reason. */
  #onRefused(error: AnyAgentwireError, isFinal: boolean): void {
    const said = this.#mapping.lost?.(error, isFinal);
    if (!said) return;
    this.#open("inferred");
    this.#session.error(said, "inferred");
  }

  /** Whether a fact is about the running turn. Facts about other turns are late. */
  #isOfTurn(turnId: string): boolean {
    return this.#session.nativeTurnId === turnId;
  }

  /** An event of no turn. While a turn runs, the event is late and only counted. */
  #onStray(event: Event): void {
    const session = this.#session;
    this.#open("inferred");
    if (session.hasTurn && !session.isUnsolicited) session.late++;
    else if (this.#mapping.stray) this.#mapping.stray(event, session);
    else this.#mapping.event(event, session);
  }

  #begin(turnId: string, input: UserInput, metadata: Readonly<Record<string, unknown>> | undefined): void {
    this.#open("inferred");
    this.#endOpen(this.isUnsolicited ? "completed" : "failed"); // the client runs one turn at a time
    this.#over.set(turnId, true);
    this.#mapping.began?.(turnId);
    this.#session.begin(turnId, { native_turn_id: turnId, ...metadata });
    this.#session.user(input);
  }

  #endOpen(
    status: TurnEndMetadata["status"],
    reason: ResolvedReason = "cancelled",
    error?: TurnClose["error"],
  ) {
    this.#session.end({ metadata: { status }, stated: "inferred", reason, error });
  }

  #onEnded(fact: FactOf<"ended", Event, Result>): void {
    const session = this.#session;
    if (!this.#isOfTurn(fact.turnId) && session.hasTurn && !session.isUnsolicited) {
      this.#postponed.push(fact);
      return;
    }
    this.#endTurn(fact);
    this.#endPostponed();
  }

  /** Ends a turn. A turn that was never sent begins first. Ignores other turns that do not run. */
  #endTurn({ turnId, end, input, metadata }: FactOf<"ended", Event, Result>): void {
    if (!this.#isOfTurn(turnId)) {
      if (!input || this.#over.has(turnId)) return;
      this.#begin(turnId, input, metadata);
    }
    this.#end(end);
  }

  #endPostponed(): void {
    for (const fact of this.#postponed.splice(0)) this.#endTurn(fact);
  }

  #end(end: TurnEnd<Result>): void {
    if (end.status === "cancelled") this.#endOpen("cancelled");
    else if (end.status === "failed") this.#fail(failureOf(end.error, this.#mapping, this.#session));
    else {
      const { metadata, stated = "agent", raw } = this.#completed(end.result);
      this.#show(raw);
      this.#session.end({ metadata: { status: end.status, ...metadata }, stated, reason: "cancelled" });
    }
  }

  /** Attaches the message that ended the turn to the next event that a message states. */
  #show(raw: unknown): void {
    if (raw !== undefined && this.#options.includeRaw) this.#session.input(finiteJson(raw));
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
    if (place === undefined) return; // failures of listeners and callbacks are not events of the agent
    this.#open("inferred");
    this.#session.unparsed(message, `${this.#mapping.protocol}/${place}`);
  }
}

/** Whether a fact does not release the held turn. */
function isBeside(fact: Fact): boolean {
  return fact.type === "opened" || (fact.type === "warning" && !UNREADABLE.has(fact.warning.kind));
}
