// Runs the turns of a client without a connection: a limited number at a time, the others wait.
import { isAgentwireError } from "../errors.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import { type Course, type Job, Runner, type RunnerHost, type TurnOrder } from "../turn/runner.ts";
import type { TurnResult } from "../turn/turn.ts";

/** The work on one turn: a process, or a run in this process. */
export interface LocalWork {
  /** Called once the work can be stopped, for work that does not begin with its making. Never throws. */
  begin?(): void;
  /** Stops the turn. It settles when the work has ended. `again`: the caller cancels a second time. */
  stop(again: boolean): void;
  /** The client is closed: ends the turn at once, and the work; with `force` by force. */
  close(force: boolean): void;
  /** The reader of the turn is slow: no further events, please. */
  pause(): void;
  resume(): void;
}

/** The functions of the client that its turns use. */
export interface LocalHost<Event, Result extends TurnResult> extends RunnerHost<Event, Result> {
  /** The backend is about to be used. */
  ready(): void;
  /** The last work has ended. */
  idle(): void;
}

export interface LocalTurnsSetup<Event, Result extends TurnResult> {
  readonly core: LocalHost<Event, Result>;
  /** Works at once. Other turns wait. */
  readonly maxWorks: number;
  /** Events that wait for a slow reader before the work is paused. */
  readonly maxQueuedEvents: number;
}

/** The turns of a client without a connection: a work for each, some at a time. Other turns wait. */
export abstract class LocalTurns<Event, Result extends TurnResult, J extends Job<Event, Result>>
  implements Course<J>
{
  readonly #setup: LocalTurnsSetup<Event, Result>;
  readonly #runner: Runner<Event, Result, J>;
  /** A turn may settle before its work has ended. */
  readonly #works = new Map<J, LocalWork>();

  constructor(setup: LocalTurnsSetup<Event, Result>) {
    this.#setup = setup;
    this.#runner = new Runner(setup.core, this);
  }

  /** Makes the work on a turn, which calls `over` when it has ended. @throws AgentwireError: the turn fails with it */
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

  /** Makes a turn without starting it. @throws QueueFullError if the queue is full. */
  protected make(order: Omit<TurnOrder<Event, J>, "flow" | "repeatable">, toJob: (turn: J["turn"]) => J): J {
    const flow = {
      high: this.#setup.maxQueuedEvents,
      pause: (job: J) => this.#works.get(job)?.pause(),
      resume: (job: J) => this.#works.get(job)?.resume(),
    };
    return this.#runner.make({ ...order, repeatable: false, flow }, toJob); // tools may have changed files
  }

  /** Starts the work on a turn, now or when an earlier turn is done. */
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
