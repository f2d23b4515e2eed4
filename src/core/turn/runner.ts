// Creates, queues, sends and stops a client's turns. The protocol's `Course` does the sending and stopping.
import { type AgentwireError, ClosedError, copyError, isAgentwireError } from "../errors.ts";
import { Table } from "../table.ts";
import { LiveTurn } from "./live-turn.ts";
import type { Turn, TurnOptions, TurnResult } from "./turn.ts";
import { TurnQueue } from "./turn-queue.ts";
import type { TurnHost, TurnProgress } from "./turn-setup.ts";

/** One turn of a client, from the call to its end. Each protocol adds its own state. */
export interface Job<Event, Result extends TurnResult> {
  readonly turn: LiveTurn<Event, Result>;
}

/** The limits of the client's turns. */
export interface TurnLimits {
  /** The maximum number of queued turns. */
  readonly maxQueuedTurns: number;
  readonly maxQueuedBytes: number;
  /** The limits of each turn. */
  readonly maxBufferedBytes: number;
  readonly maxTextBytes: number;
}

/** The functions of the client that the runner calls. */
export interface RunnerHost<Event, Result extends TurnResult> extends TurnHost<Event, Result> {
  readonly limits: TurnLimits;
  /** The error for new calls, after `close()` or once the client has closed for good. */
  readonly closedError: ClosedError | undefined;
  /** Whether the caller has closed the client. */
  readonly isClosing: boolean;
  /** Notifies the client's listeners of a new turn. */
  tellTurn(turn: Turn<Event, Result>): void;
  /** Ends the backoff, because a caller has created a turn. */
  wanted(): void;
  /** Connects, because a turn is queued. */
  needed(): void;
}

/** The protocol's functions that send and stop turns. */
export interface Course<J> {
  /** Sends queued turns (`runner.first`, `runner.take`), as many as the server accepts now. */
  pump(): void;
  /**
   * Stops a turn that has left the queue, and tells the server, if the protocol can. Calls `turn.stopped()`, at once or
   * later, when the next turn may start. `again`: the caller cancels a second time during the stop.
   */
  stop(job: J, again: boolean): void;
  /** Called when a turn has settled, with any outcome. */
  settled?(job: J): void;
}

/** The parameters of a new turn. */
export interface TurnOrder<Event, J> {
  readonly id: string;
  /** The caller's input. Returned if it is never sent. */
  readonly input: unknown;
  /** The bytes that the turn counts toward `maxQueuedBytes` while it is queued. */
  readonly bytes: number;
  readonly options: TurnOptions | undefined;
  /** The backend's session that the prompt continues, once it was sent. */
  readonly sessionId?: () => string | undefined;
  /** The idle limit in ms, if the options set none. 0: no limit. */
  readonly idleTimeout: number;
  /** The text that an event adds to the turn's text. */
  readonly textOf: (event: Event) => string;
  /** The turn's progress besides its text and tool calls. */
  readonly soFar: (job: J) => TurnProgress;
  /** The field `retryable` of a timeout error. @default true */
  readonly repeatable?: boolean;
  /** Pauses the source of events, if the source can wait. See `Flow`. */
  readonly flow?: {
    readonly high: number;
    pause(job: J): void;
    resume(job: J): void;
  };
}

/**
 * The turns of a client of any protocol. Creates, queues and returns turns, and enforces their limits. The protocol
 * sends and stops the turns, and reports their ends.
 *
 *     make() ──▶ held ──start()──▶ queued ──take()──▶ with the protocol ──▶ settled
 *                  └──────────────────┴── cancelled, closed, unavailable ──▶
 */
export class Runner<Event, Result extends TurnResult, J extends Job<Event, Result>> {
  readonly #host: RunnerHost<Event, Result>;
  readonly #course: Course<J>;
  readonly #queue: TurnQueue<J>;
  /** Jobs that have not settled, by turn id. */
  readonly #open = new Table<string, J>();
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

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** The unsettled job of a turn. */
  find(id: string): J | undefined {
    return this.#open.get(id);
  }

  /**
   * Creates a turn and reserves space in the queue. `toJob` adds the protocol's state.
   * @throws QueueFullError if the queue is full.
   */
  make(order: TurnOrder<Event, J>, toJob: (turn: J["turn"]) => J): J {
    const { id, input, bytes, options = {}, sessionId, textOf, soFar, repeatable = true, flow } = order;
    const { signal, timeout = 0, idleTimeout = order.idleTimeout, read = true } = options;
    const { maxBufferedBytes, maxTextBytes } = this.#host.limits;
    this.#queue.assertSpace(bytes);
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

  /** Sends or queues a turn. @param bytes the size, if it differs from the order's */
  start(job: J, bytes?: number): void {
    const { turn } = job;
    const { closedError, isClosing } = this.#host;
    if (closedError) {
      // Only the caller's own `close()` ends the loop without an error.
      if (isClosing) turn.abandon(closedError);
      else turn.fail(closedError);
    }
    if (!turn.open) return;
    this.#queue.add(job, bytes);
    this.#course.pump();
    if (turn.open) this.#host.needed();
  }

  /** The oldest queued job. */
  get first(): J | undefined {
    for (let job = this.#queue.first(); job; job = this.#queue.first()) {
      this.#candidate = job;
      job.turn.begin(); // the signal's listener may not have run yet
      this.#candidate = undefined;
      if (job.turn.open) return job;
      this.#queue.delete(job);
    }
    return undefined;
  }

  /** Removes a job that will be sent now. */
  take(job: J): void {
    this.#queue.delete(job);
  }

  /** Removes all queued jobs and returns them, oldest first. */
  takeWaiting(): readonly J[] {
    return this.#queue.takeAll();
  }

  /** Fails the unsent turns and returns their input, because the client is closing. */
  giveBack(): void {
    for (const job of this.jobs) {
      if (this.#queue.delete(job))
        job.turn.abandon(new ClosedError("the client was closed before the prompt was sent"));
    }
  }

  /** Fails the queued turns, because the server is unavailable for now or for good. */
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
    if (job === this.#candidate) return; // `first` continues, without recursion
    this.#course.pump(); // the next turn may fit where this one did not
  }

  #settled(job: J): void {
    this.#open.delete(job.turn.id);
    this.#queue.delete(job);
    this.#course.settled?.(job);
  }
}
