// The rows for the scrollback, a limited number per frame.
import type { Folded } from "../parts/folded.ts";
import type { Row } from "../rows/row.ts";
import type { Sink } from "../transcript/sink.ts";

export interface Block {
  readonly id: number;
  readonly rows: readonly Row[];
}

/** The blocks of one epoch, for `<Static>`. Each epoch has a new `<Static>`, so old blocks are dropped. */
export interface Printed {
  readonly epoch: number;
  readonly blocks: readonly Block[];
}

/** Blocks per epoch. Each frame copies the list, so the list must be short. */
const BLOCKS_PER_EPOCH = 256;

/** Maximum rows per frame. More rows wait for the next frame, so that keys do not wait for all rows. */
export const MAX_ROWS_PER_FRAME = 400;

/** Rows of an open text that stay in the live region. Earlier rows go to the scrollback. */
export const TAIL_ROWS = 4;

/** Collects rows for the scrollback: the rows of this frame, and queued texts that take several frames. */
export class Printout {
  #printed: Printed = { epoch: 0, blocks: [] };
  #id = 0;
  #isShown = true;
  #folded: Folded | undefined;
  /** Queued rows. The first `#at` of them are printed. */
  #queue: Row[] = [];
  #at = 0;

  get printed(): Printed {
    return this.#printed;
  }

  get folded(): Folded | undefined {
    return this.#folded;
  }

  get isDrained(): boolean {
    return this.#at >= this.#queue.length;
  }

  /** Whether rows of the queue were printed, or the queue is empty. */
  get hasBegun(): boolean {
    return this.#at > 0 || this.isDrained;
  }

  enqueue(rows: readonly Row[]): void {
    for (const row of rows) this.#queue.push(row);
  }

  /** The blocks are on the screen and can be dropped. */
  shown(): void {
    this.#isShown = true;
  }

  /** Collects the rows of one frame. `fill` prints into the sink. */
  frame(facts: Omit<Sink, "space" | "print" | "fold">, fill: (sink: Sink) => void): void {
    const rows: Row[] = [];
    const sink: Sink = {
      ...facts,
      get space() {
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

  drain(sink: Sink): void {
    const end = Math.min(this.#queue.length, this.#at + Math.max(0, sink.space));
    sink.print(this.#queue.slice(this.#at, end));
    this.#at = end;
    if (!this.isDrained) return;
    this.#queue = [];
    this.#at = 0;
  }
}
