import type { Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import { Table } from "../core/table.ts";

interface Entry<Request> {
  readonly request: Request;
  readonly deadline: Deadline;
}

/**
 * Requests that await a reply, in the order they were sent. A reply takes its request by id, or takes the
 * oldest where a protocol has no ids. Each has a deadline, and a deadline can stand still while the server
 * is known to be busy with something older.
 */
export class Pending<Id, Request> {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #onTimeout: (id: Id, request: Request) => void;
  readonly #entries = new Table<Id, Entry<Request>>();
  #mayRun: ((id: Id) => boolean) | undefined;

  /** `timeout` in ms, 0 for none; past it the request is removed and given to `onTimeout`. */
  constructor(clock: Clock, timeout: number, onTimeout: (id: Id, request: Request) => void) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#onTimeout = onTimeout;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** An id that is in use already loses its old request, and that one's clock. */
  add(id: Id, request: Request): void {
    this.take(id);
    const deadline = new Deadline(this.#clock, this.#timeout, () => {
      this.#entries.delete(id);
      this.#onTimeout(id, request);
    });
    this.#entries.set(id, { request, deadline });
    if (this.#mayRun?.(id) ?? true) deadline.start();
  }

  /** Removes the request with this id; `undefined` when there is none (a duplicate or unknown reply). */
  take(id: Id): Request | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    entry.deadline.stop();
    this.#entries.delete(id);
    return entry.request;
  }

  /** Removes the oldest request that fits. */
  takeFirst(fits: (request: Request) => boolean = () => true): Request | undefined {
    for (const [id, { request }] of this.#entries.entries()) if (fits(request)) return this.take(id);
    return undefined;
  }

  /** The clocks of requests that `mayRun` names run, starting over if they stood; the others stand still. */
  setClocks(mayRun: (id: Id) => boolean): void {
    this.#mayRun = mayRun;
    for (const [id, { deadline }] of this.#entries.entries()) {
      if (!mayRun(id)) deadline.stop();
      else if (!deadline.running) deadline.start();
    }
  }

  /** What waits, oldest first. */
  *values(): Iterable<Request> {
    for (const { request } of this.#entries.values()) yield request;
  }

  /** Removes all and returns them, oldest first. */
  clear(): Request[] {
    const requests = [...this.#entries.values()].map(({ deadline, request }) => {
      deadline.stop();
      return request;
    });
    this.#entries.clear();
    return requests;
  }
}
