import { checkCallOptions, defined } from "../core/checks.ts";
import type { Gate } from "../core/gate/gate.ts";
import { randomId } from "../core/random-id.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { buildPrompt, type CodebuffRunPromptInput } from "./input.ts";
import type { CodebuffRunEvent, RunState } from "./messages.ts";
import { type CodebuffRunPromptOptions, checkAgent, PROMPT_CHECKS } from "./options.ts";
import { type Job, Run, type RunOrder } from "./run.ts";
import type { RunCore } from "./run-core.ts";
import { readPrevious, readToolResults, stateOf } from "./run-state.ts";
import { type CodebuffRunResult, textOf } from "./turn.ts";

export interface TurnsSetup {
  readonly core: RunCore;
  readonly gate: Gate;
}

/** The turns of one client: a run each, at most `maxRuns` at a time. Other turns wait. */
export class Turns implements Course<Job> {
  readonly #setup: TurnsSetup;
  readonly #runner: Runner<CodebuffRunEvent, CodebuffRunResult, Job>;
  /** The turns that work. A turn may settle before its run has done its last calls. */
  readonly #runs = new Map<Job, Run>();

  constructor(setup: TurnsSetup) {
    this.#setup = setup;
    this.#runner = new Runner(setup.core, this);
  }

  get busy(): boolean {
    return this.#runs.size > 0;
  }

  find(turnId: string): Job["turn"] | undefined {
    return this.#runner.find(turnId)?.turn;
  }

  giveBack(): void {
    this.#runner.giveBack();
  }

  endAll(force: boolean): void {
    for (const run of this.#runs.values()) run.close(force);
  }

  /**
   * Makes a turn without starting it.
   * @param previous the state of a conversation, known when the turn starts
   * @throws ClosedError, InvalidInputError; QueueFullError if the queue is full.
   */
  create(
    input: PromptOf<CodebuffRunPromptInput>,
    options: (CodebuffRunPromptOptions & TurnOptions) | undefined,
    previous?: () => RunState | undefined,
  ): Job {
    const { core } = this.#setup;
    core.assertOpen();
    checkCallOptions(options, PROMPT_CHECKS);
    const { defaults, maxQueuedEvents } = core.settings;
    const {
      agent,
      costMode,
      maxAgentSteps,
      maxContextTokens,
      params,
      previousRun,
      extraToolResults = [],
    } = options ?? {};
    if (agent !== undefined) checkAgent(agent);
    const given = defined({ agent, costMode, maxAgentSteps, maxContextTokens, params });
    const merged = { ...defaults, ...given } as RunOrder["options"];
    const prompt = buildPrompt(input, merged.params);
    const own = previousRun === undefined ? undefined : readPrevious(previousRun);
    const order: RunOrder = {
      prompt,
      options: merged,
      earlier: () => own ?? readPrevious(previous?.()),
      extraToolResults: readToolResults(extraToolResults),
    };
    const spent: Job["spent"] = { credits: 0, usage: undefined };
    return this.#runner.make(
      {
        id: randomId("turn"),
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout: 0, // `streamTimeout` limits the silence of the model; tools may take long
        textOf,
        soFar: ({ run }) => {
          const state = run?.state;
          return {
            usage: spent.usage,
            cost: core.backend && run ? { amount: spent.credits, unit: "credits" } : undefined,
            state: state && stateOf(state),
          };
        },
        repeatable: false, // tools may have run
        flow: {
          high: maxQueuedEvents,
          pause: (job) => this.#runs.get(job)?.flow.pause(),
          resume: (job) => this.#runs.get(job)?.flow.resume(),
        },
      },
      (turn) => ({ turn, order, spent, run: undefined }),
    );
  }

  /** Starts the run of a turn, now or when an earlier turn is done. */
  start(job: Job): void {
    this.#setup.core.ready();
    this.#runner.start(job, job.order.prompt.bytes);
  }

  pump(): void {
    const { maxRuns } = this.#setup.core.settings;
    while (this.#runs.size < maxRuns) {
      const job = this.#runner.first;
      if (!job) return;
      this.#runner.take(job);
      this.#run(job);
    }
  }

  #run(job: Job): void {
    const { core } = this.#setup;
    const over = (): void => {
      this.#runs.delete(job);
      this.pump();
      if (!this.busy) core.idle();
    };
    const run = new Run({ ...this.#setup, job, over });
    job.run = run;
    this.#runs.set(job, run);
    job.turn.sent();
    void run.work(); // never rejects
  }

  /** Stops the run of a turn. Who cancels again waits for no tools. */
  stop(job: Job, again: boolean): void {
    this.#runs.get(job)?.stop(again);
  }
}
