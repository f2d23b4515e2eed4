import { QueueFullError } from "./errors.ts";

/** Turns that wait to be sent, oldest first, bounded in number and in bytes; one can be taken out of the middle. */
export class TurnQueue<Turn> {
  readonly #waiting = new Map<Turn, number>();
  readonly #maxTurns: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(limits: { readonly maxTurns: number; readonly maxBytes: number }) {
    this.#maxTurns = limits.maxTurns;
    this.#maxBytes = limits.maxBytes;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * An empty queue takes a turn of any size: what one frame may hold is another limit.
   * @throws QueueFullError when the turn, of `bytes` bytes, does not fit.
   */
  assertRoom(bytes: number): void {
    if (this.#waiting.size === 0) return;
    const turns = this.#waiting.size + 1;
    if (turns > this.#maxTurns) throw new QueueFullError("turns", turns, this.#maxTurns);
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new QueueFullError("bytes", this.#bytes + bytes, this.#maxBytes);
    }
  }

  add(turn: Turn, bytes: number): void {
    this.#waiting.set(turn, bytes);
    this.#bytes += bytes;
  }

  delete(turn: Turn): boolean {
    this.#bytes -= this.#waiting.get(turn) ?? 0;
    return this.#waiting.delete(turn);
  }

  /** The oldest, left where it is. */
  first(): Turn | undefined {
    for (const turn of this.#waiting.keys()) return turn;
    return undefined;
  }

  /** Removes all and returns them, oldest first. */
  clear(): Turn[] {
    const turns = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.#bytes = 0;
    return turns;
  }
}
