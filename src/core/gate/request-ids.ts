// Ids of requests: no id comes again in the life of a client.

/** Upper bound on remembered ids of the server: about 1 MB. Beyond it, every new id gets a suffix. */
const REMEMBERED = 4_096;

/** Characters of an id that is remembered: real ids are shorter, and a server cannot fill the memory with long ones. */
const MAX_LENGTH = 200;

/** What looks like an id with a suffix. */
const SUFFIXED = /~\d+$/;

/**
 * The ids of one client's requests. No id comes twice: servers reuse their ids, and a late reply to an old request must not decide a
 * new one.
 *
 * An id is the server's own, or the server's own with `~` and a number. The text before the last `~` and the number behind it never occur
 * together twice: a remembered id counts its own uses, and all other ids share one counter. An id of the server that looks like one with
 * a suffix gets a suffix too. So memory is bounded, and nothing is ever forgotten that uniqueness needs.
 */
export class RequestIds {
  readonly #uses = new Map<string, number>();
  #others = 1;

  /** Returns a new id for the server's id `native`, at each call. */
  make(native: string): string {
    const uses = this.#uses.get(native);
    const isKept = uses !== undefined || (this.#uses.size < REMEMBERED && native.length <= MAX_LENGTH);
    if (!isKept) return `${native}~${++this.#others}`;
    const use = (uses ?? (SUFFIXED.test(native) ? 1 : 0)) + 1;
    this.#uses.set(native, use);
    return use === 1 ? native : `${native}~${use}`;
  }
}
