import { defined } from "../checks.ts";
import { Emitter, type EventNames, type ListenOptions, type Unsubscribe } from "../client/events.ts";
import type { Outbox } from "../client/outbox.ts";
import type { CancelTimer, Clock } from "../clock.ts";
import { Deadline } from "../deadline.ts";
import {
  type AgentwireError,
  asAny,
  InvalidInputError,
  isAgentwireError,
  TurnCancelledError,
  type TurnPartial,
  TurnTimeoutError,
} from "../errors.ts";
import type { Waiting } from "../gate/open-request.ts";
import type { AnyEvent, PendingRequest, Question, TurnStatus, TurnToolCall } from "../values.ts";
import { EventBuffer } from "./event-buffer.ts";
import { GrowingText } from "./growing-text.ts";
import { keptBytes, mostBytes } from "./kept-bytes.ts";
import type { Turn, TurnEvents, TurnOutcome, TurnResult } from "./turn.ts";
import { TurnTools } from "./turn-tools.ts";

/** Everything a turn is given when it is made; each field is required, so that none is forgotten. */
export interface TurnSetup<Event> {
  readonly id: string;
  /** What the caller passed, handed back when the turn fails before it was sent. */
  readonly input: unknown;
  readonly outbox: Outbox;
  /** Its timers are inputs of the outbox. */
  readonly clock: Clock;
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
  /** ms; 0 for none. */
  readonly timeout: number;
  readonly idleTimeout: number;
  readonly signal: AbortSignal | undefined;
  /** Whether its events are kept for a reader. */
  readonly read: boolean;
  /** The text that an event adds to the turn's. */
  readonly textOf: (event: Event) => string;
  /** What else the turn has come to so far; a field that is undefined is left out. */
  readonly soFar: () => Progress;
  /**
   * The caller or a timer wants the turn to end. The protocol tells the server what there is to tell and calls `stopped()`
   * when it is safe to go on, at once or later. Called once; then with `again` when the caller cancels while that goes on.
   */
  readonly stop: (again: boolean) => void;
  /** The turn settled; called once, whatever way it ended. */
  readonly settled: () => void;
  /** Whether a turn that took too long may be asked again by who goes by `retryable`. */
  readonly repeatable: boolean;
  /** How to slow down what the events come from; `undefined` where that cannot be done, as with a socket. */
  readonly flow: Flow | undefined;
  /** `stands`: whether it is still to be told; not so once the turn was cancelled. */
  readonly onEvent: (event: Event, stands: () => boolean) => void;
  readonly onListenerThrow: (error: unknown, name: string) => void;
}

/** What the protocol knows of a turn besides its text and its tool calls. */
export type Progress = {
  readonly [Field in "usage" | "cost" | "state" | "endedBy"]?: TurnPartial[Field] | undefined;
};

/** What can be made to wait for a slow reader. A turn that nobody reads is never held up. */
export interface Flow {
  /** Events that may wait to be read before it is paused, as may half of `maxBufferedBytes`; it goes on at half of that. */
  readonly high: number;
  pause(): void;
  resume(): void;
}

/** The one reader of a turn. */
interface Reader<Event> {
  next(): Promise<IteratorResult<Event, undefined>>;
  return(): Promise<IteratorReturnResult<undefined>>;
}

const TURN_EVENTS: EventNames<TurnEvents<never>> = {
  event: true,
  toolCall: true,
  status: true,
  approval: true,
  question: true,
};

/** The part of `maxBufferedBytes` that may be filled by rough counts, which are too high: the rest is counted closely. */
const ROUGHLY_COUNTED = 1 / 16;

/** How a turn that is being stopped will settle. */
type Interruption =
  | { readonly status: "cancelled"; readonly by: "user" | "signal"; readonly error: TurnCancelledError }
  | { readonly status: "failed"; readonly error: AgentwireError };

/**
 * One streamed answer, the writing side: a protocol's client pushes events in and says how it ended.
 * Users see it as a {@link Turn}.
 *
 *     queued ──sent()──▶ sent ──push()──▶ streaming ──complete()──▶ completed
 *        │                 │                  │       ──fail()──────▶ failed
 *        └──── cancel(), signal, timeout ─────┴──▶ cancelling ──stopped()──▶ cancelled | failed
 *
 * The iteration ends as soon as the turn is stopped; `outcome` waits for `stopped()`.
 */
export class LiveTurn<Event, Result extends TurnResult> implements Turn<Event, Result>, Waiting {
  readonly id: string;
  readonly outcome: Promise<TurnOutcome<Result>>;
  readonly #setup: TurnSetup<Event>;
  readonly #buffer: EventBuffer<Event>;
  readonly #emitter: Emitter<TurnEvents<Event>>;
  /** Its tool calls, the writing side. */
  readonly tools: TurnTools;
  readonly #idle: Deadline;
  readonly #cancelTotal: CancelTimer | undefined;
  #settle: (outcome: TurnOutcome<Result>) => void = () => {};
  #result: Promise<Result> | undefined;
  #status: TurnStatus = "queued";
  #sent = false;
  #interruption: Interruption | undefined;
  #consumer: "the async iterator" | "textStream" | undefined;
  readonly #text: GrowingText;
  #beforeCompleted: ((result: Result) => void) | undefined;
  /** Whether the server is known to work on it. */
  #isActive = false;
  #holds = 0;
  /** While it is paused for its reader, for whom the server is not to blame. */
  #released: (() => void) | undefined;

  constructor(setup: TurnSetup<Event>) {
    const { id, clock, signal, timeout, idleTimeout } = setup;
    this.id = id;
    this.#setup = setup;
    this.#buffer = new EventBuffer(setup.maxBufferedBytes);
    this.#text = new GrowingText(setup.maxTextBytes);
    this.#emitter = new Emitter(TURN_EVENTS, setup.outbox, setup.onListenerThrow);
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
    this.#idle = new Deadline(clock, idleTimeout, () => this.#expire("idle", idleTimeout), { unref: true });
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

  /** Whether `text` stopped growing at `maxTextBytes`. */
  get truncated(): boolean {
    return this.#text.truncated;
  }

  /** The text, as every result has it. */
  get textResult(): Pick<TurnResult, "text" | "truncated"> {
    const { text, truncated } = this;
    return truncated ? { text, truncated } : { text };
  }

  get result(): Promise<Result> {
    if (!this.#result) {
      this.#result = this.outcome.then((outcome) => {
        if (outcome.status === "completed") return outcome.result;
        throw outcome.status === "failed" ? outcome.error : this.#cancelled(outcome.partial);
      });
      this.#result.catch(() => {}); // a caller who only iterates owes nobody a catch
    }
    return this.#result;
  }

  get textStream(): AsyncIterable<string> {
    return {
      [Symbol.asyncIterator]: () => {
        const events = this.#consume("textStream");
        const { textOf } = this.#setup;
        const pull = async (): Promise<IteratorResult<string, undefined>> => {
          for (;;) {
            const step = await events.next();
            if (step.done) return step;
            const text = textOf(step.value);
            if (text !== "") return { done: false, value: text };
          }
        };
        // One after the other: whoever got an event without text would else stand behind those who asked later.
        let last: Promise<unknown> = Promise.resolve();
        const next = (): Promise<IteratorResult<string, undefined>> => {
          const step = last.then(pull, pull);
          last = step;
          return step;
        };
        return { next, return: events.return };
      },
    };
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return this.#consume("the async iterator");
  }

  cancel(reason?: unknown): Promise<TurnOutcome<Result>> {
    const error = new TurnCancelledError("user", { cause: reason });
    this.#setup.outbox.run(() => {
      if (this.settled) this.#buffer.drop(); // the answer is complete, but its reader wants no more of it
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
    const { status } = this;
    const isAsked = name === "approval" || name === "question"; // the snapshot is made for nobody else
    const stillOpen = this.#stillOpen(isAsked ? this.pending : []);
    const present: { readonly [Of in keyof TurnEvents<Event>]: () => Iterable<TurnEvents<Event>[Of]> } = {
      event: () => [],
      toolCall: () => [],
      status: () => (this.#status === status ? [[status]] : []), // a change is told by itself
      approval: function* () {
        for (const open of stillOpen) if (open.type === "approval") yield [open.call];
      },
      question: function* () {
        for (const open of stillOpen) if (open.type === "question") yield [open.question];
      },
    };
    return this.#emitter.onWithPresent(name, told, options, () => present[name]());
  }

  /** Lazily, since who is told of one may decide another. */
  *#stillOpen(requests: readonly PendingRequest[]): Iterable<PendingRequest> {
    for (const request of requests) if (this.tools.isPending(request)) yield request;
  }

  // --- the protocol's side ---

  /** Whether the turn still takes events: false once it settled or is being stopped. */
  get open(): boolean {
    return !this.settled && this.#status !== "cancelling";
  }

  get settled(): boolean {
    return this.#status === "completed" || this.#status === "cancelled" || this.#status === "failed";
  }

  /** Calls `hook` with the result before anybody can see that the turn has completed. */
  beforeCompleted(hook: (result: Result) => void): void {
    this.#beforeCompleted = hook;
  }

  /** Ends the turn at once when its signal was aborted already; called when everything else is in place. */
  begin(): void {
    if (this.#setup.signal?.aborted) this.#onAbort();
  }

  /** The prompt was given to the server. */
  sent(): void {
    if (this.#status !== "queued") return;
    this.#sent = true;
    this.#setStatus("sent");
  }

  /** Its frame did not leave: what came before it has ended the link. */
  unsent(): void {
    this.#sent = false;
  }

  /** Starts or restarts the idle clock: the server is working on this turn. */
  active(): void {
    this.#isActive = true;
    if (this.open && this.#holds === 0) this.#idle.start();
  }

  /** The turn waits for this machine or its reader, and not for the server: the idle clock stands until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    this.#idle.stop();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#isActive) this.active();
    };
  }

  /** One event of this turn arrived; `bytes` is the length of what it came in. */
  push(event: Event, bytes: number): void {
    if (!this.open) return;
    if (this.#status !== "streaming" && this.#status !== "recovering") this.#setStatus("streaming");
    if (this.#idle.running) this.#idle.touch();
    else this.active();
    this.#text.add(this.#setup.textOf(event));
    if (this.#setup.read) this.#buffer.push(event, this.#buffer.keeps ? this.#costOf(event, bytes) : 0);
    if (this.#setup.flow) this.#checkFlow();
    this.#setup.onEvent(event, this.#isWanted);
    if (this.#emitter.has("event")) this.#emitter.emitWhile("event", this.#isWanted, event);
  }

  /** Nobody is told an event of a turn that was cancelled meanwhile. */
  readonly #isWanted = (): boolean => this.#interruption?.status !== "cancelled";

  /**
   * What an event takes while it waits. While little waits, the most that so many characters can take will do: to look
   * into each event costs more than to buffer it. What cannot be looked into is as large as what it came in.
   */
  #costOf(event: Event, characters: number): number {
    const { maxBufferedBytes } = this.#setup;
    const most = mostBytes(characters);
    if (this.#buffer.bytes + most <= maxBufferedBytes * ROUGHLY_COUNTED) return most;
    return Math.max(characters, keptBytes(event, maxBufferedBytes));
  }

  /** Its link was lost, and its answer is looked for elsewhere. */
  recovering(): void {
    if (this.open) this.#setStatus("recovering");
  }

  complete(result: Result): void {
    if (!this.open) return;
    this.#beforeCompleted?.(result);
    this.#buffer.end();
    this.#finish("completed", { status: "completed", result });
  }

  /** The turn failed. The error gets the partial answer, and the input if it never left. */
  fail(error: AgentwireError): void {
    if (!this.open) return;
    this.#stamp(error);
    this.#buffer.fail(error);
    this.#finish("failed", { status: "failed", error: asAny(error), partial: this.partial() });
  }

  /** The client is closing: the iteration ends without a throw, the outcome says why. */
  abandon(error: AgentwireError): void {
    if (!this.open) return;
    this.#stamp(error);
    this.#buffer.drop();
    this.#finish("failed", { status: "failed", error: asAny(error), partial: this.partial() });
  }

  /** The turn has to be stopped, and fails with `error`: thrown at its reader now, told as its outcome once it has stopped. */
  stopWith(error: AgentwireError): void {
    this.#interrupt({ status: "failed", error });
  }

  /** What waits for the user holds up the turn, not the server. */
  opened(request: PendingRequest): void {
    this.tools.opened(request);
  }

  /** A question that is seen, and waits for nobody here. */
  observed(question: Question): void {
    this.#emitter.emit("question", question);
  }

  closed(id: string): void {
    this.tools.closed(id);
  }

  /** It is safe to go on after a stop: settles what `stop` began. */
  stopped(): void {
    const interruption = this.#interruption;
    if (!interruption || this.settled) return;
    const partial = this.partial();
    interruption.error.partial = partial; // what came in between, too
    if (interruption.status === "cancelled") {
      this.#finish("cancelled", { status: "cancelled", by: interruption.by, partial });
    } else {
      this.#finish("failed", { status: "failed", error: asAny(interruption.error), partial });
    }
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
    this.#setup.outbox.run(() => this.#interrupt({ status: "cancelled", by: "signal", error }));
  };

  #expire(kind: "idle" | "total", timeout: number): void {
    this.#interrupt({
      status: "failed",
      error: new TurnTimeoutError(kind, timeout, { retryable: this.#setup.repeatable }),
    });
  }

  /** Ends the iteration now, and asks the protocol to end the rest. */
  #interrupt(interruption: Interruption): void {
    if (!this.open) return;
    this.#interruption = interruption;
    interruption.error.delivery = "unknown";
    this.#stamp(interruption.error);
    if (interruption.status === "cancelled" && interruption.by === "user") this.#buffer.drop();
    else this.#buffer.fail(interruption.error);
    this.#release();
    this.#setStatus("cancelling");
    this.#setup.stop(false);
  }

  #consume(consumer: "the async iterator" | "textStream"): Reader<Event> {
    if (!this.#setup.read) {
      throw new InvalidInputError(
        `turn ${this.id} was made with \`read: false\`, and keeps no events.`,
        'Leave `read` out to read it; `turn.on("event", ...)` and `turn.result` work either way.',
        { code: "already-consumed" },
      );
    }
    if (this.#consumer) {
      throw new InvalidInputError(
        `turn ${this.id} is already read through ${this.#consumer}.`,
        'A turn has one reader; use `turn.on("event", ...)` for a second one.',
        { code: "already-consumed" },
      );
    }
    this.#consumer = consumer;
    this.#checkFlow(); // one that begins late may find more than it can keep up with
    return {
      next: () => {
        const next = this.#buffer.next();
        this.#checkFlow();
        return next;
      },
      return: () => {
        if (this.#status === "cancelling")
          this.#buffer.drop(); // who leaves does not insist
        else void this.cancel();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #checkFlow(): void {
    const { flow, maxBufferedBytes } = this.#setup;
    if (!flow) return;
    const { size, bytes } = this.#buffer;
    // Half of the bytes is left for what is on its way when it is paused.
    const isHigh = size >= flow.high || bytes > maxBufferedBytes / 2;
    if (!this.#released && this.open && this.#consumer && isHigh) {
      this.#released = this.hold();
      flow.pause();
    } else if (this.#released && size <= flow.high / 2 && bytes <= maxBufferedBytes / 4) {
      this.#unpause();
    }
  }

  #unpause(): void {
    const released = this.#released;
    if (!released) return;
    this.#released = undefined;
    released();
    this.#setup.flow?.resume();
  }

  #cancelled(partial: TurnPartial): AgentwireError {
    const error = this.#interruption?.error ?? new TurnCancelledError("user");
    error.partial = partial;
    return error;
  }

  #stamp(error: AgentwireError): void {
    error.partial = this.partial();
    if (isAgentwireError(error, "connection-lost") && this.toolCalls.length > 0)
      error.sideEffectsPossible = true;
    if (this.#sent) return;
    error.delivery = "not-sent";
    error.input = this.#setup.input;
  }

  #finish(status: TurnStatus, outcome: TurnOutcome<Result>): void {
    this.#release();
    this.#setStatus(status);
    this.#emitter.close();
    this.#settle(outcome);
    this.#setup.settled();
  }

  #release(): void {
    this.#unpause(); // what it was paused for comes to its end
    this.#idle.stop();
    this.#cancelTotal?.();
    this.#setup.signal?.removeEventListener("abort", this.#onAbort);
  }

  #setStatus(status: TurnStatus): void {
    this.#status = status;
    this.#emitter.emit("status", status);
  }
}
