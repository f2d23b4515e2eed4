import { joinBytes } from "../core/bytes.ts";
import { cleanCause } from "../core/client/clean-cause.ts";
import type { Voice } from "../core/client/voice.ts";
import type { CancelTimer } from "../core/clock.ts";
import { Deadline } from "../core/deadline.ts";
import { ClosedError, ConnectError, isAgentwireError, said, TurnTimeoutError } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { Question } from "../core/values.ts";
import type { CodebuffCliClientEvents } from "./client-events.ts";
import { locate } from "./command.ts";
import { CodebuffCliError } from "./errors.ts";
import { type CodebuffCliEvent, type PrintedEvent, readLine } from "./events.ts";
import { adviceOn, notStarted } from "./failures.ts";
import { isFolder } from "./folder.ts";
import { ESCAPE, LineSplitter } from "./lines.ts";
import { type CodebuffCliSettings, saysAllAtEnd } from "./options.ts";
import { type Exit, type Report, verdictOn } from "./outcome.ts";
import { CliProcess } from "./process.ts";
import { newsOf, type ReadReport, readOutput, reportOf } from "./report.ts";
import { StderrKeeper } from "./stderr.ts";
import { type CodebuffCliResult, costOf, stepTurn, type TurnState } from "./turn.ts";

/** What one run is made of. */
export interface RunSetup {
  readonly settings: CodebuffCliSettings;
  readonly voice: Voice<CodebuffCliEvent, CodebuffCliResult, CodebuffCliClientEvents>;
  readonly turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>;
  readonly state: TurnState;
  readonly argv: readonly string[];
  readonly input: string | undefined;
  readonly cwd: string | undefined;
  readonly timeoutSeconds: number | undefined;
  /** ms between two lines of output; 0 where the turn has a limit of its own. */
  readonly idleTimeout: number;
  /** The environment of the process, made when it starts; `dispose` deletes what was made for it. */
  readonly environment: () => { readonly env: NodeJS.ProcessEnv; readonly dispose: () => void };
  /** Takes credentials and the user's folder out of what the program says. */
  readonly clean: (text: string) => string;
  /** The process is gone, or never was. */
  readonly over: () => void;
}

/** ms behind the program's own limit at which it is ended here: it counts from the end of its start, and says what it has. */
const TIMEOUT_GRACE = 5_000;

/**
 * One process that answers one prompt.
 *
 *     started ──exit──▶ its pipes drain ──▶ settled
 *        │ cancelled, a limit, the user interface, or it stays behind its last word
 *        ▼
 *     terminating (SIGTERM to the group) ──killGrace──▶ killing (SIGKILL) ──exit──▶ settled
 */
export class Run {
  readonly #setup: RunSetup;
  readonly #lines: LineSplitter;
  readonly #stderr: StderrKeeper;
  readonly #startup: Deadline;
  readonly #idle: Deadline;
  #process: CliProcess | undefined;
  #dispose: () => void = () => {};
  #cancelTotal: CancelTimer = () => {};
  #cancelGrace: CancelTimer = () => {};
  /** Where all of the output is one text: what has come of it. */
  #output: Uint8Array[] = [];
  #outputBytes = 0;
  #hasOutput = false;
  #hasEvents = false;
  #hasGarbage = false;
  /** What it has said of the whole run, in one object. */
  #reported: Report | undefined;
  /** Whether events came behind that, so that it was not its last word. */
  #wentOn = false;
  #isInteractive = false;
  #isTooLong = false;
  #overstayed = false;
  /** `exited` from the exit on, although its output may still come: nothing is to be waited for any more. */
  #phase: "running" | "ending" | "exited" = "running";
  #isPaused = false;
  /** When it was started, by the clock. */
  #startedAt = 0;

  constructor(setup: RunSetup) {
    this.#setup = setup;
    const { settings, clean, turn } = setup;
    const { clock, startupTimeout, maxLineBytes } = settings;
    const { idleTimeout } = setup;
    this.#lines = new LineSplitter(maxLineBytes);
    this.#stderr = new StderrKeeper(clean);
    const silent = (option: string, limit: number) => (): void =>
      turn.stopWith(tookTooLong("idle", option, limit));
    this.#startup = new Deadline(clock, startupTimeout, silent("startupTimeout", startupTimeout));
    this.#idle = new Deadline(clock, idleTimeout, silent("idleTimeout", idleTimeout));
  }

  start(): void {
    const { settings, voice, turn, argv, input, cwd, timeoutSeconds, environment } = this.#setup;
    const { clock, command } = settings;
    try {
      const { env, dispose } = environment();
      this.#dispose = dispose;
      if (!turn.open) {
        this.#onUnwanted();
        return;
      }
      const program = locate(command, env);
      this.#process = new CliProcess({
        command: program.command,
        args: [...program.args, ...argv],
        cwd,
        env,
        input,
        clock,
        listener: {
          stdout: (piece) => this.#onOutput(piece),
          stderr: (piece) => this.#onStderr(this.#stderr.push(piece)),
          exited: () => this.#onExited(),
          abandoned: () => this.#dispose(),
          ended: (exit) => this.#onEnded(exit),
          failed: (error) => this.#onFailed(error, true),
        },
      });
    } catch (cause) {
      this.#onFailed(cause);
      return;
    }
    const { pid } = this.#process;
    if (pid === undefined) return; // which is about to be told
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
    voice.events.emit("spawned", { pid, turn });
  }

  /** Ends it gently, and firmly where that does not help. */
  terminate(): void {
    if (this.#phase === "ending") return; // or its grace would begin anew
    if (this.#phase === "exited") {
      this.#process?.terminate(); // what it has left behind
      return;
    }
    this.#phase = "ending";
    const { clock, killGrace } = this.#setup.settings;
    this.#stopClocks();
    this.#process?.terminate();
    this.#cancelGrace = clock.setTimeout(() => this.#process?.kill(), killGrace);
  }

  kill(): void {
    this.#process?.kill();
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

  // --- what comes ---

  #onOutput(piece: Uint8Array): void {
    const { settings, turn } = this.#setup;
    if (!turn.open) return; // nobody gets what still comes
    if (!this.#hasOutput) this.#onFirst(piece);
    this.#idle.touch();
    turn.active(); // for a limit of its own
    if (this.#isInteractive) return;
    if (saysAllAtEnd(settings.profile)) this.#keep(piece);
    else this.#onLines(piece);
  }

  #onLines(piece: Uint8Array): void {
    for (const line of this.#lines.push(piece)) {
      this.#guarded(() => this.#onLine(line));
      if (!this.#setup.turn.open) return; // somebody who was told of the line has ended the turn
    }
  }

  #onFirst(piece: Uint8Array): void {
    this.#hasOutput = true;
    this.#startup.stop();
    if (this.#phase === "running") this.#idle.start();
    if (piece[0] !== ESCAPE) return;
    this.#isInteractive = true;
    this.#process?.kill();
  }

  #keep(piece: Uint8Array): void {
    this.#outputBytes += piece.length;
    if (this.#outputBytes <= this.#setup.settings.maxOutputBytes) {
      this.#output.push(piece);
      return;
    }
    if (this.#isTooLong) return;
    this.#isTooLong = true;
    this.#output = [];
    this.terminate();
  }

  /** The last line of defence: what the handling of some output throws is told, and the run goes on to its exit, which settles it. */
  #guarded(handle: () => void): void {
    try {
      handle();
    } catch (cause) {
      this.#hasGarbage = true;
      this.#setup.voice.warn("line-failed", `some output cannot be handled: ${said(cause)}`, { cause });
    }
  }

  #onLine(line: string | { readonly skipped: number }): void {
    const { voice, settings } = this.#setup;
    if (typeof line !== "string") {
      this.#hasGarbage = true;
      const message = `a line of ${line.skipped} bytes, over the limit of ${settings.maxLineBytes}, is left out`;
      voice.warn("line-too-long", message);
      return;
    }
    voice.frame("in", line);
    const read = readLine(line);
    if (read.kind === "event") {
      this.#wentOn = true;
      this.#onEvent(read.event, read.raw, line.length);
    } else if (read.kind === "report") {
      this.#onReport(reportOf(read.value), line.length);
    } else if (read.kind !== "blank") {
      this.#hasGarbage = true;
      if (read.kind === "unparsed") voice.warn("unparsed-line", read.problem, { raw: line });
    }
  }

  /** What says all of a run; of what it did, only what has not come before is news. */
  #onReport(read: ReadReport, bytes: number): void {
    const { turn, state } = this.#setup;
    const news = newsOf(read, { text: turn.text, calls: state.calls.size > 0 });
    for (const event of news) this.#onEvent(event, event, Math.ceil(bytes / news.length));
    this.#reported = read.report;
    this.#wentOn = false;
  }

  #onEvent(printed: PrintedEvent, raw: unknown, bytes: number): void {
    const { voice, turn, state } = this.#setup;
    this.#hasEvents = true;
    if (!turn.open) return;
    voice.message(raw);
    if (!turn.open) return; // who was told of it has ended it
    const { event, call, asked, answered, finished } = stepTurn(state, printed, raw);
    if (call) turn.tools.set(call);
    if (asked) this.#onAsked(asked);
    if (answered !== undefined) turn.closed(answered);
    turn.push(event, bytes);
    if (finished) {
      turn.hold(); // a limit of its own does not count what is left: there is one for that
      this.#onFinished();
    }
  }

  #onAsked(question: Question): void {
    const { voice, turn } = this.#setup;
    const request = { type: "question", id: question.id, question } as const;
    turn.opened(request);
    const isOpen = (): boolean => turn.tools.isPending(request);
    voice.shared.emitPresent("question", isOpen, question, turn);
  }

  /** Nothing but the end is to come. A program that stays is helped. */
  #onFinished(): void {
    const { clock, exitGrace } = this.#setup.settings;
    this.#idle.stop();
    if (this.#phase !== "running" || this.#isPaused || exitGrace === 0) return;
    this.#cancelGrace();
    this.#cancelGrace = clock.setTimeout(() => {
      this.#overstayed = true;
      this.terminate();
    }, exitGrace);
  }

  #onStderr(lines: readonly string[]): void {
    const { voice, turn, settings } = this.#setup;
    for (const line of lines) {
      voice.debug(`!! ${line}`);
      voice.events.emit("stderr", line, turn);
      if (settings.profile !== "print") continue;
      this.#guarded(() => {
        const read = readLine(line); // there, errors go this way
        if (read.kind === "event" && read.event.type === "error")
          this.#onEvent(read.event, read.raw, line.length);
      });
    }
  }

  // --- the end ---

  /** How it ended is known, and no limit is to overrule that. */
  #onExited(): void {
    this.#phase = "exited";
    this.#stopClocks();
    if (this.#setup.turn.open) this.#setup.turn.hold();
  }

  #onEnded(exit: Exit): void {
    const rest = this.#lines.end();
    if (rest !== undefined && this.#setup.turn.open) this.#guarded(() => this.#onLine(rest));
    this.#onStderr(this.#stderr.end());
    let report: Report | undefined = { status: "unreadable" };
    this.#guarded(() => {
      report = this.#report(exit);
    });
    this.#cleanUp();
    this.#settle(exit, report);
    this.#setup.over();
  }

  /** What a program has said of the whole run, where it says that at all. */
  #report({ code }: Exit): Report | undefined {
    const { profile } = this.#setup.settings;
    if (!saysAllAtEnd(profile)) return this.#wentOn && code === 0 ? undefined : this.#reported;
    if (this.#isTooLong) return { status: "too-long" };
    const output = new TextDecoder().decode(joinBytes(this.#output));
    if (profile === "text") {
      const text = output.replace(/\r?\n$/, "");
      const event = { type: "text", text } as const;
      if (text !== "") this.#onEvent(event, event, text.length);
      return { status: "success" };
    }
    const { events, report } = readOutput(output);
    for (const { event, raw } of events) this.#onEvent(event, raw, 0);
    if (report) this.#onReport(report, 0);
    return this.#reported;
  }

  #settle(exit: Exit, report: Report | undefined): void {
    const { turn, state, settings, clean, timeoutSeconds } = this.#setup;
    if (turn.open) letGo(turn);
    if (!turn.open) {
      turn.stopped(); // also when somebody who was just told of its calls has ended it
      return;
    }
    const stderr = this.#stderr.kept;
    const exitCode = this.#overstayed ? null : exit.code;
    const verdict = verdictOn({
      exit,
      overstayed: this.#overstayed,
      finished: state.finish !== undefined,
      hasEvents: this.#hasEvents,
      hasGarbage: this.#hasGarbage,
      report,
      interactive: this.#isInteractive,
      lastError: state.lastError,
      stderr,
      requireFinish: settings.requireFinish,
    });
    if (verdict.status === "completed") {
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
      return;
    }
    const { kind } = verdict;
    const ran = settings.clock.now() - this.#startedAt;
    if (kind === "cancelled_by_cli" && timeoutSeconds !== undefined && ran >= timeoutSeconds * 1_000) {
      turn.fail(tookTooLong("total", "timeoutSeconds", timeoutSeconds * 1_000));
      return;
    }
    const words = clean(verdict.words);
    turn.fail(
      new CodebuffCliError({
        origin: "process",
        kind,
        serverMessage: words,
        advice: adviceOn(kind, words),
        exitCode,
        signal: exit.signal ?? undefined,
        stderr,
      }),
    );
  }

  /** Somebody who was told what is wrong with the credentials has ended the turn: nothing is started. */
  #onUnwanted(): void {
    const { turn, over } = this.#setup;
    this.#cleanUp();
    turn.stopped();
    over();
  }

  /** It could not be started, although it was found. */
  #onFailed(cause: unknown, found = false): void {
    const { turn, settings, clean, over, cwd } = this.#setup;
    this.#cleanUp();
    // The system says the same of a folder that is gone as of a program that is.
    const isHomeless = cwd !== undefined && !isFolder(cwd);
    const error = isAgentwireError(cause)
      ? cause
      : isHomeless
        ? new ConnectError("`cwd` is no folder any more", {
            cause: cleanCause(cause, clean),
            retryable: false,
          })
        : notStarted(settings.command, cause, clean, found);
    if (turn.open) turn.fail(error);
    else turn.stopped();
    over();
  }

  #cleanUp(): void {
    this.#onExited(); // a reader who only now catches up starts no clock
    this.#dispose();
  }

  #stopClocks(): void {
    this.#startup.stop();
    this.#idle.stop();
    this.#cancelTotal();
    this.#cancelGrace();
  }
}

/** What of a turn was open: nobody ends its calls any more, nor hears of its questions. */
export function letGo(turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>): void {
  for (const { id } of turn.pending) turn.closed(id);
  turn.tools.abandon();
}

/** What a turn ends with whose client is closed. */
export function closedInRun(): ClosedError {
  return new ClosedError(
    "the client was closed while the program worked; what it had begun was ended with it",
    {
      delivery: "unknown",
    },
  );
}

function tookTooLong(kind: "idle" | "total", option: string, limit: number): TurnTimeoutError {
  const without = option === "timeoutSeconds" ? "leave it out" : "set it to 0";
  return new TurnTimeoutError(kind, limit, {
    advice: `raise \`${option}\`, or ${without} to wait without end`,
    retryable: false, // it may have changed files
  });
}
