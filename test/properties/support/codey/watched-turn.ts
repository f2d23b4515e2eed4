import type { CodeyEvent, CodeyResult, Turn, TurnOutcome } from "agentwire/codey";
import { isAgentwireError } from "agentwire/codey";
import { countingController } from "../../../helpers/codebuff.ts";
import { Watched } from "../watched-prompt.ts";
import type { Reader } from "./scenario.ts";

type CodeyTurn = Turn<CodeyEvent, CodeyResult>;
type Status = CodeyTurn["status"];

const RANK: Readonly<Record<Status, number>> = {
  queued: 0,
  sent: 1,
  streaming: 2,
  cancelling: 3,
  completed: 4,
  cancelled: 4,
  failed: 4,
};

/** What a call may be once its turn is over. */
const LAST: ReadonlySet<string> = new Set(["done", "failed", "denied", "abandoned"]);

/** What makes an agent the root: the first to speak, or to ask for calls. */
const SPEAKING: ReadonlySet<string> = new Set(["TextDelta", "ThinkingDelta", "ToolRequest"]);

/** One turn as its user and the peer see it, from before the call to after the end. */
export class WatchedTurn {
  /** What it says: no other turn says the same. */
  readonly content: string;
  readonly reader: Reader;
  readonly abort: ReturnType<typeof countingController> | undefined;
  /** Events as the client told them. */
  readonly events: CodeyEvent[] = [];
  /** Whether its message was written to a socket. */
  sent = false;
  turn: CodeyTurn | undefined;
  #last: Status = "queued";
  #end: { readonly text: string; readonly events: number } | undefined;
  #outcome: Watched<TurnOutcome<CodeyResult>> | undefined;
  #result: Watched<CodeyResult> | undefined;
  #iterator: AsyncIterator<CodeyEvent, undefined> | undefined;
  readonly #read: CodeyEvent[] = [];
  #readText = "";
  #readerEnd: { readonly thrown?: unknown } | undefined;
  #left = false;
  /** `cancel()` was called when it was over: that only empties its buffer. */
  #cancelledLate = false;

  constructor(content: string, options: { readonly reader: Reader; readonly signal: boolean }) {
    this.content = content;
    this.reader = options.reader;
    this.abort = options.signal ? countingController() : undefined;
  }

  begin(turn: CodeyTurn): void {
    this.turn = turn;
    this.#outcome = new Watched(turn.outcome);
    this.#result = new Watched(turn.result);
    if (this.reader === "loop") void this.#loop(turn, Number.POSITIVE_INFINITY);
    if (this.reader === "two") void this.#loop(turn, 2);
    if (this.reader === "text") void this.#loopText(turn);
    if (this.reader === "slow") this.#iterator = turn[Symbol.asyncIterator]();
  }

  get status(): Status {
    return this.turn?.status ?? "queued";
  }

  get over(): boolean {
    return RANK[this.status] === RANK.completed;
  }

  get open(): boolean {
    return RANK[this.status] < RANK.cancelling;
  }

  cancel(): void {
    if (this.over) this.#cancelledLate = true;
    void this.turn?.cancel();
  }

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
    if (this.over) this.#cancelledLate = true;
    void this.#iterator.return?.();
  }

  /** What is wrong with it now. */
  *check(): Iterable<string> {
    const { turn, status } = this;
    if (!turn) return;
    if (RANK[status] < RANK[this.#last]) yield `went from ${this.#last} back to ${status}`;
    if (RANK[this.#last] === RANK.completed && status !== this.#last)
      yield `ended twice, as ${this.#last} and ${status}`;
    this.#last = status;
    const root = this.events.find(({ type }) => SPEAKING.has(type))?.agent_id;
    const texts = this.events.map((event) =>
      event.type === "TextDelta" && event.agent_id === root ? event.content : "",
    );
    if (turn.text !== texts.join("")) yield `shows ${turn.text} but told ${texts.join("")}`;
    if (status === "sent" && !this.sent) yield "says it was sent, and was not";
    if (!this.over) return;
    this.#end ??= { text: turn.text, events: this.events.length };
    if (turn.text !== this.#end.text) yield "its text changed after the end";
    if (this.events.length !== this.#end.events) yield "an event came after the end";
    if (turn.pending.length > 0) yield "something is open after the end";
    if (this.abort && this.abort.listeners() > 0) yield "listens to its signal after the end";
    const left = turn.toolCalls.filter(({ state }) => !LAST.has(state));
    if (left.length > 0) yield `is over, with a call that is ${left[0]?.state}`;
  }

  /** Reads on to the end. */
  async finish(settle: () => Promise<void>): Promise<void> {
    for (let more = 0; this.reader === "slow" && !this.#readerEnd && more < 1_000; more++) {
      this.pull();
      await settle();
    }
  }

  /** What is wrong with how it ended, once everything is over. */
  *verdict(): Iterable<string> {
    const fate = this.#outcome?.fate;
    if (!fate || !("value" in fate)) {
      yield "has no outcome";
      return;
    }
    const { value: outcome } = fate;
    if (outcome.status !== this.status) yield `is ${this.status}, its outcome says ${outcome.status}`;
    const { text } = outcome.status === "completed" ? outcome.result : outcome.partial;
    if (text !== this.turn?.text) yield "its outcome has another text";
    const result = this.#result?.fate;
    if (!result) yield "its result is pending";
    else if ("value" in result !== (outcome.status === "completed"))
      yield `${outcome.status}, and its result says something else`;
    if (outcome.status === "failed") yield* this.#checkDelivery(outcome.error);
    if (this.reader !== "nobody" && !this.#left) yield* this.#checkReading(outcome);
  }

  *#checkDelivery(error: unknown): Iterable<string> {
    if (!isAgentwireError(error)) {
      yield `failed with what is no error of the library: ${String(error)}`;
      return;
    }
    const saysNotSent = error.delivery === "not-sent";
    if (saysNotSent === this.sent) yield `its ${error.code} says ${error.delivery}, sent: ${this.sent}`;
    if (saysNotSent && error.input !== this.content) yield `gives back ${String(error.input)}`;
  }

  *#checkReading(outcome: TurnOutcome<CodeyResult>): Iterable<string> {
    if (!this.#readerEnd) {
      yield "its reader still waits";
      return;
    }
    if (this.#read.some((event, at) => event !== this.events[at]))
      yield "its reader was given something else";
    const { thrown } = this.#readerEnd;
    const stopped = this.reader === "two" && this.#read.length === 2;
    if (isAgentwireError(thrown, "buffer-overflow") || stopped || this.#cancelledLate) return;
    if (outcome.status === "completed") {
      if (thrown !== undefined) yield `completed, and its reader was thrown ${String(thrown)}`;
      const all =
        this.reader === "text"
          ? this.#readText === this.turn?.text
          : this.#read.length === this.events.length;
      if (!all) yield "completed, and its reader missed something";
    }
    if (outcome.status === "failed" && thrown !== undefined && thrown !== outcome.error)
      yield "threw another error at its reader";
  }

  async #loop(turn: CodeyTurn, limit: number): Promise<void> {
    try {
      for await (const event of turn) {
        this.#read.push(event);
        if (this.#read.length >= limit) break;
      }
      this.#readerEnd = {};
    } catch (thrown) {
      this.#readerEnd = { thrown };
    }
  }

  async #loopText(turn: CodeyTurn): Promise<void> {
    try {
      for await (const text of turn.textStream) this.#readText += text;
      this.#readerEnd = {};
    } catch (thrown) {
      this.#readerEnd = { thrown };
    }
  }
}
