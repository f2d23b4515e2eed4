import type { CancelTimer } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import { ConnectionLostError } from "../core/errors.ts";
import type { CassCore } from "./events.ts";
import type { Job } from "./job.ts";
import type { ResponseFrame } from "./response.ts";

/** A turn on the line. */
interface Place {
  /** Runs while the turn is the oldest. */
  readonly silence: Deadline;
  /** Whether the server has shown that it works on the turn. */
  hasBegun: boolean;
  /** A response that came before that: of this turn, or of one that is over. Without a `message`, it cannot be read. */
  early: { readonly message: ResponseFrame | undefined; readonly cancelTimer: CancelTimer } | undefined;
}

/** What was on the line when its connection ended. */
interface Remains {
  readonly jobs: readonly Job[];
  /** The turn in which the server was silent for too long, if that was the reason. */
  readonly silent: Job | undefined;
  /** Whether the connection has answered a turn. */
  readonly hasAnswered: boolean;
}

/** ms that a response waits which came before anything else of its turn. */
const EARLY_GRACE = 1_000;

/**
 * What the server has been asked and has not answered, oldest first; also turns that nobody waits for any more. The server has
 * no ids: it reads one request, answers it, and reads the next, so what it says is of the oldest turn.
 */
export class Line {
  readonly #core: CassCore;
  readonly #places = new Map<Job, Place>();
  /** Whether this server says something of each turn before its response. Unknown until it has answered one. */
  #announces: boolean | undefined;
  #last: Job | undefined;
  #silent: Job | undefined;

  constructor(core: CassCore) {
    this.#core = core;
  }

  get jobs(): readonly Job[] {
    return [...this.#places.keys()];
  }

  get size(): number {
    return this.#places.size;
  }

  /** The turn that the server works on. */
  get head(): Job | undefined {
    for (const job of this.#places.keys()) return job;
    return undefined;
  }

  /** The turn that this connection has answered last. */
  get last(): Job | undefined {
    return this.#last;
  }

  /** Whether the server may be sent another turn. Early answers can be told apart for one turn only, so an unknown server gets no more. */
  hasRoom(most: number): boolean {
    return this.#places.size < (this.#announces === undefined ? 1 : most);
  }

  /** The turn is being sent. */
  add(job: Job): void {
    const tooSilent = (): void => this.#tooSilent(job);
    const silence = new Deadline(this.#core.clock, job.idleTimeout, tooSilent, { unref: true });
    this.#places.set(job, { silence, hasBegun: false, early: undefined });
    if (this.head === job) silence.start();
  }

  /** The server lives. */
  alive(): void {
    for (const { silence } of this.#places.values()) silence.touch();
  }

  /** The server works on the turn. A response that came before that was of another, and is returned. */
  begun(job: Job): ResponseFrame | undefined {
    this.#announces = true;
    const place = this.#places.get(job);
    if (!place) return undefined;
    place.hasBegun = true;
    return takeEarly(place);
  }

  /**
   * A response to the turn, `undefined` for one that cannot be read; `act` takes it. Real servers say something of each turn
   * before its response, and one that is over may have been answered twice: an early response is taken only if nothing else comes.
   * Returns a response that is of no turn.
   */
  answered(job: Job, message: ResponseFrame | undefined, act: () => void): ResponseFrame | undefined {
    const place = this.#places.get(job);
    if (!place) return message;
    if (place.hasBegun || this.#announces === false) {
      act();
      return undefined;
    }
    if (this.#announces || place.early) return message;
    const isOurs = (): void => {
      this.#announces = false;
      place.early = undefined;
      act();
    };
    place.early = { message, cancelTimer: this.#core.clock.setTimeout(isOurs, EARLY_GRACE) };
    return undefined;
  }

  /** The server is done with the turn, and works on the next. Returns a response that was waiting and is of no turn. */
  delete(job: Job): ResponseFrame | undefined {
    const place = this.#places.get(job);
    if (!place) return undefined;
    place.silence.stop();
    this.#places.delete(job);
    this.#last = job;
    const { head } = this;
    if (head) this.#places.get(head)?.silence.start();
    return takeEarly(place);
  }

  /** The connection is gone. */
  clear(): Remains {
    const remains = { jobs: this.jobs, silent: this.#silent, hasAnswered: this.#last !== undefined };
    for (const place of this.#places.values()) {
      place.silence.stop();
      takeEarly(place);
    }
    this.#places.clear();
    this.#last = undefined;
    this.#silent = undefined;
    return remains;
  }

  /** A server that is open and mute looks like one that thinks. */
  #tooSilent(job: Job): void {
    this.#silent = job;
    const message = `the server was silent for ${job.idleTimeout} ms in the middle of a turn`;
    this.#core.connection.drop(new ConnectionLostError(message));
  }
}

/** Takes back a response that waits. */
function takeEarly(place: Place): ResponseFrame | undefined {
  const { early } = place;
  place.early = undefined;
  early?.cancelTimer();
  return early?.message;
}
