// Requests that await a reply, with ids and deadlines.
import { type Clock, Deadline } from "../../core/clock.ts";
import { Table } from "../../core/table.ts";

interface Entry<Request> {
  readonly request: Request;
  readonly deadline: Deadline;
}

/**
 * Requests that await a reply, in the order of sending. Ids grow in this order. A reply takes its request by id, or takes the oldest one
 * if the protocol has no ids. Each request has a deadline. While the server is busy with older work, the deadlines of new requests wait.
 */
export class Pending<Request> {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #onTimeout: (id: number, request: Request) => void;
  readonly #entries = new Table<number, Entry<Request>>();
  /** The deadlines that wait, oldest first. Kept apart, so that a change of the limit visits no other request. */
  readonly #waiting = new Table<number, Deadline>();
  #limit = Number.POSITIVE_INFINITY;

  /** `timeout` in ms, 0: none. After the timeout the request is removed and given to `onTimeout`. */
  constructor(clock: Clock, timeout: number, onTimeout: (id: number, request: Request) => void) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#onTimeout = onTimeout;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds a request. Replaces an older request with the same id, and stops its deadline. */
  add(id: number, request: Request): void {
    this.take(id);
    const deadline = new Deadline(this.#clock, this.#timeout, () => {
      this.#entries.delete(id);
      this.#onTimeout(id, request);
    });
    this.#entries.set(id, { request, deadline });
    if (id <= this.#limit) deadline.start();
    else this.#waiting.set(id, deadline);
  }

  /** Removes the request with this id; `undefined` if there is none (a duplicate or unknown reply). */
  take(id: number): Request | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    entry.deadline.stop();
    this.#waiting.delete(id);
    this.#entries.delete(id);
    return entry.request;
  }

  /** Removes the oldest request that `fits` accepts. */
  takeFirst(fits: (request: Request) => boolean = () => true): Request | undefined {
    for (const [id, { request }] of this.#entries.entries()) if (fits(request)) return this.take(id);
    return undefined;
  }

  /** Starts the waiting deadlines up to the id `limit`. The deadlines of later requests with a higher id wait for the next call. */
  startUpTo(limit: number): void {
    this.#limit = limit;
    for (const [id, deadline] of this.#waiting.entries()) {
      if (id > limit) return;
      this.#waiting.delete(id);
      deadline.start();
    }
  }

  /** The requests, oldest first. */
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
    this.#waiting.clear();
    return requests;
  }
}
