import { QueueFullError } from "../errors.ts";
import { Table } from "../table.ts";

/** Turns that wait to be sent, oldest first, bounded in number and in bytes; one can be taken out of the middle. */
export class TurnQueue<Turn> {
  readonly #waiting = new Table<Turn, number>();
  /** Turns of conversations that wait for those before them: not to be sent yet, but they take their room. */
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
   * An empty queue takes a turn of any size: what one frame may hold is another limit.
   * @throws QueueFullError when the turn, of `bytes` bytes, does not fit.
   */
  assertRoom(bytes: number): void {
    const turns = this.#waiting.size + this.#held.size + 1;
    if (turns === 1) return;
    if (turns > this.#maxTurns) throw new QueueFullError("turns", turns, this.#maxTurns);
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new QueueFullError("bytes", this.#bytes + bytes, this.#maxBytes);
    }
  }

  /** Takes the room of a turn that is not to be sent yet. */
  hold(turn: Turn, bytes: number): void {
    this.#held.set(turn, bytes);
    this.#bytes += bytes;
  }

  /** Without `bytes` the turn takes what it took while it was held. */
  add(turn: Turn, bytes = this.#held.get(turn) ?? 0): void {
    this.delete(turn); // it was held perhaps
    this.#waiting.set(turn, bytes);
    this.#bytes += bytes;
  }

  delete(turn: Turn): boolean {
    this.#bytes -= this.#waiting.get(turn) ?? this.#held.get(turn) ?? 0;
    return this.#waiting.delete(turn) || this.#held.delete(turn);
  }

  /** The oldest, left where it is. */
  first(): Turn | undefined {
    for (const turn of this.#waiting.keys()) return turn;
    return undefined;
  }

  /** Removes those that wait to be sent, and returns them, oldest first. */
  takeAll(): Turn[] {
    const turns = [...this.#waiting.keys()];
    for (const turn of turns) this.delete(turn);
    return turns;
  }
}
