import { type AgentwireError, ClosedError, copyError, isAgentwireError } from "../errors.ts";
import { Table } from "../table.ts";
import { LiveTurn } from "./live-turn.ts";
import type { TurnOptions, TurnResult } from "./turn.ts";
import { TurnQueue } from "./turn-queue.ts";
import type { Progress, TurnHost } from "./turn-setup.ts";

/** One turn of a client, from the call to its end. A protocol adds its own state. */
export interface Job<Event, Result extends TurnResult> {
  readonly turn: LiveTurn<Event, Result>;
}

/** The limits of a client on its turns. */
export interface TurnLimits {
  /** Turns that wait to be sent, and their bytes. */
  readonly maxQueuedTurns: number;
  readonly maxQueuedBytes: number;
  /** Of each turn. */
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
}

/** What the runner needs of its client. */
export interface RunnerHost<Event, Result extends TurnResult> extends TurnHost<Event, Result> {
  readonly limits: TurnLimits;
  /** Why nothing new is taken, once the client is closed or was told to close. */
  readonly closedError: ClosedError | undefined;
  /** Whether the caller has closed the client. */
  readonly isClosing: boolean;
  /** A caller has made a turn: what keeps it from being sent is to be hurried. */
  wanted(): void;
  /** A turn waits to be sent. */
  needed(): void;
}

/** How a protocol sends and stops its turns. */
export interface Course<J> {
  /** Sends what waits (`runner.first`, `runner.take`), as far as the server may be given it now. */
  pump(): void;
  /**
   * A turn that has left the queue has to end: tells the server what there is to tell, and calls `turn.stopped()` when it is
   * safe to go on, at once or later. `again`: the caller cancels once more while that goes on.
   */
  stop(job: J, again: boolean): void;
  /** A turn has settled, whatever way it ended. */
  settled?(job: J): void;
}

/** What a turn is made of. */
export interface TurnOrder<Event, J> {
  readonly id: string;
  /** What the caller passed, to be handed back if it is never sent. */
  readonly input: unknown;
  /** Its part of `maxQueuedBytes` while it waits. */
  readonly bytes: number;
  readonly options: TurnOptions | undefined;
  /** The limit on silence, in ms, where the options name none; 0 for none. */
  readonly idleTimeout: number;
  /** The text that an event adds to the turn's. */
  readonly textOf: (event: Event) => string;
  /** What else the turn has come to so far. */
  readonly soFar: (job: J) => Progress;
  /** Whether the error of a time-out says `retryable`. @default true */
  readonly repeatable?: boolean;
  /** How to slow down what the events come from, where that can be done: `Flow` of `live-turn`. */
  readonly flow?: {
    readonly high: number;
    pause(job: J): void;
    resume(job: J): void;
  };
}

/**
 * The turns of a client, whatever its protocol: making, queueing, handing back, limits. The protocol sends them, stops them
 * and says how they end.
 *
 *     make() ──▶ held ──start()──▶ waiting ──take()──▶ the protocol's ──▶ settled
 *                  └───────────────────┴── cancelled, closed, not to be had ──▶
 */
export class Runner<Event, Result extends TurnResult, J extends Job<Event, Result>> {
  readonly #host: RunnerHost<Event, Result>;
  readonly #course: Course<J>;
  readonly #queue: TurnQueue<J>;
  /** Those that have not settled, by the id of their turn. */
  readonly open = new Table<string, J>();
  /** The turn that `first` looks at. */
  #candidate: J | undefined;

  constructor(host: RunnerHost<Event, Result>, course: Course<J>) {
    this.#host = host;
    this.#course = course;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = host.limits;
    this.#queue = new TurnQueue({ maxTurns, maxBytes });
  }

  /** Those that have not settled, oldest first. */
  get jobs(): readonly J[] {
    return [...this.open.values()];
  }

  /** The one of this id, if it has not settled. */
  find(id: string): J | undefined {
    return this.open.get(id);
  }

  /**
   * Makes a turn, and keeps its place. `toJob` adds what the protocol keeps of it.
   * @throws QueueFullError when too much waits already.
   */
  make(order: TurnOrder<Event, J>, toJob: (turn: J["turn"]) => J): J {
    const { id, input, bytes, options = {}, textOf, soFar, repeatable = true, flow } = order;
    const { signal, timeout = 0, idleTimeout = order.idleTimeout, read = true } = options;
    const { maxBufferedBytes, maxTextBytes } = this.#host.limits;
    this.#queue.assertRoom(bytes);
    const turn: LiveTurn<Event, Result> = new LiveTurn<Event, Result>({
      id,
      input,
      host: this.#host,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout,
      signal,
      read,
      textOf,
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
    this.open.set(id, job);
    this.#queue.hold(job, bytes);
    turn.begin();
    if (turn.open) this.#host.wanted();
    return job;
  }

  /**
   * Sends a turn now, or once the turns before it and the server allow it. A conversation may have held the turn back until now.
   * @param bytes given if they differ from the bytes of its order
   */
  start(job: J, bytes?: number): void {
    const { turn } = job;
    const { closedError, isClosing } = this.#host;
    if (closedError) {
      // Only the caller's own close ends a loop without a throw: a client that gave up by itself has failed.
      if (isClosing) turn.abandon(closedError);
      else turn.fail(closedError);
    }
    if (!turn.open) return;
    this.#queue.add(job, bytes);
    this.#course.pump();
    if (turn.open) this.#host.needed();
  }

  /** The oldest that waits to be sent. */
  get first(): J | undefined {
    for (let job = this.#queue.first(); job; job = this.#queue.first()) {
      this.#candidate = job;
      job.turn.begin(); // its signal may have been aborted, before this turn has heard of it
      this.#candidate = undefined;
      if (job.turn.open) return job;
      this.#queue.delete(job);
    }
    return undefined;
  }

  /** It is about to be sent. */
  take(job: J): void {
    this.#queue.delete(job);
  }

  /** Those that wait to be sent, oldest first. They wait no more. */
  takeWaiting(): readonly J[] {
    return this.#queue.takeAll();
  }

  /** The client is being closed: hands back what was not sent. */
  giveBack(): void {
    for (const job of this.jobs) {
      if (this.#queue.delete(job))
        job.turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
    }
  }

  /** The server is not to be had, for now or ever: what waits to be sent fails. */
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
    if (job === this.#candidate) return; // `first` goes on: no recursion for thousands of turns with one signal
    this.#course.pump(); // the next turn may need less than this one
  }

  #settled(job: J): void {
    this.open.delete(job.turn.id);
    this.#queue.delete(job);
    this.#course.settled?.(job);
  }
}
