import type { CodebuffEvent, CodebuffResult, Turn, TurnOutcome } from "agentwire/codebuff";
import { isAgentwireError } from "agentwire/codebuff";
import { countingController } from "../../helpers/codebuff.ts";
import type { Reader } from "./scenario.ts";
import type { SentFrame, WatchedSocket } from "./watched-socket.ts";

type CodebuffTurn = Turn<CodebuffEvent, CodebuffResult>;
type Status = CodebuffTurn["status"];

const RANK: Readonly<Record<Status, number>> = {
  queued: 0,
  sent: 1,
  streaming: 2,
  cancelling: 3,
  completed: 4,
  cancelled: 4,
  failed: 4,
};

/** A promise that was handed to the user, and what has become of it. */
export class Watched<T> {
  fate: { readonly value: T } | { readonly error: unknown } | undefined;

  constructor(promise: Promise<T>) {
    promise.then(
      (value) => {
        this.fate = { value };
      },
      (error: unknown) => {
        this.fate = { error };
      },
    );
  }
}

/** One prompt as the user and the peer see it, from before the call to after the end. */
export class WatchedPrompt {
  readonly id: string;
  readonly reader: Reader;
  readonly abort: ReturnType<typeof countingController> | undefined;
  /** Whether it belongs to a conversation, which decides when it goes out. */
  readonly held: boolean;
  /** Its place in the order of calls. */
  readonly place: number;
  /** Events as the client told them. */
  readonly events: CodebuffEvent[] = [];
  /** Events as the turn told them. */
  readonly told: CodebuffEvent[] = [];
  /** The text of the chunks that were delivered before its end; `undefined` once the user's own code interfered. */
  text: string | undefined = "";
  /** Whether the peer has told of an error inside the stream; `undefined` where the user's own code interfered. */
  streamError: boolean | undefined = false;
  frame: SentFrame | undefined;
  socket: WatchedSocket | undefined;
  /** `cancel()` was called when it was over: that only empties its buffer. */
  cancelledLate = false;
  #turn: CodebuffTurn | undefined;
  #last: Status = "queued";
  #end: { readonly status: Status; readonly text: string; readonly events: number } | undefined;
  #outcome: Watched<TurnOutcome<CodebuffResult>> | undefined;
  #result: Watched<CodebuffResult> | undefined;
  #iterator: AsyncIterator<CodebuffEvent, undefined> | undefined;
  readonly #read: CodebuffEvent[] = [];
  #readText = "";
  #readerEnd: { readonly thrown?: unknown } | undefined;
  #left = false;
  /** Whether more was read once everything was over. */
  #readOn = false;

  constructor(
    id: string,
    options: {
      readonly reader: Reader;
      readonly signal: boolean;
      readonly held: boolean;
      readonly place: number;
    },
  ) {
    this.id = id;
    this.place = options.place;
    this.reader = options.reader;
    this.abort = options.signal ? countingController() : undefined;
    this.held = options.held;
  }

  /** The call gave a turn. */
  begin(turn: CodebuffTurn): void {
    this.#turn = turn;
    this.#outcome = new Watched(turn.outcome);
    // Of every other turn the result is asked for and left alone, as one who only reads does it.
    if (this.place % 2 === 0) this.#result = new Watched(turn.result);
    else void turn.result;
    turn.on("event", (event) => void this.told.push(event));
    if (this.reader === "loop") void this.#loop(turn, Number.POSITIVE_INFINITY);
    if (this.reader === "two") void this.#loop(turn, 2);
    if (this.reader === "text") void this.#loopText(turn);
    if (this.reader === "slow") this.#iterator = turn[Symbol.asyncIterator]();
  }

  get turn(): CodebuffTurn | undefined {
    return this.#turn;
  }

  get status(): Status {
    return this.#turn?.status ?? "queued";
  }

  get over(): boolean {
    return RANK[this.status] === 4;
  }

  /** Whether it takes what comes. */
  get open(): boolean {
    return RANK[this.status] < RANK.cancelling;
  }

  /** Whether the server is to work on it. */
  get underWay(): boolean {
    return this.frame !== undefined && !this.over;
  }

  /** Why it failed, if it has. */
  get error(): unknown {
    const outcome = this.#outcome?.fate;
    return outcome && "value" in outcome && outcome.value.status === "failed"
      ? outcome.value.error
      : undefined;
  }

  get shown(): string {
    return this.#turn?.text ?? "";
  }

  cancel(): void {
    if (this.over) this.cancelledLate = true;
    void this.#turn?.cancel();
  }

  /** One more `next()`, without waiting for those before it. */
  pull(): void {
    const step = this.#iterator?.next();
    step?.then(
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
    if (RANK[this.#last] === 4 && status !== this.#last) yield `ended twice, as ${this.#last} and ${status}`;
    this.#last = status;
    if (this.#end) {
      if (shown !== this.#end.text) yield "its text changed after the end";
      if (this.events.length !== this.#end.events) yield "an event came after the end";
    } else if (this.over) {
      this.#end = { status, text: shown, events: this.events.length };
    }
    if (this.text !== undefined && shown !== this.text) yield `shows ${shown} instead of ${this.text}`;
    const texts = this.events.map((event) => (event.type === "response-chunk" ? event.text : ""));
    if (texts.join("") !== shown) yield `shows ${shown} but told ${texts.join("")}`;
    if (this.over && this.abort && this.abort.listeners() > 0) yield "listens to its signal after the end";
    if (this.underWay && this.socket?.abandoned) yield "is under way on a socket that has ended";
    if (status === "sent" && !this.frame) yield "says it was sent, and was not";
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
    const outcome = this.#outcome?.fate;
    if (!outcome || !("value" in outcome)) {
      yield "has no outcome";
      return;
    }
    const { value } = outcome;
    if (value.status !== this.status) yield `is ${this.status}, its outcome says ${value.status}`;
    yield* this.#checkOutcome(value);
    yield* this.#checkResult(value);
    yield* this.#checkReading(value);
    const from = this.told[0] ? this.events.indexOf(this.told[0]) : 0;
    if (this.told.some((event, at) => event !== this.events[from + at]))
      yield "told its own listeners something else";
  }

  *#checkOutcome(outcome: TurnOutcome<CodebuffResult>): Iterable<string> {
    const { text } = outcome.status === "completed" ? outcome.result : outcome.partial;
    if (text !== this.shown) yield "its outcome has another text";
    if (outcome.status !== "failed") return;
    const { error } = outcome;
    const saysNotSent = error.delivery === "not-sent";
    if (!isAgentwireError(error)) yield `failed with what is no error of the library: ${String(error)}`;
    if (saysNotSent && this.frame) yield `was sent, and its ${error.code} says not-sent`;
    if (!saysNotSent && !this.frame) yield `was not sent, and its ${error.code} does not say so`;
  }

  *#checkResult(outcome: TurnOutcome<CodebuffResult>): Iterable<string> {
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

  *#checkReading(outcome: TurnOutcome<CodebuffResult>): Iterable<string> {
    if (this.reader === "nobody" || this.#left) return;
    if (!this.#readerEnd) {
      yield "its reader still waits";
      return;
    }
    if (this.#read.some((event, at) => event !== this.events[at]))
      yield "its reader was given something else";
    const all =
      this.reader === "text" ? this.#readText === this.shown : this.#read.length === this.events.length;
    const stopped = this.reader === "two" && this.#read.length === 2;
    const { thrown } = this.#readerEnd;
    if (this.cancelledLate && this.#readOn) yield "was cancelled after its end, and its reader got more";
    if (isAgentwireError(thrown, "buffer-overflow") || stopped || this.cancelledLate) return;
    const silent =
      outcome.status === "completed" ||
      (outcome.status === "cancelled" && outcome.by === "user") ||
      (outcome.status === "failed" && isAgentwireError(outcome.error, "closed"));
    if (silent !== (thrown === undefined))
      yield `${outcome.status}, and its reader was thrown ${String(thrown)}`;
    if (outcome.status === "failed" && !silent && thrown !== outcome.error)
      yield "threw another error at its reader";
    const dropped = silent && outcome.status !== "completed";
    if (!all && !dropped) yield `${outcome.status}, and its reader missed something`;
  }

  async #loop(turn: CodebuffTurn, limit: number): Promise<void> {
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

  async #loopText(turn: CodebuffTurn): Promise<void> {
    try {
      for await (const text of turn.textStream) this.#readText += text;
      this.#readerEnd = {};
    } catch (thrown) {
      this.#readerEnd = { thrown };
    }
  }
}
