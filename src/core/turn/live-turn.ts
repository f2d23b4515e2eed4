// The writing side of a turn: receives events for listeners and the reader, and ends the turn once.
import { defined } from "../checks.ts";
import { type CancelTimer, IdleClock } from "../clock.ts";
import {
  type AgentwireError,
  asAny,
  isAgentwireError,
  TurnCancelledError,
  type TurnPartial,
  TurnTimeoutError,
} from "../errors.ts";
import type { AskingTurn } from "../gate/open-request.ts";
import { Emitter, type ListenOptions, type Unsubscribe } from "../tell/events.ts";
import { GrowingText } from "../text.ts";
import type { AnyEvent, PendingRequest, Question, TurnStatus, TurnToolCall } from "../values.ts";
import { ORIGIN, type TurnOrigin } from "./origin.ts";
import { TURN_EVENTS, type Turn, type TurnEvents, type TurnOutcome, type TurnResult } from "./turn.ts";
import { TurnReader } from "./turn-reader.ts";
import type { Interruption, TurnSetup } from "./turn-setup.ts";
import { TurnTools } from "./turn-tools.ts";

/**
 * The writing side of a turn. A protocol's client pushes events and reports the end. Users see the turn
 * as a {@link Turn}.
 *
 *     queued ──sent()──▶ sent ──push()──▶ streaming ──complete()──▶ completed
 *        │                 │                  │       ──fail()──────▶ failed
 *        └──── cancel(), signal, timeout ─────┴──▶ cancelling ──stopped()──▶ cancelled | failed
 *
 * Stopping the turn ends the iteration at once. `outcome` waits for `stopped()`.
 */
export class LiveTurn<Event, Result extends TurnResult> implements Turn<Event, Result>, AskingTurn {
  readonly id: string;
  readonly outcome: Promise<TurnOutcome<Result>>;
  readonly #setup: TurnSetup<Event, Result>;
  readonly #reader: TurnReader<Event, Result>;
  readonly #emitter: Emitter<TurnEvents<Event>>;
  readonly tools: TurnTools;
  readonly #idle: IdleClock;
  readonly #cancelTotal: CancelTimer | undefined;
  #settle: (outcome: TurnOutcome<Result>) => void = () => {};
  #result: Promise<Result> | undefined;
  #status: TurnStatus = "queued";
  #sent = false;
  #interruption: Interruption | undefined;
  readonly #text: GrowingText;
  #beforeCompleted: ((result: Result) => void) | undefined;
  #conversation: object | undefined;

  constructor(setup: TurnSetup<Event, Result>) {
    const { id, host, signal, timeout, idleTimeout } = setup;
    const { clock, outbox } = host;
    this.id = id;
    this.#setup = setup;
    this.#reader = new TurnReader(setup, this);
    this.#text = new GrowingText(setup.maxTextBytes);
    this.#emitter = new Emitter(TURN_EVENTS, outbox, host);
    this.tools = new TurnTools({
      opened: (request) => {
        const stands = (): boolean => this.tools.isPending(request);
        if (request.type === "approval") this.#emitter.emitWhile("approval", stands, request.call);
        else this.#emitter.emitWhile("question", stands, request.question);
      },
      changed: (call) => this.#emitter.emit("toolCall", call),
    });
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const expire = (): void => this.#expire("idle", idleTimeout);
    this.#idle = new IdleClock(clock, idleTimeout, () => this.open, expire);
    if (timeout > 0) this.#cancelTotal = clock.setTimeout(() => this.#expire("total", timeout), timeout);
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get status(): TurnStatus {
    return this.#status;
  }

  get text(): string {
    return this.#text.value;
  }

  get toolCalls(): readonly TurnToolCall[] {
    return this.tools.calls;
  }

  get pending(): readonly PendingRequest[] {
    return this.tools.pending;
  }

  get textResult(): Pick<TurnResult, "text" | "truncated"> {
    const { value: text, truncated } = this.#text;
    return truncated ? { text, truncated } : { text };
  }

  get result(): Promise<Result> {
    if (!this.#result) {
      this.#result = this.outcome.then((outcome) => {
        if (outcome.status === "completed") return outcome.result;
        throw outcome.status === "failed" ? outcome.error : this.#interruption?.error;
      });
      this.#result.catch(() => {}); // a caller that only iterates needs no `catch`
    }
    return this.#result;
  }

  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#reader.texts() };
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return this.#reader.events();
  }

  cancel(reason?: unknown): Promise<TurnOutcome<Result>> {
    const error = new TurnCancelledError("user", { cause: reason });
    this.#setup.host.outbox.run(() => {
      if (this.settled) this.#reader.drop(); // the turn has completed, but the reader wants no more events
      if (this.#status === "cancelling") this.#setup.stop(true);
      this.#interrupt({ status: "cancelled", by: "user", error });
    });
    return this.outcome;
  }

  on<Name extends keyof TurnEvents<Event> & string>(
    name: Name,
    listener: (...values: TurnEvents<Event>[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on<Name extends keyof TurnEvents<AnyEvent>>(
    name: Name,
    listener: (...values: TurnEvents<AnyEvent>[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on(
    name: keyof TurnEvents<Event> & string,
    listener: (...values: never) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    const told = listener as (...values: TurnEvents<Event>[typeof name]) => void;
    if (name === "approval" || name === "question") {
      const present = this.tools.stillOpen(name) as Iterable<TurnEvents<Event>[typeof name]>;
      return this.#emitter.onWithPresent(name, told, options, () => present);
    }
    if (name !== "status") return this.#emitter.on(name, told, options);
    const { status } = this;
    const present = (): Iterable<[TurnStatus]> => (this.#status === status ? [[status]] : []); // a changed status has its own event
    return this.#emitter.onWithPresent(name, told, options, present);
  }

  // --- Calls of the protocol ---

  /** Whether the turn still accepts events. False once it has settled or is being stopped. */
  get open(): boolean {
    return !this.settled && this.#status !== "cancelling";
  }

  get settled(): boolean {
    return this.#status === "completed" || this.#status === "cancelled" || this.#status === "failed";
  }

  /** Adds the turn to a conversation, which gets the result before any code sees the completion. */
  joins(conversation: object, completed: (result: Result) => void): void {
    this.#conversation = conversation;
    this.#beforeCompleted = completed;
  }

  get [ORIGIN](): TurnOrigin {
    const { host, input, said, sessionId } = this.#setup;
    return {
      client: host.client,
      input,
      said,
      wasSent: this.#sent,
      sessionId: sessionId?.(),
      conversation: this.#conversation,
    };
  }

  /** Stops the turn at once if its signal is already aborted. Called after the setup. */
  begin(): void {
    if (this.#setup.signal?.aborted) this.#onAbort();
  }

  sent(): void {
    if (this.#status !== "queued") return;
    this.#sent = true;
    this.#setStatus("sent");
  }

  /** Notes that the agent did not get the prompt, although `sent()` was called. */
  unsent(): void {
    this.#sent = false;
  }

  /** Starts or restarts the idle limit, because the server is working on the turn. */
  active(): void {
    this.#idle.active();
  }

  /** Pauses the idle limit while the turn waits for this machine or its reader, until the returned function is called. */
  hold(): () => void {
    return this.#idle.hold();
  }

  /** Adds an event. `bytes` is the length of its frame or line. */
  push(event: Event, bytes: number): void {
    if (this.#status !== "streaming") {
      if (!this.open) return;
      if (this.#status !== "recovering") this.#setStatus("streaming");
    }
    this.#idle.touch();
    const { read, textOf, host } = this.#setup;
    this.#text.add(textOf(event));
    if (read) this.#reader.push(event, bytes);
    host.tellEvent(event, this, this.#isWanted);
    if (this.#emitter.has("event")) this.#emitter.emitWhile("event", this.#isWanted, event);
  }

  /** Whether listeners still get events. False once the turn was cancelled. */
  readonly #isWanted = (): boolean => this.#interruption?.status !== "cancelled";

  /** The connection was lost, and the client is recovering the answer another way. */
  recovering(): void {
    if (this.open) this.#setStatus("recovering");
  }

  complete(result: Result): void {
    if (!this.open) return;
    this.#beforeCompleted?.(result);
    this.#reader.end();
    this.#finish({ status: "completed", result });
  }

  /** Fails the turn. The error gets the partial answer, and the input if it was not sent. */
  fail(error: AgentwireError): void {
    if (!this.open) return;
    this.#stamp(error);
    this.#reader.fail(error);
    this.#finish({ status: "failed", error: asAny(error), partial: this.partial() });
  }

  /** Fails the turn of a closing client. The iteration ends without an error. Only the outcome has one. */
  abandon(error: AgentwireError): void {
    if (!this.open) return;
    this.#stamp(error);
    this.#reader.drop();
    this.#finish({ status: "failed", error: asAny(error), partial: this.partial() });
  }

  /** Stops the turn, which then fails with `error`. The reader gets the error now, the outcome later. */
  stopWith(error: AgentwireError): void {
    this.#interrupt({ status: "failed", error });
  }

  /** Adds a request that waits for the user. */
  opened(request: PendingRequest): void {
    this.tools.opened(request);
  }

  /** Emits a question that this client cannot answer. */
  observed(question: Question): void {
    this.#emitter.emit("question", question);
  }

  closed(id: string): void {
    this.tools.closed(id);
  }

  /** Settles the turn, because the stop has completed. */
  stopped(): void {
    const interruption = this.#interruption;
    if (!interruption || this.settled) return;
    interruption.error.partial = this.partial(); // includes the events since the stop
    this.#finish(this.#outcomeOf(interruption));
  }

  #outcomeOf(interruption: Interruption): TurnOutcome<Result> {
    const partial = this.partial();
    if (interruption.status === "cancelled") return { status: "cancelled", by: interruption.by, partial };
    return { status: "failed", error: asAny(interruption.error), partial };
  }

  partial(): TurnPartial {
    const { toolCalls } = this;
    return {
      text: this.#text.value,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...defined(this.#setup.soFar()),
    };
  }

  readonly #onAbort = (): void => {
    const error = new TurnCancelledError("signal", { cause: this.#setup.signal?.reason });
    this.#setup.host.outbox.run(() => this.#interrupt({ status: "cancelled", by: "signal", error }));
  };

  #expire(kind: "idle" | "total", timeout: number): void {
    const { host, repeatable: retryable } = this.#setup;
    const linkLives = kind === "idle" && host.answeredWithin(timeout);
    this.stopWith(new TurnTimeoutError(kind, timeout, { linkLives, retryable }));
  }

  /** Ends the iteration now, and tells the protocol to stop the turn. */
  #interrupt(interruption: Interruption): void {
    if (!this.open) return;
    this.#interruption = interruption;
    interruption.error.delivery = "unknown";
    this.#stamp(interruption.error);
    if (interruption.status === "cancelled" && interruption.by === "user") this.#reader.drop();
    else this.#reader.fail(interruption.error);
    this.#release();
    this.#setStatus("cancelling");
    if (this.#emitter.has("end")) this.#emitter.emit("end", this.#outcomeOf(interruption));
    this.#setup.stop(false);
  }

  /** Called when the reader leaves the loop. Not a second cancel if the turn is already being stopped. */
  leave(): void {
    if (this.#status === "cancelling") this.#reader.drop();
    else void this.cancel();
  }

  #stamp(error: AgentwireError): void {
    error.partial = this.partial();
    if (isAgentwireError(error, "connection-lost") && this.toolCalls.length > 0)
      error.sideEffectsPossible = true;
    if (!this.#sent && !this.#setup.mayHaveArrived?.())
      Object.assign(error, { delivery: "not-sent", input: this.#setup.input });
  }

  #finish(outcome: TurnOutcome<Result>): void {
    this.#release();
    this.#setStatus(outcome.status);
    if (!this.#interruption) this.#emitter.emit("end", outcome);
    this.#emitter.close();
    this.#settle(outcome);
    this.#setup.settled();
  }

  #release(): void {
    this.#reader.unpause();
    this.#idle.stop();
    this.#cancelTotal?.();
    this.#setup.signal?.removeEventListener("abort", this.#onAbort);
  }

  #setStatus(status: TurnStatus): void {
    this.#status = status;
    this.#emitter.emit("status", status);
  }
}
