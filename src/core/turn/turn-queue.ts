// The queued turns, limited in number and bytes.
import { QueueFullError } from "../errors.ts";
import { Table } from "../table.ts";

/** The queued turns, oldest first, limited in number and bytes. A turn can be removed from the middle. */
export class TurnQueue<Turn> {
  readonly #waiting = new Table<Turn, number>();
  /** Turns that wait for earlier turns of their conversation. They count toward the limits. */
  readonly #held = new Table<Turn, number>();
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
   * An empty queue accepts a turn of any size, because another limit applies to its frame.
   * @throws QueueFullError if a turn of `bytes` bytes does not fit.
   */
  assertSpace(bytes: number): void {
    const turns = this.#waiting.size + this.#held.size + 1;
    if (turns === 1) return;
    if (turns > this.#maxTurns) throw new QueueFullError("turns", turns, this.#maxTurns);
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new QueueFullError("bytes", this.#bytes + bytes, this.#maxBytes);
    }
  }

  /** Reserves space for a turn that cannot be sent yet. */
  hold(turn: Turn, bytes: number): void {
    this.#held.set(turn, bytes);
    this.#bytes += bytes;
  }

  /** Adds a turn that can be sent. Without `bytes` the turn keeps the size from `hold`. */
  add(turn: Turn, bytes = this.#held.get(turn) ?? 0): void {
    this.delete(turn); // it may have been held
    this.#waiting.set(turn, bytes);
    this.#bytes += bytes;
  }

  delete(turn: Turn): boolean {
    this.#bytes -= this.#waiting.get(turn) ?? this.#held.get(turn) ?? 0;
    return this.#waiting.delete(turn) || this.#held.delete(turn);
  }

  /** The oldest queued turn, without removing it. */
  first(): Turn | undefined {
    for (const turn of this.#waiting.keys()) return turn;
    return undefined;
  }

  /** Removes and returns the queued turns, oldest first. */
  takeAll(): Turn[] {
    const turns = [...this.#waiting.keys()];
    for (const turn of turns) this.delete(turn);
    return turns;
  }
}
