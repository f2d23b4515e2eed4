// One turn of a mock client.
import type { ListenOptions, Unsubscribe } from "../../core/client/events.ts";
import type { CancelTimer } from "../../core/clock.ts";
import type { AnyAgentwireError, TurnPartial } from "../../core/errors.ts";
import type { Turn, TurnEvents, TurnOptions, TurnOutcome } from "../../core/turn/turn.ts";
import type { AnyEvent, Cost, PendingRequest, TurnStatus, TurnToolCall, Usage } from "../../core/values.ts";
import { hasEnded, TurnCalls } from "./calls.ts";
import { again, turnCancelled, turnTimedOut } from "./errors.ts";
import { type MockAgentEvent, type MockAgentResult, textOf } from "./events.ts";
import { Listeners } from "./listeners.ts";
import { ORIGIN } from "./origin.ts";
import { Reader } from "./reader.ts";
import type { Stop, Stopper, TurnParts } from "./turn-parts.ts";

/** The events of a {@link MockTurn}. */
export type MockTurnEvents = TurnEvents<MockAgentEvent>;

const EVENTS: Readonly<Record<keyof MockTurnEvents, true>> = {
  event: true,
  toolCall: true,
  status: true,
  approval: true,
  question: true,
  end: true,
};

/**
 * One turn of a `MockAgent`'s client.
 *
 *     queued ──sent()──▶ sent ──push()──▶ streaming ──complete()──▶ completed
 *        │                 │                  │ ▲     ──fail()──────▶ failed
 *        │                 └──── recovering() ▼ │
 *        └── cancel(), signal, timeout ──▶ cancelling ──stopped()──▶ cancelled | failed
 */
export class MockTurn implements Turn<MockAgentEvent, MockAgentResult> {
  readonly id: string;
  readonly outcome: Promise<TurnOutcome<MockAgentResult>>;
  readonly #parts: TurnParts<MockTurn>;
  readonly #reader: Reader;
  readonly #listeners: Listeners<MockTurnEvents>;
  readonly #calls = new TurnCalls();
  #status: TurnStatus = "queued";
  #text = "";
  #progress: { readonly usage?: Usage; readonly cost?: Cost } = {};
  #isSent = false;
  /** Set while the turn is being stopped, and then. */
  #stop: Stop | undefined;
  #settle: (outcome: TurnOutcome<MockAgentResult>) => void = () => {};
  #result: Promise<MockAgentResult> | undefined;
  #holds = 0;
  #cancelIdle: CancelTimer | undefined;
  readonly #cancelTotal: CancelTimer | undefined;

  constructor(parts: TurnParts<MockTurn>) {
    const { id, host, options } = parts;
    const { signal, timeout = 0, read = true } = options;
    this.id = id;
    this.#parts = parts;
    this.#reader = new Reader(id, read, () => this.#leave());
    this.#listeners = new Listeners<MockTurnEvents>(EVENTS, host.tells, host.threw);
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
    if (timeout > 0) this.#cancelTotal = host.clock.setTimeout(() => this.#expire("total", timeout), timeout);
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get [ORIGIN](): {
    readonly client: object;
    readonly input: unknown;
    readonly said: TurnOptions;
    readonly conversation: object | undefined;
  } {
    const { host, input, options, conversation } = this.#parts;
    return { client: host.client, input, said: options, conversation };
  }

  get status(): TurnStatus {
    return this.#status;
  }

  get text(): string {
    return this.#text;
  }

  get toolCalls(): readonly TurnToolCall[] {
    return this.#calls.calls;
  }

  get pending(): readonly PendingRequest[] {
    return this.#calls.pending;
  }

  get result(): Promise<MockAgentResult> {
    if (!this.#result) {
      this.#result = this.outcome.then((outcome) => {
        if (outcome.status === "completed") return outcome.result;
        throw outcome.status === "failed" ? outcome.error : this.#stop?.error;
      });
      this.#result.catch(() => {}); // who only iterates needs no `catch`
    }
    return this.#result;
  }

  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#reader.texts() };
  }

  [Symbol.asyncIterator](): AsyncIterator<MockAgentEvent, undefined> {
    return this.#reader.events();
  }

  cancel(reason?: unknown): Promise<TurnOutcome<MockAgentResult>> {
    this.#parts.host.tells.run(() => {
      if (this.settled) this.#reader.drop();
      this.#interrupt("user", turnCancelled("user", reason));
    });
    return this.outcome;
  }

  on<Name extends keyof MockTurnEvents & string>(
    name: Name,
    listener: (...values: MockTurnEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on<Name extends keyof TurnEvents<AnyEvent>>(
    name: Name,
    listener: (...values: TurnEvents<AnyEvent>[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on(name: keyof MockTurnEvents, listener: (...values: never) => void, options?: ListenOptions): Unsubscribe {
    return this.#listeners.on(name, listener, options, this.#present(name));
  }

  /** What a late listener is told. */
  #present(name: keyof MockTurnEvents): (() => Iterable<readonly unknown[]>) | undefined {
    if (name === "status") {
      const { status } = this;
      return () => (this.#status === status ? [[status]] : []); // a change has its own event
    }
    if (name !== "approval" && name !== "question") return undefined;
    const present = this.#calls.stillOpen(name);
    return () => present;
  }

  // --- the side of the backend ---

  /** Whether the turn still takes events. */
  get open(): boolean {
    return !this.settled && this.#status !== "cancelling";
  }

  get settled(): boolean {
    return this.#status === "completed" || this.#status === "cancelled" || this.#status === "failed";
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  /** Stops the turn if its signal is already aborted. */
  begin(): void {
    if (this.#parts.options.signal?.aborted) this.#onAbort();
  }

  sent(): void {
    this.#isSent = true;
    this.#setStatus("sent");
    this.#restartIdle();
  }

  push(event: MockAgentEvent): void {
    if (!this.open) return;
    if (this.#status === "sent") this.#setStatus("streaming");
    this.#restartIdle();
    this.#text += textOf(event);
    this.#reader.push(event);
    const stands = (): boolean => this.#stop?.by === undefined;
    this.#parts.host.tellEvent(event, this, stands);
    this.#listeners.emit("event", [event], stands);
  }

  setCall(call: TurnToolCall): void {
    if (this.settled) return;
    this.#calls.set(call);
    this.#listeners.emit("toolCall", [call]);
  }

  /** Usage and cost so far. */
  report(progress: { readonly usage?: Usage; readonly cost?: Cost }): void {
    this.#progress = { ...this.#progress, ...progress };
  }

  get progress(): { readonly usage?: Usage; readonly cost?: Cost } {
    return this.#progress;
  }

  /** A request waits for the user. The turn is not silent meanwhile. */
  opened(request: PendingRequest): void {
    this.#calls.open(request);
    this.#holds++;
    this.#cancelIdle?.();
    const stands = (): boolean => this.#calls.isOpen(request);
    if (request.type === "approval") this.#listeners.emit("approval", [request.call], stands);
    else this.#listeners.emit("question", [request.question], stands);
  }

  closed(id: string): void {
    if (!this.#calls.close(id)) return;
    this.#holds--;
    this.#restartIdle();
  }

  /** The link was lost, and the client looks for the answer. */
  recovering(): void {
    if (this.open) this.#setStatus("recovering");
  }

  /** `remember` is called before any code can see that the turn has completed. */
  complete(remember: (result: MockAgentResult) => void): void {
    if (!this.open) return;
    const result: MockAgentResult = { text: this.#text, ...this.#progress };
    this.#abandonCalls();
    remember(result);
    this.#reader.end();
    this.#finish({ status: "completed", result });
  }

  /** @param isQuiet the caller has closed the client: the iteration ends without a throw */
  fail(error: AnyAgentwireError, isQuiet = false): void {
    if (!this.open) return;
    this.#stamp(error);
    this.#abandonCalls();
    if (isQuiet) this.#reader.drop();
    else this.#reader.fail(error);
    this.#finish({ status: "failed", error, partial: this.#partial() });
  }

  /** Fails the turn with a copy of an error that several turns share. */
  failToo(error: AnyAgentwireError): void {
    this.fail(again(error, this.#isSent ? "unknown" : "not-sent"));
  }

  /** The backend has stopped. */
  stopped(): void {
    if (!this.#stop || this.settled) return;
    this.#abandonCalls();
    this.#stop.error.partial = this.#partial();
    this.#finish(this.#outcomeOf(this.#stop));
  }

  #outcomeOf({ by, error }: Stop): TurnOutcome<MockAgentResult> {
    const partial = this.#partial();
    return by ? { status: "cancelled", by, partial } : { status: "failed", error, partial };
  }

  // ---

  readonly #onAbort = (): void => {
    const { host, options } = this.#parts;
    host.tells.run(() => this.#interrupt("signal", turnCancelled("signal", options.signal?.reason)));
  };

  #expire(kind: "idle" | "total", timeout: number): void {
    this.#interrupt("timeout", turnTimedOut(kind, timeout));
  }

  #interrupt(stopper: Stopper, error: AnyAgentwireError): void {
    if (!this.open) return;
    this.#stop = { by: stopper === "timeout" ? undefined : stopper, error };
    this.#stamp(error);
    if (stopper === "user") this.#reader.drop();
    else this.#reader.fail(error);
    this.#release();
    this.#setStatus("cancelling");
    this.#listeners.emit("end", [this.#outcomeOf(this.#stop)]);
    this.#parts.host.stop(this, stopper);
  }

  /** The reader has left its loop. */
  #leave(): void {
    if (this.#status === "cancelling") this.#reader.drop();
    else void this.cancel();
  }

  #stamp(error: AnyAgentwireError): void {
    error.partial = this.#partial();
    if (this.#isSent) return;
    error.delivery = "not-sent";
    error.input = this.#parts.input;
  }

  #partial(): TurnPartial {
    const { toolCalls } = this;
    return { text: this.#text, ...(toolCalls.length === 0 ? {} : { toolCalls }), ...this.#progress };
  }

  #abandonCalls(): void {
    for (const call of this.toolCalls) if (!hasEnded(call)) this.setCall({ ...call, state: "abandoned" });
  }

  #restartIdle(): void {
    const { idleTimeout, host } = this.#parts;
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    if (idleTimeout === 0 || this.#holds > 0 || !this.open || !this.#isSent) return;
    const expire = (): void => this.#expire("idle", idleTimeout);
    this.#cancelIdle = host.clock.setTimeout(expire, idleTimeout);
  }

  #finish(outcome: TurnOutcome<MockAgentResult>): void {
    this.#release();
    this.#setStatus(outcome.status);
    if (!this.#stop) this.#listeners.emit("end", [outcome]);
    this.#listeners.close();
    this.#settle(outcome);
    this.#parts.host.settled(this);
  }

  #release(): void {
    this.#cancelIdle?.();
    this.#cancelTotal?.();
    this.#parts.options.signal?.removeEventListener("abort", this.#onAbort);
  }

  #setStatus(status: TurnStatus): void {
    this.#status = status;
    this.#listeners.emit("status", [status]);
  }
}
