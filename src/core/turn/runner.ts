// Makes, queues, sends and stops the turns of a client. A protocol brings the `Course`: how it does that.
import { type AgentwireError, ClosedError, copyError, isAgentwireError } from "../errors.ts";
import { Table } from "../table.ts";
import { LiveTurn } from "./live-turn.ts";
import type { Turn, TurnOptions, TurnResult } from "./turn.ts";
import { TurnQueue } from "./turn-queue.ts";
import type { Progress, TurnHost } from "./turn-setup.ts";

/** One turn of a client, from the call to its end. Each protocol adds its state. */
export interface Job<Event, Result extends TurnResult> {
  readonly turn: LiveTurn<Event, Result>;
}

/** The client's limits for its turns. */
export interface TurnLimits {
  /** The maximum number of turns that wait to be sent. */
  readonly maxQueuedTurns: number;
  readonly maxQueuedBytes: number;
  /** The limits of each turn. */
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
}

/** The functions of the client that the runner uses. */
export interface RunnerHost<Event, Result extends TurnResult> extends TurnHost<Event, Result> {
  readonly limits: TurnLimits;
  /** The error for new calls, once the client is closed or was told to close. */
  readonly closedError: ClosedError | undefined;
  /** Whether the caller has closed the client. */
  readonly isClosing: boolean;
  /** Tells the client's listeners of a new turn. */
  tellTurn(turn: Turn<Event, Result>): void;
  /** A caller has made a turn: hurries the connection. */
  wanted(): void;
  /** A turn waits to be sent. */
  needed(): void;
}

/** The protocol's functions that send and stop its turns. */
export interface Course<J> {
  /** Sends waiting turns (`runner.first`, `runner.take`), as many as the server takes now. */
  pump(): void;
  /**
   * Stops a turn that has left the queue. Tells the server, if the protocol can. Calls `turn.stopped()` when it is safe to go on, at
   * once or later. `again`: the caller cancels a second time during the stop.
   */
  stop(job: J, again: boolean): void;
  /** A turn has settled, with any outcome. */
  settled?(job: J): void;
}

/** The parts of a new turn. */
export interface TurnOrder<Event, J> {
  readonly id: string;
  /** The caller's input. Handed back if it is never sent. */
  readonly input: unknown;
  /** The bytes that count toward `maxQueuedBytes` while the turn waits. */
  readonly bytes: number;
  readonly options: TurnOptions | undefined;
  /** The backend's session that the prompt goes on with, once it was sent. */
  readonly sessionId?: () => string | undefined;
  /** The limit on silence if the options name none, in ms; 0: no limit. */
  readonly idleTimeout: number;
  /** The text that an event adds to the turn's text. */
  readonly textOf: (event: Event) => string;
  /** The other results of the turn so far. */
  readonly soFar: (job: J) => Progress;
  /** The field `retryable` of a time-out error. @default true */
  readonly repeatable?: boolean;
  /** Slows down the source of the events, if the source can wait: see `Flow`. */
  readonly flow?: {
    readonly high: number;
    pause(job: J): void;
    resume(job: J): void;
  };
}

/**
 * The turns of a client of any protocol: makes, queues and hands back turns, and checks their limits. The protocol sends and stops the
 * turns, and reports their ends.
 *
 *     make() ──▶ held ──start()──▶ waiting ──take()──▶ the protocol's ──▶ settled
 *                  └───────────────────┴── cancelled, closed, unavailable ──▶
 */
export class Runner<Event, Result extends TurnResult, J extends Job<Event, Result>> {
  readonly #host: RunnerHost<Event, Result>;
  readonly #course: Course<J>;
  readonly #queue: TurnQueue<J>;
  /** The jobs that have not settled, by the id of their turn. */
  readonly #open = new Table<string, J>();
  /** The turn that `first` is checking. */
  #candidate: J | undefined;

  constructor(host: RunnerHost<Event, Result>, course: Course<J>) {
    this.#host = host;
    this.#course = course;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = host.limits;
    this.#queue = new TurnQueue({ maxTurns, maxBytes });
  }

  /** The jobs that have not settled, oldest first. */
  get jobs(): readonly J[] {
    return [...this.#open.values()];
  }

  /** Whether every job has settled. */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** The job of this id, if it has not settled. */
  find(id: string): J | undefined {
    return this.#open.get(id);
  }

  /**
   * Makes a turn, and reserves its room in the queue. `toJob` adds the protocol's state.
   * @throws QueueFullError if the queue is full.
   */
  make(order: TurnOrder<Event, J>, toJob: (turn: J["turn"]) => J): J {
    const { id, input, bytes, options = {}, sessionId, textOf, soFar, repeatable = true, flow } = order;
    const { signal, timeout = 0, idleTimeout = order.idleTimeout, read = true } = options;
    const { maxBufferedBytes, maxTextBytes } = this.#host.limits;
    this.#queue.assertRoom(bytes);
    const turn: LiveTurn<Event, Result> = new LiveTurn<Event, Result>({
      id,
      input,
      said: options,
      host: this.#host,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout,
      signal,
      read,
      textOf,
      sessionId,
      soFar: () => soFar(job),
      stop: (again) => this.#stop(job, again),
      settled: () => this.#settled(job),
      repeatable,
      flow: flow && {
        high: flow.high,
        pause: () => flow.pause(job),
        resume: () => flow.resume(job),
      },
    });
    const job = toJob(turn);
    this.#open.set(id, job);
    this.#queue.hold(job, bytes);
    this.#host.tellTurn(turn);
    turn.begin();
    if (turn.open) this.#host.wanted();
    return job;
  }

  /**
   * Sends a turn now, or as soon as earlier turns and the server allow. A conversation may have held the turn back until now.
   * @param bytes given if they differ from the order's bytes
   */
  start(job: J, bytes?: number): void {
    const { turn } = job;
    const { closedError, isClosing } = this.#host;
    if (closedError) {
      // Only the caller's own close ends a loop without a throw. A client that gave up by itself has failed.
      if (isClosing) turn.abandon(closedError);
      else turn.fail(closedError);
    }
    if (!turn.open) return;
    this.#queue.add(job, bytes);
    this.#course.pump();
    if (turn.open) this.#host.needed();
  }

  /** The oldest job that waits to be sent. */
  get first(): J | undefined {
    for (let job = this.#queue.first(); job; job = this.#queue.first()) {
      this.#candidate = job;
      job.turn.begin(); // the signal may be aborted although its listener has not run yet
      this.#candidate = undefined;
      if (job.turn.open) return job;
      this.#queue.delete(job);
    }
    return undefined;
  }

  /** The job is about to be sent: removes it from the queue. */
  take(job: J): void {
    this.#queue.delete(job);
  }

  /** Removes all waiting jobs and returns them, oldest first. */
  takeWaiting(): readonly J[] {
    return this.#queue.takeAll();
  }

  /** The client is closing: hands back the unsent turns. */
  giveBack(): void {
    for (const job of this.jobs) {
      if (this.#queue.delete(job))
        job.turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
    }
  }

  /** The server is unavailable, for now or for ever: fails the waiting turns. */
  unavailable(reason: AgentwireError): void {
    if (isAgentwireError(reason, "closed")) this.giveBack();
    for (const { turn } of this.takeWaiting()) turn.fail(copyError(reason));
  }

  #stop(job: J, again: boolean): void {
    if (!this.#queue.delete(job)) {
      this.#course.stop(job, again);
      return;
    }
    job.turn.stopped();
    if (job === this.#candidate) return; // `first` goes on by itself: no recursion for thousands of turns with one signal
    this.#course.pump(); // the next turn may fit where this one did not
  }

  #settled(job: J): void {
    this.#open.delete(job.turn.id);
    this.#queue.delete(job);
    this.#course.settled?.(job);
  }
}
