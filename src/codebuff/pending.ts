import type { Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import { Table } from "../core/table.ts";

interface Entry<Request> {
  readonly request: Request;
  readonly deadline: Deadline;
}

/**
 * Requests that await a reply, in the order of sending. A reply takes its request by id, or takes the oldest one if the protocol has no
 * ids. Each request has a deadline. A deadline can pause while the server is busy with older work.
 */
export class Pending<Id, Request> {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #onTimeout: (id: Id, request: Request) => void;
  readonly #entries = new Table<Id, Entry<Request>>();
  #mayRun: ((id: Id) => boolean) | undefined;

  /** `timeout` in ms, 0: none. After the timeout the request is removed and given to `onTimeout`. */
  constructor(clock: Clock, timeout: number, onTimeout: (id: Id, request: Request) => void) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#onTimeout = onTimeout;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds a request. Replaces an older request with the same id, and stops its deadline. */
  add(id: Id, request: Request): void {
    this.take(id);
    const deadline = new Deadline(this.#clock, this.#timeout, () => {
      this.#entries.delete(id);
      this.#onTimeout(id, request);
    });
    this.#entries.set(id, { request, deadline });
    if (this.#mayRun?.(id) ?? true) deadline.start();
  }

  /** Removes the request with this id; `undefined` if there is none (a duplicate or unknown reply). */
  take(id: Id): Request | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    entry.deadline.stop();
    this.#entries.delete(id);
    return entry.request;
  }

  /** Removes the oldest request that `fits` accepts. */
  takeFirst(fits: (request: Request) => boolean = () => true): Request | undefined {
    for (const [id, { request }] of this.#entries.entries()) if (fits(request)) return this.take(id);
    return undefined;
  }

  /** Runs the deadlines of the requests that `mayRun` accepts, and pauses the others. A paused deadline starts again from zero. */
  setClocks(mayRun: (id: Id) => boolean): void {
    this.#mayRun = mayRun;
    for (const [id, { deadline }] of this.#entries.entries()) {
      if (!mayRun(id)) deadline.stop();
      else if (!deadline.running) deadline.start();
    }
  }

  /** The waiting requests, oldest first. */
  *values(): Iterable<Request> {
    for (const { request } of this.#entries.values()) yield request;
  }

  /** Removes all requests and returns them, oldest first. */
  clear(): Request[] {
    const requests = [...this.#entries.values()].map(({ deadline, request }) => {
      deadline.stop();
      return request;
    });
    this.#entries.clear();
    return requests;
  }
}
