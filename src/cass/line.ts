import type { CancelTimer, Clock } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
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

export interface LineSetup {
  readonly clock: Clock;
  /** The server was silent for longer than this turn allows. */
  readonly tooSilent: (job: Job) => void;
  /** A response is of no turn. */
  readonly stray: (message: ResponseFrame) => void;
}

/** ms that a response waits which came before anything else of its turn. */
const EARLY_GRACE = 1_000;

/**
 * What the server has been asked and has not answered, oldest first; also turns that nobody waits for any more. The server has
 * no ids: it reads one request, answers it, and reads the next, so what it says is of the oldest turn.
 */
export class Line {
  readonly #setup: LineSetup;
  readonly #places = new Map<Job, Place>();
  /** Whether this server says something of each turn before its response. Unknown until it has answered one. */
  #announces: boolean | undefined;

  constructor(setup: LineSetup) {
    this.#setup = setup;
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

  /** Whether the server may be sent another turn. Early answers can be told apart for one turn only, so an unknown server gets no more. */
  hasRoom(most: number): boolean {
    return this.#places.size < (this.#announces === undefined ? 1 : most);
  }

  /** The turn is being sent. */
  add(job: Job): void {
    const { clock, tooSilent } = this.#setup;
    const silence = new Deadline(clock, job.idleTimeout, () => tooSilent(job), { unref: true });
    this.#places.set(job, { silence, hasBegun: false, early: undefined });
    if (this.head === job) silence.start();
  }

  /** The server lives. */
  alive(): void {
    for (const { silence } of this.#places.values()) silence.touch();
  }

  /** The server works on the turn. A response that came before that was of another. */
  begun(job: Job): void {
    this.#announces = true;
    const place = this.#places.get(job);
    if (!place) return;
    place.hasBegun = true;
    this.#refuseEarly(place);
  }

  /**
   * A response to the turn, `undefined` for one that cannot be read; `act` takes it. Real servers say something of each turn
   * before its response, and one that is over may have been answered twice: an early response is taken only if nothing else comes.
   */
  answered(job: Job, message: ResponseFrame | undefined, act: () => void): void {
    const place = this.#places.get(job);
    if (!place) return;
    if (place.hasBegun || this.#announces === false) {
      act();
    } else if (this.#announces || place.early) {
      if (message) this.#setup.stray(message); // of one that cannot be read there is a warning already
    } else {
      const isOurs = (): void => {
        this.#announces = false;
        place.early = undefined;
        act();
      };
      place.early = { message, cancelTimer: this.#setup.clock.setTimeout(isOurs, EARLY_GRACE) };
    }
  }

  /** The server is done with the turn, and works on the next. */
  delete(job: Job): void {
    const place = this.#places.get(job);
    if (!place) return;
    place.silence.stop();
    this.#refuseEarly(place);
    this.#places.delete(job);
    for (const { silence } of this.#places.values()) {
      silence.start();
      return;
    }
  }

  /** The connection is gone; returns what was on it. */
  clear(): readonly Job[] {
    const { jobs } = this;
    for (const { silence, early } of this.#places.values()) {
      silence.stop();
      early?.cancelTimer();
    }
    this.#places.clear();
    return jobs;
  }

  #refuseEarly(place: Place): void {
    const { early } = place;
    place.early = undefined;
    early?.cancelTimer();
    if (early?.message) this.#setup.stray(early.message);
  }
}
