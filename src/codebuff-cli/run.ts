import { cleanCause } from "../core/client/clean-cause.ts";
import type { CancelTimer } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import {
  type AgentwireError,
  ClosedError,
  ConnectError,
  isAgentwireError,
  TurnTimeoutError,
} from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { CliCore } from "./cli-core.ts";
import { locate } from "./command.ts";
import type { Environment } from "./environment.ts";
import { CodebuffCliError } from "./errors.ts";
import type { CodebuffCliEvent } from "./events.ts";
import { adviceOn, notStarted } from "./failures.ts";
import { isFolder } from "./folder.ts";
import { ESCAPE } from "./lines.ts";
import { type Exit, type Verdict, verdictOn } from "./outcome.ts";
import { type Heard, Output } from "./output.ts";
import { CliProcess } from "./process.ts";
import type { Questions } from "./questions.ts";
import { type CodebuffCliResult, costOf, type TurnState } from "./turn.ts";

/** What one run is made of. */
export interface RunSetup {
  readonly core: CliCore;
  readonly turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>;
  readonly state: TurnState;
  readonly questions: Questions;
  readonly argv: readonly string[];
  readonly input: string | undefined;
  readonly cwd: string | undefined;
  readonly timeoutSeconds: number | undefined;
  /** ms between two lines of output; 0 where the turn has a limit of its own. */
  readonly idleTimeout: number;
  /** The environment of the process, made when it starts. */
  readonly environment: () => Environment;
  /** The process is gone, or could not be started after all. */
  readonly over: () => void;
}

/** ms behind the program's own limit at which it is ended here: it counts from the end of its start, and says what it has. */
const TIMEOUT_GRACE = 5_000;

/**
 * The life of one process that answers one prompt.
 *
 *     started ──exit──▶ its pipes drain ──▶ settled
 *        │ cancelled, a limit, the user interface, or it stays behind its last word
 *        ▼
 *     terminating (SIGTERM to the group) ──killGrace──▶ killing (SIGKILL) ──exit──▶ settled
 */
export class Run {
  readonly #setup: RunSetup;
  readonly #output: Output;
  readonly #startup: Deadline;
  readonly #idle: Deadline;
  #process: CliProcess | undefined;
  #dispose: () => void = () => {};
  #cancelTotal: CancelTimer = () => {};
  #cancelGrace: CancelTimer = () => {};
  #hasOutput = false;
  #isInteractive = false;
  #overstayed = false;
  /** `exited` from the exit on, although its output may still come: nothing is to be waited for any more. */
  #phase: "running" | "ending" | "exited" = "running";
  #isPaused = false;
  /** When it was started, by the clock. */
  #startedAt = 0;

  constructor(setup: RunSetup) {
    const { core, turn, state, questions, idleTimeout } = setup;
    const { clock, startupTimeout } = core.settings;
    this.#setup = setup;
    this.#output = new Output({
      core,
      turn,
      state,
      questions,
      finished: () => this.#onFinished(),
      tooLong: () => this.#terminate(),
    });
    const silent = (option: string, limit: number) => (): void =>
      turn.stopWith(tookTooLong("idle", option, limit));
    this.#startup = new Deadline(clock, startupTimeout, silent("startupTimeout", startupTimeout));
    this.#idle = new Deadline(clock, idleTimeout, silent("idleTimeout", idleTimeout));
  }

  /** Returns why it cannot be started, where it cannot. */
  start(): AgentwireError | undefined {
    const { core, turn, timeoutSeconds } = this.#setup;
    const { clock } = core;
    try {
      this.#process = this.#spawn();
    } catch (cause) {
      this.#dispose();
      return this.#notStarted(cause, false);
    }
    const { pid } = this.#process;
    if (pid === undefined) return undefined; // which is about to be told
    this.#startedAt = clock.now();
    this.#startup.start();
    if (timeoutSeconds !== undefined) {
      const limit = timeoutSeconds * 1_000 + TIMEOUT_GRACE;
      const expire = (): void =>
        turn.stopWith(tookTooLong("total", "timeoutSeconds", timeoutSeconds * 1_000));
      this.#cancelTotal = clock.setTimeout(expire, limit);
    }
    turn.sent();
    turn.active();
    core.events.emit("spawned", { pid, turn });
    return undefined;
  }

  #spawn(): CliProcess {
    const { core, argv, input, cwd, environment } = this.#setup;
    const { outbox, clock, settings } = core;
    const { env, dispose } = environment();
    this.#dispose = dispose;
    const program = locate(settings.command, env);
    return new CliProcess({
      command: program.command,
      args: [...program.args, ...argv],
      cwd,
      env,
      input,
      clock,
      listener: {
        stdout: (piece) => this.#onOutput(piece),
        stderr: (piece) => this.#output.pushError(piece),
        exited: () => outbox.run(() => this.#onExited()),
        abandoned: () => this.#dispose(),
        ended: (exit) => {
          const heard = this.#output.end(exit);
          outbox.run(() => this.#onEnded(exit, heard));
        },
        failed: (error) => outbox.run(() => this.#onFailed(error)),
      },
    });
  }

  /** The turn is to end: gently, and firmly where that does not help or is asked for `again`. */
  stop(again: boolean): void {
    if (again) {
      this.#process?.kill();
      return;
    }
    letGo(this.#setup.turn);
    this.#terminate();
  }

  /** The client is closed: the turn ends at once, and its process gently, or firmly with `force`. */
  close(force: boolean): void {
    const { turn } = this.#setup;
    letGo(turn);
    const message = "the client was closed while the program worked; what it had begun was ended with it";
    turn.abandon(new ClosedError(message, { delivery: "unknown" }));
    if (force) this.#process?.kill();
    else this.#terminate();
  }

  forward(signal: NodeJS.Signals): void {
    this.#process?.forward(signal);
  }

  pause(): void {
    this.#isPaused = true;
    this.#idle.stop(); // it is the reader who is slow
    if (this.#phase === "running") this.#cancelGrace(); // and who keeps it from ending
    this.#process?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#process?.resume();
    if (!this.#setup.turn.open || this.#phase !== "running") return;
    if (this.#setup.state.finish) this.#onFinished();
    else this.#idle.start();
  }

  #terminate(): void {
    if (this.#phase === "ending") return; // or its grace would begin anew
    if (this.#phase === "exited") {
      this.#process?.terminate(); // what it has left behind
      return;
    }
    this.#phase = "ending";
    const { clock, settings } = this.#setup.core;
    this.#stopClocks();
    this.#process?.terminate();
    this.#cancelGrace = clock.setTimeout(() => this.#process?.kill(), settings.killGrace);
  }

  #onOutput(piece: Uint8Array): void {
    const { turn } = this.#setup;
    if (!turn.open) return; // nobody gets what still comes
    if (!this.#hasOutput) this.#onFirst(piece);
    this.#idle.touch();
    turn.active(); // for a limit of its own
    if (!this.#isInteractive) this.#output.push(piece);
  }

  #onFirst(piece: Uint8Array): void {
    this.#hasOutput = true;
    this.#startup.stop();
    if (this.#phase === "running") this.#idle.start();
    if (piece[0] !== ESCAPE) return;
    this.#isInteractive = true;
    this.#process?.kill();
  }

  /** Nothing but the end is to come. A program that stays is helped. */
  #onFinished(): void {
    const { clock, settings } = this.#setup.core;
    const { exitGrace } = settings;
    this.#idle.stop();
    if (this.#phase !== "running" || this.#isPaused || exitGrace === 0) return;
    this.#cancelGrace();
    this.#cancelGrace = clock.setTimeout(() => {
      this.#overstayed = true;
      this.#terminate();
    }, exitGrace);
  }

  // --- the end ---

  /** How it ended is known, and no limit is to overrule that. */
  #onExited(): void {
    this.#phase = "exited";
    this.#stopClocks();
    if (this.#setup.turn.open) this.#setup.turn.hold();
  }

  #onEnded(exit: Exit, heard: Heard): void {
    const { turn, over } = this.#setup;
    this.#cleanUp();
    if (turn.open) this.#settle(exit, heard);
    else turn.stopped();
    over();
  }

  /** It could not be started, although it was found. */
  #onFailed(cause: unknown): void {
    const { turn, over } = this.#setup;
    this.#cleanUp();
    if (turn.open) turn.fail(this.#notStarted(cause, true));
    else turn.stopped();
    over();
  }

  #cleanUp(): void {
    this.#onExited(); // a reader who only now catches up starts no clock
    this.#dispose();
  }

  #settle(exit: Exit, heard: Heard): void {
    const { core, turn, state } = this.#setup;
    letGo(turn);
    const verdict = verdictOn({
      ...heard,
      exit,
      overstayed: this.#overstayed,
      finished: state.finish !== undefined,
      interactive: this.#isInteractive,
      lastError: state.lastError,
      requireFinish: core.settings.requireFinish,
    });
    const { stderr } = heard;
    const exitCode = this.#overstayed ? null : exit.code;
    if (verdict.status === "failed") {
      turn.fail(this.#failure(verdict, { exitCode, signal: exit.signal ?? undefined, stderr }));
      return;
    }
    const cost = costOf(state);
    const sessionId = state.sessionId ?? state.requestedSessionId;
    turn.complete({
      text: turn.text,
      ...(turn.truncated ? { truncated: true } : {}),
      ...(cost ? { cost } : {}),
      ...(sessionId === undefined ? {} : { sessionId }),
      toolCalls: turn.toolCalls,
      ...(verdict.missingFinish ? { missingFinish: true } : {}),
      exitCode,
      stderr,
    });
  }

  #failure(
    { kind, words }: Extract<Verdict, { readonly status: "failed" }>,
    end: { readonly exitCode: number | null; readonly signal: string | undefined } & Pick<Heard, "stderr">,
  ): AgentwireError {
    const { core, timeoutSeconds } = this.#setup;
    const ran = core.clock.now() - this.#startedAt;
    if (kind === "cancelled_by_cli" && timeoutSeconds !== undefined && ran >= timeoutSeconds * 1_000)
      return tookTooLong("total", "timeoutSeconds", timeoutSeconds * 1_000);
    const serverMessage = core.clean(words);
    const advice = adviceOn(kind, serverMessage);
    return new CodebuffCliError({ origin: "process", kind, serverMessage, advice, ...end });
  }

  #notStarted(cause: unknown, found: boolean): AgentwireError {
    const { core, cwd } = this.#setup;
    const { settings, clean } = core;
    if (isAgentwireError(cause)) return cause;
    // The system says the same of a folder that is gone as of a program that is.
    const isHomeless = cwd !== undefined && !isFolder(cwd);
    if (!isHomeless) return notStarted(settings.command, cause, clean, found);
    const gone = { cause: cleanCause(cause, clean), retryable: false };
    return new ConnectError("`cwd` is no folder any more", gone);
  }

  #stopClocks(): void {
    this.#startup.stop();
    this.#idle.stop();
    this.#cancelTotal();
    this.#cancelGrace();
  }
}

/** What of a turn was open: nobody ends its calls any more, nor hears of its questions. */
function letGo(turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>): void {
  for (const { id } of turn.pending) turn.closed(id);
  turn.tools.abandon();
}

function tookTooLong(kind: "idle" | "total", option: string, limit: number): TurnTimeoutError {
  const without = option === "timeoutSeconds" ? "leave it out" : "set it to 0";
  return new TurnTimeoutError(kind, limit, {
    advice: `raise \`${option}\`, or ${without} to wait without end`,
    retryable: false, // it may have changed files
  });
}
