// The newest frames of a chat, shared by all of its viewers in this process.
import { eventMark } from "../../universal/event-mark.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { RelayLimits } from "../limits.ts";
import type { KnownEvent } from "./event-at.ts";
import { type EventFrame, framesOf } from "./frames.ts";

/** Bytes that all tails of a process keep. */
export interface TailBudget {
  used: number;
}

type TailLimits = Pick<RelayLimits, "maxFrameEvents" | "maxFrameBytes" | "tailBytes" | "allTailBytes">;

/** The newest frames of a chat. Each event is encoded once, however many viewers there are. */
export class ChannelTail {
  readonly #limits: TailLimits;
  readonly #budget: TailBudget;
  /** Undefined while the chat does not exist. */
  #log: string | undefined;
  #head = 0;
  #newest: KnownEvent | undefined;
  #frames: EventFrame[] = [];
  /** The index of the oldest kept frame. The frames before it are dropped later, many at once. */
  #start = 0;
  #bytes = 0;

  constructor(limits: TailLimits, budget: TailBudget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  get log(): string | undefined {
    return this.#log;
  }

  /** The position of the newest event. */
  get head(): number {
    return this.#head;
  }

  /** The newest event. Undefined: it came before this tail. */
  get newest(): KnownEvent | undefined {
    return this.#newest;
  }

  /** The newest event, read from the log. */
  learn(head: number, newest: KnownEvent): void {
    if (this.#head === head) this.#newest ??= newest;
  }

  /** Begins at a position, without frames. */
  begin(log: string | undefined, head: number): void {
    this.#log = log;
    this.#head = head;
    this.#newest = undefined;
    this.clear();
  }

  /** @param isWatched whether viewers will read the frames */
  add(log: string, epoch: number, events: readonly UniversalEvent[], isWatched: boolean): void {
    this.#log = log;
    if (!isWatched) this.clear();
    else
      for (const frame of framesOf(log, this.#head + 1, events, this.#limits)) {
        this.#frames.push(frame);
        this.#bytes += frame.bytes.length;
        this.#budget.used += frame.bytes.length;
      }
    this.#head += events.length;
    const last = events.at(-1);
    if (last) this.#newest = { epoch, mark: eventMark(last) };
    this.#trim();
  }

  /** The frame that begins after a position. `log`: the log has it. Undefined: there is none yet. */
  after(position: number): EventFrame | "log" | undefined {
    if (position >= this.#head) return undefined;
    let low = this.#start;
    let high = this.#frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#frames[middle]?.last ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    const frame = this.#frames[low];
    return frame?.first === position + 1 ? frame : "log";
  }

  clear(): void {
    this.#budget.used -= this.#bytes;
    this.#bytes = 0;
    this.#frames = [];
    this.#start = 0;
  }

  #trim(): void {
    const { tailBytes, allTailBytes } = this.#limits;
    while (this.#bytes > tailBytes || (this.#budget.used > allTailBytes && this.#bytes > 0)) {
      const size = this.#frames[this.#start++]?.bytes.length ?? 0;
      this.#bytes -= size;
      this.#budget.used -= size;
    }
    if (this.#start < 64 || this.#start < this.#frames.length / 2) return;
    this.#frames = this.#frames.slice(this.#start);
    this.#start = 0;
  }
}
