import { isAgentwireError, type Turn, type TurnOutcome, type TurnResult } from "agentwire";
import { countingController } from "../../helpers/codebuff.ts";
import { Watched } from "./watched.ts";

/** Who reads a turn: a loop over events or text, a loop that leaves after two events, one `next()` at a time, or nobody. */
export type Reader = "loop" | "text" | "two" | "slow" | "nobody";

export type Status = Turn<unknown, TurnResult>["status"];

const RANK: Readonly<Record<Status, number>> = {
  queued: 0,
  sent: 1,
  streaming: 2,
  recovering: 3,
  cancelling: 4,
  completed: 5,
  cancelled: 5,
  failed: 5,
};

/** One turn of any client as its user and the peer see it, from before the call to after the end. */
export abstract class WatchedTurn<Event, Result extends TurnResult> {
  /** No other turn has it. */
  readonly name: string;
  /** Its client was closed before anybody could listen to it: its events were told to nobody but its reader. */
  isUntold = false;
  readonly reader: Reader;
  readonly abort: ReturnType<typeof countingController> | undefined;
  /** A socket has refused a frame when this may have been next: it is not written, and may say that nobody knows. */
  mayBeUnwritten = false;
  /** Events as the client told them. */
  readonly events: Event[] = [];
  /** Events as the turn told them. */
  readonly told: Event[] = [];
  /** `cancel()` was called when it was over: that only empties its buffer. */
  cancelledLate = false;
  #turn: Turn<Event, Result> | undefined;
  /** What its listeners were told of its status. */
  readonly #statuses: Status[] = [];
  #last: Status = "queued";
  #end: { readonly text: string; readonly events: number } | undefined;
  #outcome: Watched<TurnOutcome<Result>> | undefined;
  #result: Watched<Result> | undefined;
  #iterator: AsyncIterator<Event, undefined> | undefined;
  readonly #read: Event[] = [];
  #readText = "";
  #readerEnd: { readonly thrown?: unknown } | undefined;
  #left = false;
  /** Whether more was read once everything was over. */
  #readOn = false;

  constructor(name: string, options: { readonly reader: Reader; readonly signal: boolean }) {
    this.name = name;
    this.reader = options.reader;
    this.abort = options.signal ? countingController() : undefined;
  }

  /** Whether it was given to a socket. */
  abstract get wasSent(): boolean;

  /** What its events say, in order. */
  protected abstract textOf(events: readonly Event[]): string;

  /** What else is wrong with it now. */
  protected *alsoNow(_turn: Turn<Event, Result>): Iterable<string> {}

  /** What else is wrong with how it ended. */
  protected *alsoInTheEnd(_outcome: TurnOutcome<Result>): Iterable<string> {}

  /** The call gave a turn. Its result is asked for, and `looksAtResult` says whether anybody waits for it. */
  begin(turn: Turn<Event, Result>, looksAtResult = true): void {
    this.#turn = turn;
    this.#outcome = new Watched(turn.outcome);
    if (looksAtResult) this.#result = new Watched(turn.result);
    else void turn.result;
    turn.on("event", (event) => void this.told.push(event));
    turn.on("status", (status) => void this.#statuses.push(status));
    if (this.reader === "loop") void this.#loop(turn, Number.POSITIVE_INFINITY);
    if (this.reader === "two") void this.#loop(turn, 2);
    if (this.reader === "text") void this.#loopText(turn);
    if (this.reader === "slow") this.#iterator = turn[Symbol.asyncIterator]();
  }

  get turn(): Turn<Event, Result> | undefined {
    return this.#turn;
  }

  get status(): Status {
    return this.#turn?.status ?? "queued";
  }

  get over(): boolean {
    return RANK[this.status] === RANK.completed;
  }

  /** Whether its end was told: an event may be told when the turn is over already, and never behind its end. */
  get endIsTold(): boolean {
    return RANK[this.#statuses.at(-1) ?? "queued"] === RANK.completed;
  }

  /** Whether the caller has stopped it: what had come then, and was not told yet, is told to nobody but a reader. */
  get isCancelled(): boolean {
    const { status } = this;
    return status === "cancelling" || status === "cancelled";
  }

  /** Whether it takes what comes. */
  get open(): boolean {
    return RANK[this.status] < RANK.cancelling;
  }

  get shown(): string {
    return this.#turn?.text ?? "";
  }

  get outcome(): TurnOutcome<Result> | undefined {
    const fate = this.#outcome?.fate;
    return fate && "value" in fate ? fate.value : undefined;
  }

  /** Why it failed, if it has. */
  get error(): unknown {
    return this.outcome?.status === "failed" ? this.outcome.error : undefined;
  }

  cancel(): void {
    if (this.over) this.cancelledLate = true;
    void this.#turn?.cancel();
  }

  /** One more `next()`, without waiting for those before it. */
  pull(): void {
    void this.#iterator?.next().then(
      ({ done, value }) => {
        if (value) this.#read.push(value);
        if (done) this.#readerEnd ??= {};
      },
      (thrown: unknown) => {
        this.#readerEnd = { thrown };
      },
    );
  }

  leave(): void {
    if (!this.#iterator || this.#left) return;
    this.#left = true;
    if (this.over) this.cancelledLate = true;
    void this.#iterator.return?.();
  }

  /** What is wrong with it now. */
  *check(): Iterable<string> {
    const { status, shown } = this;
    if (RANK[status] < RANK[this.#last]) yield `went from ${this.#last} back to ${status}`;
    if (RANK[this.#last] === RANK.completed && status !== this.#last)
      yield `ended twice, as ${this.#last} and ${status}`;
    this.#last = status;
    const text = this.textOf(this.events);
    if (this.isCancelled ? !shown.startsWith(text) : shown !== text) yield `shows ${shown} but told ${text}`;
    const wrong = this.#statuses.findIndex(
      (next, at, all) => RANK[next] <= RANK[all[at - 1] ?? "queued"] && at > 0,
    );
    if (wrong > 0) yield `told of ${this.#statuses[wrong]} behind ${this.#statuses[wrong - 1]}`;
    if (status === "sent" && !this.wasSent && !this.mayBeUnwritten) yield "says it was sent, and was not";
    if (this.over) yield* this.#checkEnd();
    if (this.#turn) yield* this.alsoNow(this.#turn);
  }

  *#checkEnd(): Iterable<string> {
    this.#end ??= { text: this.shown, events: this.events.length };
    if (this.shown !== this.#end.text) yield "its text changed after the end";
    if (this.events.length !== this.#end.events) yield "an event came after the end";
    if ((this.#turn?.pending ?? []).length > 0) yield "something is open after the end";
    if (this.abort && this.abort.listeners() > 0) yield "listens to its signal after the end";
  }

  /** Reads on to the end. */
  async finish(settle: () => Promise<void>): Promise<void> {
    const before = this.#read.length;
    for (let more = 0; this.reader === "slow" && !this.#readerEnd && more < 1_000; more++) {
      this.pull();
      await settle();
    }
    this.#readOn = this.#read.length > before;
  }

  /** What is wrong with how it ended, once everything is over. */
  *verdict(): Iterable<string> {
    const { outcome } = this;
    if (!outcome) {
      yield "has no outcome";
      return;
    }
    if (outcome.status !== this.status) yield `is ${this.status}, its outcome says ${outcome.status}`;
    if (this.#statuses.at(-1) !== this.status) yield `is ${this.status}, and told ${this.#statuses.at(-1)}`;
    const { text } = outcome.status === "completed" ? outcome.result : outcome.partial;
    if (text !== this.shown) yield "its outcome has another text";
    if (outcome.status === "failed") yield* this.#checkDelivery(outcome.error);
    yield* this.#checkResult(outcome);
    yield* this.#checkReading(outcome);
    const from = this.told[0] ? this.events.indexOf(this.told[0]) : 0;
    if (this.told.some((event, at) => event !== this.events[from + at]))
      yield "told its own listeners something else";
    yield* this.alsoInTheEnd(outcome);
  }

  *#checkDelivery(error: unknown): Iterable<string> {
    if (!isAgentwireError(error)) {
      yield `failed with what is no error of the library: ${String(error)}`;
      return;
    }
    const saysNotSent = error.delivery === "not-sent";
    if (this.mayBeUnwritten && !this.wasSent && error.delivery === "unknown") return;
    if (saysNotSent === this.wasSent) yield `its ${error.code} says ${error.delivery}, sent: ${this.wasSent}`;
  }

  *#checkResult(outcome: TurnOutcome<Result>): Iterable<string> {
    if (!this.#result) return; // nobody looks at it
    const { fate } = this.#result;
    if (!fate) yield "its result is pending";
    else if (outcome.status === "completed") {
      if (!("value" in fate) || fate.value !== outcome.result) yield "its result is not that of its outcome";
    } else if (!("error" in fate)) {
      yield `${outcome.status}, and its result resolved`;
    } else {
      const same =
        outcome.status === "failed"
          ? fate.error === outcome.error
          : isAgentwireError(fate.error, "turn-cancelled");
      if (!same) yield `${outcome.status}, and its result rejects with ${String(fate.error)}`;
    }
  }

  *#checkReading(outcome: TurnOutcome<Result>): Iterable<string> {
    if (this.reader === "nobody" || this.#left || this.isUntold) return;
    if (!this.#readerEnd) {
      yield "its reader still waits";
      return;
    }
    const both = this.isCancelled ? Math.min(this.#read.length, this.events.length) : this.#read.length;
    if (this.#read.slice(0, both).some((event, at) => event !== this.events[at]))
      yield "its reader was given something else";
    const all =
      this.reader === "text" ? this.#readText === this.shown : this.#read.length >= this.events.length;
    const stopped = this.reader === "two" && this.#read.length === 2;
    const { thrown } = this.#readerEnd;
    if (this.cancelledLate && this.#readOn) yield "was cancelled after its end, and its reader got more";
    if (isAgentwireError(thrown, "buffer-overflow") || stopped || this.cancelledLate) return;
    const silent =
      outcome.status === "completed" ||
      (outcome.status === "cancelled" && outcome.by === "user") ||
      (outcome.status === "failed" && isCallersClose(outcome.error));
    if (silent !== (thrown === undefined))
      yield `${outcome.status}, and its reader was thrown ${String(thrown)}`;
    if (outcome.status === "failed" && !silent && thrown !== outcome.error)
      yield "threw another error at its reader";
    const dropped = silent && outcome.status !== "completed";
    if (!all && !dropped) yield `${outcome.status}, and its reader missed something`;
  }

  async #loop(turn: Turn<Event, Result>, limit: number): Promise<void> {
    try {
      for await (const event of turn) {
        this.#read.push(event);
        if (this.#read.length >= limit) {
          if (this.over) this.cancelledLate = true;
          break;
        }
      }
      this.#readerEnd = {};
    } catch (thrown) {
      this.#readerEnd = { thrown };
    }
  }

  async #loopText(turn: Turn<Event, Result>): Promise<void> {
    try {
      for await (const text of turn.textStream) this.#readText += text;
      this.#readerEnd = {};
    } catch (thrown) {
      this.#readerEnd = { thrown };
    }
  }
}

/** Those that take what comes before the others. */
export function openFirst<Turn extends { readonly open: boolean }>(turns: readonly Turn[]): readonly Turn[] {
  return [...turns.filter(({ open }) => open), ...turns.filter(({ open }) => !open)];
}

/** A client that had closed itself says what closed it, and then a reader has to hear of it. */
function isCallersClose(error: unknown): boolean {
  if (!isAgentwireError(error, "closed")) return false;
  return error.cause === undefined || isCallersClose(error.cause);
}
