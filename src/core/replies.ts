// Requests that await a reply, first in, first out, for protocols without ids.
import { type Clock, Deadline } from "./clock.ts";
import { deferred } from "./deferred.ts";
import type { AgentwireError } from "./errors.ts";

/** A request that awaits its reply. One of the two callbacks is called, exactly once. */
export interface Awaiting<Reply> {
  readonly reply: (reply: Reply) => void;
  readonly failed: (error: AgentwireError) => void;
  /** ms until `failed` gets the error of `late()`; 0: no limit. */
  readonly timeout: number;
  readonly late: () => AgentwireError;
}

interface Place<Reply> {
  awaiting: Awaiting<Reply> | undefined;
  readonly deadline: Deadline;
}

/**
 * Requests of one kind, answered first in, first out, in a protocol without ids. A request that timed out keeps its place: its reply may
 * still come, and must not be taken for another request's.
 */
export class Replies<Reply> {
  readonly #clock: Clock;
  readonly #places = new Set<Place<Reply>>();
  #isHeld = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of outstanding replies, including those of timed-out requests. */
  get due(): number {
    return this.#places.size;
  }

  /** Adds a request that was sent. */
  add(awaiting: Awaiting<Reply>): void {
    const deadline = new Deadline(this.#clock, awaiting.timeout, () => {
      place.awaiting = undefined;
      awaiting.failed(awaiting.late());
    });
    const place: Place<Reply> = { awaiting, deadline };
    if (!this.#isHeld) deadline.start();
    this.#places.add(place);
  }

  /** Adds a request that was sent, and returns a promise of its reply. */
  ask(timeout: number, late: () => AgentwireError): Promise<Reply> {
    const reply = deferred<Reply>();
    this.add({ timeout, late, reply: reply.resolve, failed: reply.reject });
    return reply.promise;
  }

  /** Stops all time limits while the server is busy with older work. They restart afterwards. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const { awaiting, deadline } of this.#places) {
      if (isHeld) deadline.stop();
      else if (awaiting) deadline.start();
    }
  }

  /** Passes a reply to the oldest request. Returns whether a request was waiting. */
  take(reply: Reply): boolean {
    return this.#takeFirst((awaiting) => awaiting.reply(reply));
  }

  /** Fails the oldest request, whose reply is unreadable or a refusal. Returns whether a request was waiting. */
  spoil(error: AgentwireError): boolean {
    return this.#takeFirst((awaiting) => awaiting.failed(error));
  }

  /** Fails all requests: no reply will come. */
  clear(error: () => AgentwireError): void {
    while (this.#takeFirst((awaiting) => awaiting.failed(error())));
  }

  #takeFirst(tell: (awaiting: Awaiting<Reply>) => void): boolean {
    for (const place of this.#places) {
      this.#places.delete(place);
      place.deadline.stop();
      if (place.awaiting) tell(place.awaiting);
      return true;
    }
    return false;
  }
}
