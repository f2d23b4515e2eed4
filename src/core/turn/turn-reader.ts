// The reader of a turn (`for await`): buffers events, and pauses the source while the reader is slow.
import { InvalidInputError } from "../errors.ts";
import { EventBuffer } from "./event-buffer.ts";
import { keptBytes, mostBytes } from "./kept-bytes.ts";
import type { TurnResult } from "./turn.ts";
import type { TurnSetup } from "./turn-setup.ts";

interface ReadTurn {
  /** Whether more events may arrive. */
  readonly open: boolean;
  /** Pauses the idle limit until the returned function is called. */
  hold(): () => void;
  /** Called when the reader leaves the loop. */
  leave(): void;
}

/** The iterator for events and texts. */
interface Pulled<Event> {
  next(): Promise<IteratorResult<Event, undefined>>;
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** The share of `maxBufferedBytes` for quick, too high estimates. Beyond it, events are measured. */
const ROUGHLY_COUNTED = 1 / 16;

/** The only reader of a turn. Buffers events, and pauses their source while the reader is slow. */
export class TurnReader<Event, Result extends TurnResult> {
  readonly #setup: TurnSetup<Event, Result>;
  readonly #turn: ReadTurn;
  readonly #buffer: EventBuffer<Event>;
  #consumer: "the async iterator" | "textStream" | undefined;
  /** Resumes the idle limit, which pauses with the source: the server did not cause the silence. */
  #released: (() => void) | undefined;

  constructor(setup: TurnSetup<Event, Result>, turn: ReadTurn) {
    this.#setup = setup;
    this.#turn = turn;
    this.#buffer = new EventBuffer(setup.maxBufferedBytes);
  }

  /** Adds an event. `bytes` is the length of its frame or line. */
  push(event: Event, bytes: number): void {
    this.#buffer.push(event, this.#buffer.keeps ? this.#costOf(event, bytes) : 0);
    if (this.#setup.flow) this.#checkFlow();
  }

  end(): void {
    this.#buffer.end();
  }

  fail(error: unknown): void {
    this.#buffer.fail(error);
  }

  /** Ends the iteration now, without the buffered events. */
  drop(): void {
    this.#buffer.drop();
  }

  /** Resumes a paused source. */
  unpause(): void {
    const released = this.#released;
    if (!released) return;
    this.#released = undefined;
    released();
    this.#setup.flow?.resume();
  }

  /** @throws InvalidInputError `already-consumed` for a second reader */
  events(): AsyncIterator<Event, undefined> {
    return this.#consume("the async iterator");
  }

  /** The non-empty texts of the events. */
  texts(): AsyncIterator<string, undefined> {
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
    // One pull at a time. Otherwise a later pull could overtake one that skips events without text.
    let last: Promise<unknown> = Promise.resolve();
    const next = (): Promise<IteratorResult<string, undefined>> => {
      const step = last.then(pull, pull);
      last = step;
      return step;
    };
    return { next, return: events.return };
  }

  #consume(consumer: "the async iterator" | "textStream"): Pulled<Event> {
    const { id, read } = this.#setup;
    if (!read) {
      throw new InvalidInputError(
        `turn ${id} was made with \`read: false\`, and keeps no events.`,
        'Leave `read` out to read it; `turn.on("event", ...)` and `turn.result` work either way.',
        { code: "already-consumed" },
      );
    }
    if (this.#consumer) {
      throw new InvalidInputError(
        `turn ${id} is already read through ${this.#consumer}.`,
        'A turn has one reader; use `turn.on("event", ...)` for a second one.',
        { code: "already-consumed" },
      );
    }
    this.#consumer = consumer;
    this.#checkFlow(); // many events may be buffered already
    return {
      next: () => {
        const next = this.#buffer.next();
        this.#checkFlow();
        return next;
      },
      return: () => {
        this.#turn.leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** The estimated size of a buffered event. With little buffered, a maximum is cheaper than measuring. */
  #costOf(event: Event, characters: number): number {
    const { maxBufferedBytes } = this.#setup;
    const most = mostBytes(characters);
    if (this.#buffer.bytes + most <= maxBufferedBytes * ROUGHLY_COUNTED) return most;
    return Math.max(characters, keptBytes(event, maxBufferedBytes));
  }

  #checkFlow(): void {
    const { flow, maxBufferedBytes } = this.#setup;
    if (!flow) return;
    const { size, bytes } = this.#buffer;
    // Half of the bytes stay free for events that arrive after the pause.
    const isHigh = size >= flow.high || bytes > maxBufferedBytes / 2;
    if (!this.#released && this.#turn.open && this.#consumer && isHigh) {
      this.#released = this.#turn.hold();
      flow.pause();
    } else if (this.#released && size <= flow.high / 2 && bytes <= maxBufferedBytes / 4) {
      this.unpause();
    }
  }
}
