import { joinBytes } from "../core/bytes.ts";
import { said } from "../core/errors.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { CliCore } from "./cli-core.ts";
import { type CodebuffCliEvent, type PrintedEvent, readLine } from "./events.ts";
import { LineSplitter, type LongLine } from "./lines.ts";
import { saysAllAtEnd } from "./options.ts";
import type { Ended, Exit, Report } from "./outcome.ts";
import type { Questions } from "./questions.ts";
import { newsOf, type ReadReport, readOutput, reportOf } from "./report.ts";
import { StderrKeeper } from "./stderr.ts";
import { type CodebuffCliResult, stepTurn, type TurnState, type TurnStep } from "./turn.ts";

export interface OutputSetup {
  readonly core: CliCore;
  readonly turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>;
  readonly state: TurnState;
  readonly questions: Questions;
  /** The agent is done: nothing but the exit is to come. */
  readonly finished: () => void;
  /** The program has written more than `maxOutputBytes`. */
  readonly tooLong: () => void;
}

/** What of the output decides how a run ended. */
export type Heard = Pick<Ended, "hasEvents" | "hasGarbage" | "report" | "stderr">;

/** What one process writes, read for its turn. Each line is an input, and so is what says all of a run. */
export class Output {
  readonly #setup: OutputSetup;
  readonly #lines: LineSplitter;
  readonly #stderr: StderrKeeper;
  /** Where all of the output is one text: what has come of it. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isTooLong = false;
  #hasEvents = false;
  #hasGarbage = false;
  /** What the program has said of the whole run, in one object. */
  #reported: Report | undefined;
  /** Whether events came behind that, so that it was not its last word. */
  #wentOn = false;

  constructor(setup: OutputSetup) {
    const { settings, clean } = setup.core;
    this.#setup = setup;
    this.#lines = new LineSplitter(settings.maxLineBytes);
    this.#stderr = new StderrKeeper(clean);
  }

  push(piece: Uint8Array): void {
    const { core, turn } = this.#setup;
    if (saysAllAtEnd(core.settings.profile)) {
      this.#keep(piece);
      return;
    }
    for (const line of this.#lines.push(piece)) {
      this.#input(() => this.#onLine(line));
      if (!turn.open) return; // nobody gets the lines behind the one that ended it
    }
  }

  pushError(piece: Uint8Array): void {
    this.#onErrorLines(this.#stderr.push(piece));
  }

  /** The pipes are closed. Reads the last line without a line end, the last error lines and the report. */
  end(exit: Exit): Heard {
    const rest = this.#lines.end();
    if (rest !== undefined && this.#setup.turn.open) this.#input(() => this.#onLine(rest));
    this.#onErrorLines(this.#stderr.end());
    let report: Report | undefined = { status: "unreadable" };
    this.#input(() => {
      report = this.#report(exit);
    });
    return {
      hasEvents: this.#hasEvents,
      hasGarbage: this.#hasGarbage,
      report,
      stderr: this.#stderr.kept,
    };
  }

  /** The last line of defence: what the handling of some output throws is told, and the run goes on to its exit, which settles it. */
  #input(handle: () => void): void {
    const { core } = this.#setup;
    core.outbox.enter();
    try {
      handle();
    } catch (cause) {
      this.#hasGarbage = true;
      core.warn("line-failed", `some output cannot be handled: ${said(cause)}`, { cause });
    } finally {
      core.outbox.leave();
    }
  }

  #keep(piece: Uint8Array): void {
    const { core, tooLong } = this.#setup;
    this.#bytes += piece.length;
    if (this.#bytes <= core.settings.maxOutputBytes) {
      this.#pieces.push(piece);
      return;
    }
    if (this.#isTooLong) return;
    this.#isTooLong = true;
    this.#pieces = [];
    tooLong();
  }

  #onLine(line: string | LongLine): void {
    const { core } = this.#setup;
    if (typeof line !== "string") {
      this.#hasGarbage = true;
      const { maxLineBytes } = core.settings;
      const message = `a line of ${line.skipped} bytes, over the limit of ${maxLineBytes}, is left out`;
      core.warn("line-too-long", message);
      return;
    }
    core.frame("in", line);
    const read = readLine(line);
    if (read.kind === "event") {
      this.#wentOn = true;
      this.#onEvent(read.event, read.raw, line.length);
    } else if (read.kind === "report") {
      this.#onReport(reportOf(read.value), line.length);
    } else if (read.kind !== "blank") {
      this.#hasGarbage = true;
      if (read.kind === "unparsed") core.warn("unparsed-line", read.problem, { raw: line });
    }
  }

  #onErrorLines(lines: readonly string[]): void {
    for (const line of lines) this.#input(() => this.#onErrorLine(line));
  }

  #onErrorLine(line: string): void {
    const { core, turn } = this.#setup;
    core.debug(`!! ${line}`);
    core.events.emit("stderr", line, turn);
    if (core.settings.profile !== "print") return;
    const read = readLine(line); // there, errors go this way
    if (read.kind === "event" && read.event.type === "error")
      this.#onEvent(read.event, read.raw, line.length);
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
    const { core, turn, state, questions, finished } = this.#setup;
    this.#hasEvents = true;
    if (!turn.open) return;
    core.message(raw);
    const step = stepTurn(state, printed, raw);
    if (step.call) turn.tools.set(step.call);
    if (step.asked) questions.add(step.asked, turn);
    if (step.answered) this.#onAnswered(step.answered);
    turn.push(step.event, bytes);
    if (!step.finished) return;
    turn.hold(); // the turn's own limit stands still: `exitGrace` limits the time until the exit
    finished();
  }

  #onAnswered({ id, isAnswered }: NonNullable<TurnStep["answered"]>): void {
    const { turn, questions } = this.#setup;
    turn.closed(id);
    questions.answered(id, isAnswered);
  }

  /** What a program has said of the whole run, where it says that at all. */
  #report({ code }: Exit): Report | undefined {
    const { profile } = this.#setup.core.settings;
    if (!saysAllAtEnd(profile)) return this.#wentOn && code === 0 ? undefined : this.#reported;
    if (this.#isTooLong) return { status: "too-long" };
    const output = new TextDecoder().decode(joinBytes(this.#pieces));
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
}
