// The life of one process that answers one prompt.

import type { LocalWork } from "../core/client/local-turns.ts";
import type { CancelTimer } from "../core/clock.ts";
import { type AgentwireError, ClosedError, ConnectError, isAgentwireError } from "../core/errors.ts";
import { cleanCause } from "../core/tell/clean-cause.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import { isFolder } from "../process/folder.ts";
import { type Exit, GroupProcess } from "../process/group-process.ts";
import { locate } from "../process/program.ts";
import type { CliCore } from "./cli-core.ts";
import type { Environments } from "./environment.ts";
import { adviceOn, CodebuffCliError, notStarted, tookTooLong, UNREAD } from "./errors.ts";
import { buildArgv, type CodebuffCliPrompt, type Invocation } from "./input.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import type { CodebuffCliPromptOptions } from "./options.ts";
import { type RunVerdict, verdictOn } from "./outcome.ts";
import { CliOutput, type Heard, type OutputUser } from "./output.ts";
import type { Questions } from "./questions.ts";
import { type CliTurnState, type CodebuffCliResult, resultOf, type SessionRef } from "./turn.ts";

export interface CliJob {
  readonly turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>;
  readonly prompt: CodebuffCliPrompt;
  /** Complete, except for the session, which is set when the turn starts. */
  readonly invocation: Invocation;
  readonly options: CodebuffCliPromptOptions & TurnOptions;
  readonly state: CliTurnState;
  readonly session: SessionRef;
}

interface RunSetup {
  readonly core: CliCore;
  readonly questions: Questions;
  readonly environments: Environments;
  readonly job: CliJob;
  /** The process has ended or could not be started. */
  readonly over: () => void;
}

/** ms after the program's own limit, which starts later and may be followed by a partial result. */
const TIMEOUT_GRACE = 5_000;

/** Why this library ends a process. `stopped`: the turn has ended or must end. */
type Because = "stopped" | "overstayed" | "interactive" | "too-long";

interface Live {
  readonly process: GroupProcess;
  readonly total: CancelTimer;
}

/** `timer` limits one state, `total` the whole process. `#become` cancels them. */
type State =
  /** `startupTimeout` runs. `idleTimeout` is held until `unhold`. */
  | ({ readonly name: "starting"; readonly timer: CancelTimer; readonly unhold: () => void } & Live)
  | ({ readonly name: "running" } & Live)
  /** `exitGrace` runs, unless a slow reader delays the exit. */
  | ({ readonly name: "finished"; readonly timer: CancelTimer } & Live)
  | { readonly name: "ending"; readonly process: GroupProcess; readonly because: Because }
  /** Output may still arrive. */
  | { readonly name: "exited"; readonly process: GroupProcess; readonly because: Because | undefined }
  | { readonly name: "over" };

const NO_TIMER: CancelTimer = () => {};

/**
 * One process that answers one prompt. The turn settles when the process has ended and all of its output has arrived.
 *
 *     starting ──first byte──▶ running ──finish──▶ finished ──exitGrace──┐
 *        │                        │                   │                  ▼
 *        ├── a cancel, a limit, ──┴───────────────────┴───────────▶ ending (SIGTERM) ──killGrace──▶ SIGKILL
 *        │   the user interface, too much output                         │
 *        └── exit, from each of these ───────────────────────────────────┴──▶ exited ──its pipes close──▶ over
 *
 * A process that could not be started goes from `starting` to `over`.
 */
export class CliRun implements LocalWork, OutputUser {
  readonly #setup: RunSetup;
  readonly #output: CliOutput;
  readonly #startedAt: number;
  #state: State;

  /** @throws AgentwireError when the program cannot be started */
  constructor(setup: RunSetup) {
    const { core, questions, job } = setup;
    const { turn, state } = job;
    this.#setup = setup;
    this.#startedAt = core.clock.now();
    this.#output = new CliOutput({ core, questions, turn, state, run: this });
    const process = this.#spawn();
    const { pid } = process;
    this.#state = { name: "starting", process, ...this.#limits() };
    if (pid === undefined) return; // `failed` will be called
    turn.sent();
    turn.active();
    core.events.emit("spawned", { pid, turn });
  }

  #spawn(): GroupProcess {
    const { core, environments, job } = this.#setup;
    const { turn, invocation, prompt, session } = job;
    const { outbox, clock, settings } = core;
    const { env, dispose } = environments.make();
    const sessionId = job.options.sessionId ?? session.id;
    job.state.requestedSessionId = sessionId;
    try {
      const program = locate(settings.command, env);
      return new GroupProcess({
        command: program.command,
        args: [...program.args, ...buildArgv({ ...invocation, sessionId })],
        cwd: invocation.cwd,
        env,
        input: prompt.via === "stdin" ? prompt.text : undefined, // programs wait 100 ms for it
        forwardSignals: settings.forwardSignals,
        scope: "program",
        clock,
        listener: {
          stdout: this.#output.push,
          stderr: this.#output.pushError,
          exited: () => outbox.run(() => this.#onExited()),
          abandoned: dispose,
          ended: (exit) => {
            const heard = this.#output.end(exit);
            this.#over(dispose, (because) => this.#settle(exit, heard, because));
          },
          // The program was found, but could not be started.
          failed: (error) => this.#over(dispose, () => turn.fail(this.#notStarted(error, true))),
        },
      });
    } catch (cause) {
      dispose();
      throw this.#notStarted(cause, false);
    }
  }

  #limits() {
    const { core, job } = this.#setup;
    const { clock, settings } = core;
    const { turn, options, invocation } = job;
    const { startupTimeout } = settings;
    const { timeoutSeconds } = invocation;
    const silent = (): void => turn.stopWith(tookTooLong("idle", "startupTimeout", startupTimeout));
    const late = (): void => turn.stopWith(tookTooLong("total", "timeoutSeconds", inMs(timeoutSeconds)));
    return {
      timer: startupTimeout > 0 ? clock.setTimeout(silent, startupTimeout) : NO_TIMER,
      // The client's `idleTimeout` starts at the first byte. The prompt's own `idleTimeout` starts now.
      unhold: options.idleTimeout === undefined ? turn.hold() : () => {},
      total:
        timeoutSeconds === undefined
          ? NO_TIMER
          : clock.setTimeout(late, inMs(timeoutSeconds) + TIMEOUT_GRACE),
    };
  }

  /** The only place that changes the state. Cancels timers that the next state does not keep. */
  #become(next: State): void {
    const last = this.#state;
    this.#state = next;
    if ("timer" in last) last.timer();
    if ("total" in last && !("total" in next)) last.total();
  }

  // --- the turn's side ---

  /** Ends the process gently. `again`: kills the process, because the caller cancelled a second time. */
  stop(again: boolean): void {
    if (!again) letGo(this.#setup.job.turn);
    this.#end("stopped", again);
  }

  /** The client is closed: ends the turn at once, and the process gently, or at once with `force`. */
  close(force: boolean): void {
    const { turn } = this.#setup.job;
    letGo(turn);
    const message =
      "the client was closed while the program worked; the program and its child processes were ended";
    turn.abandon(new ClosedError(message, { delivery: "unknown" }));
    this.#end("stopped", force);
  }

  pause(): void {
    const state = this.#state;
    if (state.name === "over") return;
    state.process.pause();
    if (state.name === "finished") this.#become({ ...state, timer: NO_TIMER });
  }

  resume(): void {
    const state = this.#state;
    if (state.name === "over") return;
    state.process.resume();
    if (state.name === "finished" && this.#setup.job.turn.open) this.#awaitExit(state);
  }

  // --- the output's side ---

  began(): void {
    const state = this.#state;
    if (state.name !== "starting") return;
    const { process, total, unhold } = state;
    this.#become({ name: "running", process, total });
    unhold();
  }

  finished(): void {
    if (this.#state.name === "running") this.#awaitExit(this.#state);
  }

  useless(because: "interactive" | "too-long"): void {
    this.#end(because, because === "interactive");
  }

  #awaitExit({ process, total }: Live): void {
    const { clock, settings } = this.#setup.core;
    const { exitGrace } = settings;
    const isLimited = exitGrace > 0 && !process.isPaused;
    const overstayed = (): void => this.#end("overstayed", false);
    const timer = isLimited ? clock.setTimeout(overstayed, exitGrace) : NO_TIMER;
    this.#become({ name: "finished", process, total, timer });
  }

  #end(because: Because, firmly: boolean): void {
    const state = this.#state;
    switch (state.name) {
      case "starting":
      case "running":
      case "finished": {
        this.#become({ name: "ending", process: state.process, because });
        this.#holdTurn();
        break;
      }
      case "ending":
        break;
      case "exited":
        this.#become({ ...state, because: state.because ?? because }); // kill the processes that the program left
        break;
      case "over":
        return;
      default:
        state satisfies never;
        return;
    }
    if (firmly) state.process.kill();
    else state.process.terminate(this.#setup.core.settings.killGrace);
  }

  // --- the end ---

  /** After the exit no limit may change the outcome. */
  #onExited(): void {
    const state = this.#state;
    if (state.name === "over") return;
    const because = state.name === "ending" ? state.because : undefined;
    this.#become({ name: "exited", process: state.process, because });
    this.#holdTurn();
  }

  /** Holds `idleTimeout`, so that it cannot replace the reason for the end. */
  #holdTurn(): void {
    const { turn } = this.#setup.job;
    if (turn.open) turn.hold();
  }

  #over(dispose: () => void, settle: (because: Because | undefined) => void): void {
    const { core, job, over } = this.#setup;
    core.outbox.run(() => {
      const because = "because" in this.#state ? this.#state.because : undefined;
      this.#become({ name: "over" });
      dispose();
      if (job.turn.open) settle(because);
      else job.turn.stopped();
      over();
    });
  }

  #settle(exit: Exit, heard: Heard, because: Because | undefined): void {
    const { core, job } = this.#setup;
    const { turn, state } = job;
    letGo(turn);
    const overstayed = because === "overstayed";
    const verdict = verdictOn({
      ...heard,
      exit,
      overstayed,
      finished: state.finish !== undefined,
      interactive: because === "interactive",
      lastError: state.lastError,
      requireFinish: core.settings.requireFinish,
    });
    const end = { exitCode: overstayed ? null : exit.code, stderr: heard.stderr };
    if (verdict.status === "failed") {
      const isUnread = verdict.kind === "no_prompt" && !heard.hasBegun;
      if (isUnread) turn.unsent();
      turn.fail(this.#failure(verdict, { ...end, isUnread, signal: exit.signal ?? undefined }));
      return;
    }
    turn.complete({
      ...resultOf(state, turn),
      ...(verdict.missingFinish ? { missingFinish: true } : {}),
      ...end,
    });
  }

  #failure(
    { kind, words }: Extract<RunVerdict, { readonly status: "failed" }>,
    {
      isUnread,
      ...end
    }: {
      readonly exitCode: number | null;
      readonly signal: string | undefined;
      readonly isUnread: boolean;
    } & Pick<Heard, "stderr">,
  ): AgentwireError {
    const { core, job } = this.#setup;
    const { timeoutSeconds } = job.invocation;
    const ran = core.clock.now() - this.#startedAt;
    if (kind === "cancelled_by_cli" && timeoutSeconds !== undefined && ran >= inMs(timeoutSeconds))
      return tookTooLong("total", "timeoutSeconds", inMs(timeoutSeconds));
    const serverMessage = core.clean(words);
    // A busy machine may run the program, to its end, before this process writes to stdin.
    const advice = isUnread && job.prompt.via === "stdin" ? UNREAD : adviceOn(kind, serverMessage);
    return new CodebuffCliError({ origin: "process", kind, serverMessage, advice, ...end });
  }

  #notStarted(cause: unknown, found: boolean): AgentwireError {
    const { core, job } = this.#setup;
    const { settings, clean } = core;
    const { cwd } = job.invocation;
    if (isAgentwireError(cause)) return cause;
    // The system reports the same error for a missing folder and for a missing program.
    const isHomeless = cwd !== undefined && !isFolder(cwd);
    if (!isHomeless) return notStarted(settings.command, cause, clean, found);
    const gone = { cause: cleanCause(cause, clean), retryable: false };
    return new ConnectError("`cwd` is no folder any more", gone);
  }
}

/** Closes the open tool calls and questions of the turn. */
function letGo(turn: CliJob["turn"]): void {
  for (const { id } of turn.pending) turn.closed(id);
  turn.tools.abandon();
}

function inMs(seconds = 0): number {
  return seconds * 1_000;
}
