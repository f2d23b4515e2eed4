import { resolve } from "node:path";
import type { Voice } from "../core/client/voice.ts";
import { ClosedError, InvalidInputError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { TurnQueue } from "../core/turn/turn-queue.ts";
import { buildArgv, type Invocation } from "./argv.ts";
import type { CodebuffCliClientEvents } from "./client-events.ts";
import type { SessionRef } from "./conversation.ts";
import type { Environment } from "./environment.ts";
import type { CodebuffCliEvent } from "./events.ts";
import type { CodebuffCliPromptOptions, CodebuffCliSettings } from "./options.ts";
import type { CodebuffCliPrompt } from "./prompt.ts";
import { closedInRun, letGo, Run } from "./run.ts";
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
  readonly settings: CodebuffCliSettings;
  readonly voice: Voice<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents>;
  readonly environment: () => Environment;
  readonly clean: (text: string) => string;
  /** The id that a question of a turn gets. */
  readonly questionId: (turnId: string, callId: string) => string;
  /** The last process is gone, and nothing waits. */
  readonly idle: () => void;
}

/** The turns of one client: each is a process of its own, so many at a time, and the others wait. */
export class Jobs {
  readonly #setup: JobsSetup;
  readonly #queue: TurnQueue<Job>;
  readonly #running = new Set<Job>();
  #isPumping = false;

  constructor(setup: JobsSetup) {
    this.#setup = setup;
    const { maxQueuedTurns: maxTurns, maxQueuedBytes: maxBytes } = setup.settings;
    this.#queue = new TurnQueue({ maxTurns, maxBytes });
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
    const { settings, voice } = this.#setup;
    this.#queue.assertRoom(prompt.bytes);
    const { clock, maxBufferedBytes, maxTextBytes, maxQueuedEvents } = settings;
    const { signal, timeout = 0, idleTimeout = 0, read = true } = options;
    const id = randomId("turn");
    const state = newTurnState(maxTextBytes, (callId) => this.#setup.questionId(id, callId));
    const turn: Job["turn"] = new LiveTurn<CodebuffCliEvent, CodebuffCliResult>({
      id,
      input,
      clock,
      maxBufferedBytes,
      maxTextBytes,
      timeout,
      idleTimeout,
      signal,
      read,
      textOf,
      soFar: () => ({ cost: costOf(state), state: this.#stateOf(job) }),
      stop: () => this.#interrupted(job),
      insist: () => job.run?.kill(),
      settled: () => void this.#queue.delete(job),
      repeatable: false, // it may have changed files
      flow: {
        high: maxQueuedEvents,
        pause: () => job.run?.pause(),
        resume: () => job.run?.resume(),
      },
      onEvent: (event) => voice.events.emit("event", event, turn),
      onListenerThrow: voice.listenerThrew,
    });
    const job: Job = { turn, prompt, invocation, options, state, session, run: undefined };
    this.#queue.hold(job, prompt.bytes);
    return job;
  }

  /** Starts the turn now, or when there is a process free for it. */
  start(job: Job): void {
    job.turn.begin();
    if (!job.turn.open) return;
    this.#queue.add(job, job.prompt.bytes);
    this.#pump();
  }

  /** Gives back what waits. */
  giveBack(): void {
    for (const { turn } of this.#queue.clear())
      turn.abandon(new ClosedError("the client was closed before the program was started"));
  }

  /** Ends all that runs; `force` does not wait for anything to end by itself. */
  endAll(force: boolean): void {
    for (const { turn, run } of [...this.#running]) {
      letGo(turn);
      turn.abandon(closedInRun());
      if (force) run?.kill();
      else run?.terminate();
    }
  }

  forward(signal: NodeJS.Signals): void {
    for (const { run } of this.#running) run?.forward(signal);
  }

  #pump(): void {
    if (this.#isPumping) return; // one that ends before it has begun would start the next from within itself
    this.#isPumping = true;
    const { maxProcesses } = this.#setup.settings;
    for (let job = this.#queue.first(); job && this.#running.size < maxProcesses; job = this.#queue.first()) {
      this.#queue.delete(job);
      if (job.turn.open) this.#run(job); // or it is just being cancelled, and its listeners are told before this queue is
    }
    this.#isPumping = false;
  }

  #run(job: Job): void {
    const { settings, voice, environment, clean, idle } = this.#setup;
    const { turn, prompt, options, state, session } = job;
    const invocation = { ...job.invocation, sessionId: options.sessionId ?? session.id };
    state.requestedSessionId = invocation.sessionId;
    const run = new Run({
      settings,
      voice,
      turn,
      state,
      argv: buildArgv(invocation),
      input: prompt.via === "stdin" ? prompt.text : undefined,
      cwd: invocation.cwd,
      timeoutSeconds: invocation.timeoutSeconds,
      idleTimeout: options.idleTimeout === undefined ? settings.idleTimeout : 0,
      environment,
      clean,
      over: () => {
        this.#running.delete(job);
        job.run = undefined;
        this.#pump();
        if (!this.busy) idle();
      },
    });
    job.run = run;
    this.#running.add(job);
    run.start();
  }

  /** The turn wants to end, by the caller's will or a limit of its own. It settles when its process is gone. */
  #interrupted(job: Job): void {
    letGo(job.turn);
    if (job.run) {
      job.run.terminate();
      return;
    }
    this.#queue.delete(job);
    job.turn.stopped();
  }

  #stateOf({ state, session }: Job): object | undefined {
    const sessionId = state.sessionId ?? session.id;
    return sessionId === undefined ? undefined : { protocol: "codebuff-cli", version: 1, sessionId };
  }
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
