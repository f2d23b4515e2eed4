import { checkCallOptions, defined } from "../core/checks.ts";
import { HandshakeError, isAgentwireError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { PromptOf } from "../core/turn/prompt-input.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { CliCore } from "./cli-core.ts";
import type { Environments } from "./environment.ts";
import { buildInvocation, buildPrompt, type CodebuffCliPromptInput } from "./input.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import { type CodebuffCliPromptOptions, PROMPT_CHECKS } from "./options.ts";
import type { Questions } from "./questions.ts";
import { type Job, Run } from "./run.ts";
import { type CodebuffCliResult, costOf, newTurnState, type SessionRef, textOf } from "./turn.ts";

export interface TurnsSetup {
  readonly core: CliCore;
  readonly questions: Questions;
  readonly environments: Environments;
}

/** The turns of one client: one process per turn, at most `maxProcesses` at a time. Other turns wait. */
export class Turns implements Course<Job> {
  readonly #setup: TurnsSetup;
  readonly #runner: Runner<CodebuffCliEvent, CodebuffCliResult, Job>;
  /** The turns with a process. A turn may settle before its process has ended. */
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
   * @throws ClosedError, InvalidInputError, PayloadTooLargeError; QueueFullError if the queue is full.
   */
  create(
    input: PromptOf<CodebuffCliPromptInput>,
    options: (CodebuffCliPromptOptions & TurnOptions) | undefined,
    session: SessionRef,
  ): Job {
    const { core, questions } = this.#setup;
    core.assertOpen();
    checkCallOptions(options, PROMPT_CHECKS);
    const { settings, clean } = core;
    const given = options ?? {};
    const prompt = buildPrompt(input, { ...settings, ...defined(given), platform: process.platform });
    const invocation = buildInvocation(settings, prompt, given, session.id, clean);
    const { maxTextBytes, maxQueuedEvents, idleTimeout } = settings;
    const id = randomId("turn");
    const state = newTurnState(maxTextBytes, (callId) => questions.idOf(id, callId));
    return this.#runner.make(
      {
        id,
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout,
        textOf,
        sessionId: () => state.requestedSessionId,
        soFar: () => ({ cost: costOf(state), state: stateOf(state.sessionId ?? session.id) }),
        repeatable: false, // the agent may have changed files
        flow: {
          high: maxQueuedEvents,
          pause: (job) => this.#runs.get(job)?.pause(),
          resume: (job) => this.#runs.get(job)?.resume(),
        },
      },
      (turn) => ({ turn, prompt, invocation, options: given, state, session }),
    );
  }

  /** Starts a process for the turn, now or when an earlier turn is done. */
  start(job: Job): void {
    const { core, environments } = this.#setup;
    if (core.settings.requireKey && !environments.credentials.credentials) {
      const message = "there is no API key: set CODEBUFF_API_KEY, or pass `apiKey`";
      job.turn.fail(new HandshakeError("rejected", message, { delivery: "not-sent" }));
      return;
    }
    core.ready();
    this.#runner.start(job, job.prompt.bytes);
  }

  pump(): void {
    const { maxProcesses } = this.#setup.core.settings;
    while (this.#runs.size < maxProcesses) {
      const job = this.#runner.first;
      if (!job) return;
      this.#runner.take(job);
      this.#run(job);
    }
  }

  #run(job: Job): void {
    const over = (): void => {
      this.#runs.delete(job);
      this.pump();
      if (!this.busy) this.#setup.core.idle();
    };
    try {
      this.#runs.set(job, new Run({ ...this.#setup, job, over }));
    } catch (error) {
      if (!isAgentwireError(error)) throw error;
      job.turn.fail(error);
    }
  }

  /** Stops the process of a turn. The turn settles when the process has ended. */
  stop(job: Job, again: boolean): void {
    this.#runs.get(job)?.stop(again);
  }
}

/** The state of a conversation that continues from this turn. */
function stateOf(sessionId: string | undefined): object | undefined {
  return sessionId === undefined ? undefined : { protocol: "codebuff-cli", version: 1, sessionId };
}
