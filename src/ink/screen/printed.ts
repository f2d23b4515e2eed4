// The rows that go to the scrollback, some for each frame.
import type { Folded } from "../parts/folded.ts";
import type { Row } from "../rows/row.ts";
import type { Sink } from "../transcript/sink.ts";

/** The rows of one frame that go to the scrollback. */
export interface Block {
  readonly id: number;
  readonly rows: readonly Row[];
}

/** What `<Static>` gets: the blocks of one epoch. A new epoch is a new `<Static>`, so that old blocks need not be kept. */
export interface Printed {
  readonly epoch: number;
  readonly blocks: readonly Block[];
}

/** Blocks of an epoch. Each frame copies the list, so that the list has to be short. */
const BLOCKS_PER_EPOCH = 256;

/** Rows that one frame prints. More wait for the next frame: a key that is pressed meanwhile must not wait for all of them. */
export const MAX_ROWS_PER_FRAME = 400;

/** Rows of an open text that stay in the live region. The rows before them go to the scrollback. */
export const TAIL_ROWS = 4;

/** What goes to the scrollback: rows of this frame, and longer texts that take several frames. */
export class Printout {
  #printed: Printed = { epoch: 0, blocks: [] };
  #id = 0;
  #isShown = true;
  #folded: Folded | undefined;
  /** Rows that wait for their frame, and how many of them are printed. */
  #queue: Row[] = [];
  #at = 0;

  get printed(): Printed {
    return this.#printed;
  }

  /** What was printed in part last. */
  get folded(): Folded | undefined {
    return this.#folded;
  }

  get isDrained(): boolean {
    return this.#at >= this.#queue.length;
  }

  /** Whether rows of the queue were printed. */
  get hasBegun(): boolean {
    return this.#at > 0 || this.isDrained;
  }

  /** Prints rows as soon as there is room. */
  enqueue(rows: readonly Row[]): void {
    for (const row of rows) this.#queue.push(row);
  }

  /** The blocks are on the screen, so that they need not be kept. */
  shown(): void {
    this.#isShown = true;
  }

  /** Collects the rows of one frame. `fill` prints into the sink. */
  frame(facts: Omit<Sink, "room" | "print" | "fold">, fill: (sink: Sink) => void): void {
    const rows: Row[] = [];
    const sink: Sink = {
      ...facts,
      get room() {
        return MAX_ROWS_PER_FRAME - rows.length;
      },
      print: (more) => {
        for (const row of more) rows.push(row);
      },
      fold: (folded) => {
        this.#folded = folded.at(-1) ?? this.#folded;
      },
    };
    fill(sink);
    if (rows.length === 0) return;
    const { epoch, blocks } = this.#printed;
    const isFull = blocks.length >= BLOCKS_PER_EPOCH && this.#isShown;
    const block = { id: this.#id++, rows };
    this.#printed = isFull ? { epoch: epoch + 1, blocks: [block] } : { epoch, blocks: [...blocks, block] };
    this.#isShown = false;
  }

  /** Prints rows of the queue. */
  drain(sink: Sink): void {
    const end = Math.min(this.#queue.length, this.#at + Math.max(0, sink.room));
    sink.print(this.#queue.slice(this.#at, end));
    this.#at = end;
    if (!this.isDrained) return;
    this.#queue = [];
    this.#at = 0;
  }
}
