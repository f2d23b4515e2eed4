// Runs the turns of a client without a connection: a limited number at a time. The others are queued.
import { isAgentwireError } from "../errors.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import { type Course, type Job, Runner, type RunnerHost, type TurnOrder } from "../turn/runner.ts";
import type { TurnResult } from "../turn/turn.ts";

/** The work on one turn: a process, or a run in this process. */
export interface LocalWork {
  /** Called once the work can be stopped, unless its creation has started it. Never throws. */
  begin?(): void;
  /** Stops the turn, which settles when the work has ended. `again`: the caller cancels a second time. */
  stop(again: boolean): void;
  /** Ends the turn at once, and then its work, by force if told so. Called when the client closes. */
  close(force: boolean): void;
  /** Pauses the output, because the turn's reader is slow. */
  pause(): void;
  resume(): void;
}

/** The functions of the client that its turns call. */
export interface LocalHost<Event, Result extends TurnResult> extends RunnerHost<Event, Result> {
  /** The client is about to use the backend. */
  ready(): void;
  /** The last work has ended. */
  idle(): void;
}

export interface LocalTurnsSetup<Event, Result extends TurnResult> {
  readonly core: LocalHost<Event, Result>;
  /** How many turns run at the same time. */
  readonly maxWorks: number;
  /** The number of unread events at which the work is paused. */
  readonly maxQueuedEvents: number;
}

/** The turns of a client without a connection. A limited number runs at a time. Others are queued. */
export abstract class LocalTurns<Event, Result extends TurnResult, J extends Job<Event, Result>>
  implements Course<J>
{
  readonly #setup: LocalTurnsSetup<Event, Result>;
  readonly #runner: Runner<Event, Result, J>;
  /** The work of each turn. A turn may settle before its work has ended. */
  readonly #works = new Map<J, LocalWork>();

  constructor(setup: LocalTurnsSetup<Event, Result>) {
    this.#setup = setup;
    this.#runner = new Runner(setup.core, this);
  }

  /** Creates the work of a turn, which calls `over` at its end. @throws AgentwireError to fail the turn */
  protected abstract newWork(job: J, over: () => void): LocalWork;

  get busy(): boolean {
    return this.#works.size > 0;
  }

  find(turnId: string): LiveTurn<Event, Result> | undefined {
    return this.#runner.find(turnId)?.turn;
  }

  giveBack(): void {
    this.#runner.giveBack();
  }

  endAll(force: boolean): void {
    for (const work of this.#works.values()) work.close(force);
  }

  /** Creates a turn without starting it. @throws QueueFullError if the queue is full. */
  protected make(order: Omit<TurnOrder<Event, J>, "flow" | "repeatable">, toJob: (turn: J["turn"]) => J): J {
    const flow = {
      high: this.#setup.maxQueuedEvents,
      pause: (job: J) => this.#works.get(job)?.pause(),
      resume: (job: J) => this.#works.get(job)?.resume(),
    };
    return this.#runner.make({ ...order, repeatable: false, flow }, toJob); // tools may have changed files
  }

  /** Starts the work of a turn, or queues it. */
  start(job: J): void {
    this.#setup.core.ready();
    this.#runner.start(job);
  }

  pump(): void {
    while (this.#works.size < this.#setup.maxWorks) {
      const job = this.#runner.first;
      if (!job) return;
      this.#runner.take(job);
      this.#begin(job);
    }
  }

  #begin(job: J): void {
    const over = (): void => {
      this.#works.delete(job);
      this.pump();
      if (!this.busy) this.#setup.core.idle();
    };
    try {
      const work = this.newWork(job, over);
      this.#works.set(job, work);
      work.begin?.();
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      job.turn.fail(error);
    }
  }

  stop(job: J, again: boolean): void {
    this.#works.get(job)?.stop(again);
  }
}
