import type { CancelTimer, Clock } from "./clock.ts";
import type { AgentwireError } from "./errors.ts";
import { Queue } from "./queue.ts";

/** Somebody who waits for a reply; told exactly once. */
export interface Awaiting<Reply> {
  readonly reply: (reply: Reply) => void;
  readonly failed: (error: AgentwireError) => void;
  /** ms until the error of `late` is told; 0 waits for ever. */
  readonly timeout: number;
  readonly late: () => AgentwireError;
}

interface Place<Reply> {
  awaiting: Awaiting<Reply> | undefined;
  cancelTimer: CancelTimer;
}

/**
 * Requests of one kind, which a protocol without ids answers first in, first out. One that nobody waits for any more
 * keeps its place: its reply is still to come, and is not the next one's.
 */
export class Replies<Reply> {
  readonly #clock: Clock;
  readonly #places = new Queue<Place<Reply>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A request was sent. */
  add(awaiting: Awaiting<Reply>): void {
    const place: Place<Reply> = { awaiting, cancelTimer: () => {} };
    const { timeout, failed, late } = awaiting;
    if (timeout > 0) {
      place.cancelTimer = this.#clock.setTimeout(() => {
        place.awaiting = undefined;
        failed(late());
      }, timeout);
    }
    this.#places.add(place);
  }

  /** A reply came; returns whether one was due. */
  take(reply: Reply): boolean {
    return this.#takeFirst((awaiting) => awaiting.reply(reply));
  }

  /** A reply came that cannot be read. */
  spoil(error: AgentwireError): boolean {
    return this.#takeFirst((awaiting) => awaiting.failed(error));
  }

  /** No reply will come any more. */
  clear(error: () => AgentwireError): void {
    while (this.#takeFirst((awaiting) => awaiting.failed(error())));
  }

  #takeFirst(tell: (awaiting: Awaiting<Reply>) => void): boolean {
    const place = this.#places.take();
    if (!place) return false;
    place.cancelTimer();
    if (place.awaiting) tell(place.awaiting);
    return true;
  }
}
