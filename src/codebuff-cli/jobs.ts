import { resolve } from "node:path";
import { InvalidInputError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import { type Course, Runner } from "../core/turn/runner.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { buildArgv, type Invocation } from "./argv.ts";
import type { CliCore, CliWork } from "./cli-core.ts";
import type { SessionRef } from "./conversation.ts";
import type { Environment } from "./environment.ts";
import type { CodebuffCliEvent } from "./events.ts";
import type { CodebuffCliPromptOptions, CodebuffCliSettings } from "./options.ts";
import type { CodebuffCliPrompt } from "./prompt.ts";
import type { Questions } from "./questions.ts";
import { Run } from "./run.ts";
import { type CodebuffCliResult, costOf, newTurnState, type TurnState, textOf } from "./turn.ts";

/** One turn of this client, from the call to its end. */
export interface Job {
  readonly turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>;
  readonly prompt: CodebuffCliPrompt;
  /** As it was when it was asked for, but for the session. */
  readonly invocation: Invocation;
  readonly options: CodebuffCliPromptOptions & TurnOptions;
  readonly state: TurnState;
  readonly session: SessionRef;
  /** While a process works on it. */
  run: Run | undefined;
}

export interface JobsSetup {
  readonly core: CliCore;
  readonly questions: Questions;
  readonly environment: () => Environment;
}

/** The processes of one client, one for each turn, so many at a time; the other turns wait. */
export class Jobs implements Course<Job>, CliWork {
  readonly runner: Runner<CodebuffCliEvent, CodebuffCliResult, Job>;
  readonly #setup: JobsSetup;
  /** Those that a process works on. A turn may have settled before its process is gone. */
  readonly #running = new Set<Job>();

  constructor(setup: JobsSetup) {
    this.#setup = setup;
    this.runner = new Runner(setup.core, this);
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Makes a turn without starting it.
   * @throws QueueFullError when too much waits already.
   */
  create(
    input: unknown,
    prompt: CodebuffCliPrompt,
    invocation: Invocation,
    options: CodebuffCliPromptOptions & TurnOptions,
    session: SessionRef,
  ): Job {
    const { core, questions } = this.#setup;
    const { maxTextBytes, maxQueuedEvents } = core.settings;
    const id = randomId("turn");
    const state = newTurnState(maxTextBytes, (callId) => questions.idOf(id, callId));
    return this.runner.make(
      {
        id,
        input,
        bytes: prompt.bytes,
        options,
        idleTimeout: 0, // the client's own is one of output, which its run keeps
        textOf,
        soFar: (job) => ({ cost: costOf(state), state: stateOf(job) }),
        repeatable: false, // it may have changed files
        flow: {
          high: maxQueuedEvents,
          pause: ({ run }) => run?.pause(),
          resume: ({ run }) => run?.resume(),
        },
      },
      (turn) => ({ turn, prompt, invocation, options, state, session, run: undefined }),
    );
  }

  /** Starts a process for each turn that waits, up to `maxProcesses`. */
  pump(): void {
    const { maxProcesses } = this.#setup.core.settings;
    while (this.#running.size < maxProcesses) {
      const job = this.runner.first;
      if (!job) return;
      this.runner.take(job);
      this.#start(job);
    }
  }

  /** The turn settles when its process is gone. */
  stop({ run }: Job, again: boolean): void {
    run?.stop(again);
  }

  find(turnId: string): Job["turn"] | undefined {
    return this.runner.find(turnId)?.turn;
  }

  giveBack(): void {
    this.runner.giveBack();
  }

  endAll(force: boolean): void {
    for (const { run } of this.#running) run?.close(force);
  }

  forward(signal: NodeJS.Signals): void {
    for (const { run } of this.#running) run?.forward(signal);
  }

  #start(job: Job): void {
    const { core, questions, environment } = this.#setup;
    const { turn, prompt, options, state, session } = job;
    const invocation = { ...job.invocation, sessionId: options.sessionId ?? session.id };
    state.requestedSessionId = invocation.sessionId;
    const run = new Run({
      core,
      turn,
      state,
      questions,
      argv: buildArgv(invocation),
      input: prompt.via === "stdin" ? prompt.text : undefined,
      cwd: invocation.cwd,
      timeoutSeconds: invocation.timeoutSeconds,
      idleTimeout: options.idleTimeout === undefined ? core.settings.idleTimeout : 0,
      environment,
      over: () => this.#over(job),
    });
    const failure = run.start();
    if (failure) {
      turn.fail(failure);
      return;
    }
    job.run = run;
    this.#running.add(job);
  }

  #over(job: Job): void {
    this.#running.delete(job);
    job.run = undefined;
    this.pump();
    if (!this.busy) this.#setup.core.idle();
  }
}

/** What a conversation can go on from. */
function stateOf({ state, session }: Job): object | undefined {
  const sessionId = state.sessionId ?? session.id;
  return sessionId === undefined ? undefined : { protocol: "codebuff-cli", version: 1, sessionId };
}

/** How the program is called for a prompt. */
export function invocationOf(
  settings: CodebuffCliSettings,
  prompt: CodebuffCliPrompt,
  options: CodebuffCliPromptOptions,
  sessionId: string | undefined,
): Invocation {
  const { args, profile, freeFlag, endOfOptions } = settings;
  const { mode = settings.mode, cwd = settings.cwd, agent, params, timeoutSeconds } = options;
  return {
    args,
    profile,
    mode,
    freeFlag,
    agent,
    params: params && jsonOf(params),
    sessionId: options.sessionId ?? sessionId,
    timeoutSeconds: timeoutSeconds === undefined ? undefined : Math.ceil(timeoutSeconds),
    cwd: cwd === undefined ? undefined : resolve(cwd),
    endOfOptions,
    prompt: prompt.via === "arg" ? prompt.text : undefined,
  };
}

/** @throws InvalidInputError for what JSON cannot say */
function jsonOf(params: object): string {
  try {
    const json: string | undefined = JSON.stringify(params);
    if (json?.startsWith("{")) return json;
  } catch (cause) {
    throw new InvalidInputError("`params` cannot be written as JSON.", PLAIN_PARAMS, { cause });
  }
  throw new InvalidInputError("`params` is no object in JSON.", PLAIN_PARAMS);
}

const PLAIN_PARAMS = "Pass an object of strings, numbers, booleans, arrays and objects.";
