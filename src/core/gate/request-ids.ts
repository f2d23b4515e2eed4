// Ids of requests, unique for the life of a client.

/** The limit of remembered server ids, about 1 MB. Over the limit, every new id gets a suffix. */
const REMEMBERED = 4_096;

/** The longest remembered id, so that a server cannot fill the memory. Real ids are shorter. */
const MAX_LENGTH = 200;

/** An id that ends like one with a suffix. */
const SUFFIXED = /~\d+$/;

/**
 * Makes unique ids for one client's requests. Servers reuse ids, and a late reply must not decide a new request.
 *
 * An id is the server's id, or the server's id with `~` and a number. A remembered server id counts its own uses, and
 * all others share one counter. A server id that looks like one with a suffix always gets a suffix. So ids stay unique
 * with bounded memory.
 */
export class RequestIds {
  readonly #uses = new Map<string, number>();
  #others = 1;

  /** Returns a new id at each call, even for the same server's id `native`. */
  make(native: string): string {
    const uses = this.#uses.get(native);
    const isKept = uses !== undefined || (this.#uses.size < REMEMBERED && native.length <= MAX_LENGTH);
    if (!isKept) return `${native}~${++this.#others}`;
    const use = (uses ?? (SUFFIXED.test(native) ? 1 : 0)) + 1;
    this.#uses.set(native, use);
    return use === 1 ? native : `${native}~${use}`;
  }
}
