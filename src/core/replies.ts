// Requests that wait for replies, first in, first out, for protocols without ids.
import { type Clock, Deadline } from "./clock.ts";
import { deferred } from "./deferred.ts";
import type { AgentwireError } from "./errors.ts";
import { Table } from "./table.ts";

/** A request that waits for its reply. Exactly one of the two callbacks is called, once. */
export interface Awaiting<Reply> {
  readonly reply: (reply: Reply) => void;
  readonly failed: (error: AgentwireError) => void;
  /** ms until `failed` gets the error of `late()`. 0: no limit. */
  readonly timeout: number;
  readonly late: () => AgentwireError;
}

interface Place<Reply> {
  awaiting: Awaiting<Reply> | undefined;
  readonly deadline: Deadline;
}

/** Requests in a protocol without ids, answered in order. A timed-out one keeps its place for a late reply. */
export class Replies<Reply> {
  readonly #clock: Clock;
  readonly #places = new Table<Place<Reply>, true>();
  #isHeld = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of outstanding replies, including those for timed-out requests. */
  get due(): number {
    return this.#places.size;
  }

  add(awaiting: Awaiting<Reply>): void {
    const deadline = new Deadline(this.#clock, awaiting.timeout, () => {
      place.awaiting = undefined;
      awaiting.failed(awaiting.late());
    });
    const place: Place<Reply> = { awaiting, deadline };
    if (!this.#isHeld) deadline.start();
    this.#places.set(place, true);
  }

  /** Adds a sent request. Returns a promise of its reply. */
  ask(timeout: number, late: () => AgentwireError): Promise<Reply> {
    const reply = deferred<Reply>();
    this.add({ timeout, late, reply: reply.resolve, failed: reply.reject });
    return reply.promise;
  }

  /** Stops all time limits while the server works on something older. They restart afterwards. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const { awaiting, deadline } of this.#places.keys()) {
      if (isHeld) deadline.stop();
      else if (awaiting) deadline.start();
    }
  }

  /** Passes a reply to the oldest request. Returns false if no request was waiting. */
  take(reply: Reply): boolean {
    return this.#takeFirst((awaiting) => awaiting.reply(reply));
  }

  /** Fails the oldest request, after a bad reply. Returns false if no request was waiting. */
  spoil(error: AgentwireError): boolean {
    return this.#takeFirst((awaiting) => awaiting.failed(error));
  }

  /** Fails all requests, because no replies will arrive. */
  clear(error: () => AgentwireError): void {
    while (this.#takeFirst((awaiting) => awaiting.failed(error())));
  }

  #takeFirst(tell: (awaiting: Awaiting<Reply>) => void): boolean {
    for (const place of this.#places.keys()) {
      this.#places.delete(place);
      place.deadline.stop();
      if (place.awaiting) tell(place.awaiting);
      return true;
    }
    return false;
  }
}
