import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Dice } from "./dice.ts";
import type { HalfPlan } from "./plan.ts";

/** Bytes of one read that travel one by one; more would take too long. */
const ONE_BY_ONE = 400;

/** Bytes of a link that do: each takes a turn of the event loop, and a busy one takes ten ms. */
const MOST_ONE_BY_ONE = 1_000;

/** Bytes of a random segment, at most. */
const SEGMENT = 200;

/** One direction of a link: what is read on one socket is written to the other, in its own time and in its own pieces. */
export class Half {
  readonly #to: Socket;
  readonly #plan: HalfPlan;
  readonly #dice: Dice;
  readonly #queue: Buffer[] = [];
  #running = false;
  #finished = false;
  #swallows = false;
  #passed = 0;
  #fault: { readonly at: number; readonly happen: () => void } | undefined;
  #stall = 0;

  constructor(from: Socket, to: Socket, plan: HalfPlan, dice: Dice) {
    this.#to = to;
    this.#plan = plan;
    this.#dice = dice;
    from.on("data", (bytes: Buffer) => {
      if (this.#swallows) return;
      this.#queue.push(bytes);
      this.#run();
    });
    from.on("end", () => {
      this.#finished = true;
      this.#run();
    });
  }

  /** Whether the end of its source must not be told on the other side. */
  get swallows(): boolean {
    return this.#swallows;
  }

  /** Calls `happen` when so many bytes have passed, and before the next one does. */
  faultAfter(at: number, happen: () => void): void {
    this.#fault = { at, happen };
  }

  /** Nothing passes any more, not even the end. */
  swallow(): void {
    this.#swallows = true;
    this.#queue.length = 0;
  }

  /** Ends this direction here, behind what has passed. */
  finish(): void {
    this.swallow();
    this.#to.end();
  }

  /** Nothing passes for so many ms. */
  stall(ms: number): void {
    this.#stall = ms;
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#pump();
  }

  async #pump(): Promise<void> {
    const { delay, gather } = this.#plan;
    while (this.#queue.length > 0 && !this.#to.destroyed) {
      const wait = gather > 0 ? gather : delay > 0 ? this.#dice.int(0, delay) : 0;
      if (wait > 0) await setTimeout(wait);
      // With `gather` all that has come meanwhile goes out in one write.
      const bytes = gather > 0 ? Buffer.concat(this.#queue.splice(0)) : this.#queue.splice(0, 1)[0];
      if (bytes) await this.#write(bytes);
    }
    this.#running = false;
    if (this.#finished && !this.#swallows) this.#to.end();
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#stall > 0) await this.#wait();
      if (this.#swallows || this.#to.destroyed) return;
      let end = Math.min(bytes.length, at + this.#pieceOf(bytes.length));
      const left = this.#fault ? this.#fault.at - this.#passed : Number.POSITIVE_INFINITY;
      if (left < end - at) end = at + Math.max(0, left);
      if (end > at) this.#to.write(bytes.subarray(at, end));
      this.#passed += end - at;
      at = end;
      // So that each piece is read by itself.
      if (at < bytes.length) await setImmediate();
      if (this.#fault && this.#passed >= this.#fault.at) this.#happen();
    }
  }

  #pieceOf(length: number): number {
    const { pieces } = this.#plan;
    if (pieces === "whole") return length;
    if (pieces === "bytes" && length <= ONE_BY_ONE && this.#passed < MOST_ONE_BY_ONE) return 1;
    return length > ONE_BY_ONE * 10 ? length >> 3 : this.#dice.int(1, SEGMENT);
  }

  #happen(): void {
    const { happen } = this.#fault ?? {};
    this.#fault = undefined;
    happen?.();
  }

  async #wait(): Promise<void> {
    const ms = this.#stall;
    this.#stall = 0;
    await setTimeout(ms);
  }
}
