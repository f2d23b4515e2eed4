// Reads the output of one process for its turn.
import { joinBytes } from "../core/bytes.ts";
import { said } from "../core/errors.ts";
import { Templates } from "../core/link/template.ts";
import type { LiveTurn } from "../core/turn/live-turn.ts";
import type { Exit } from "../process/group-process.ts";
import { LineSplitter, type LongLine } from "../process/lines.ts";
import type { CliCore } from "./cli-core.ts";
import { type CodebuffCliEvent, ESCAPE, hotText, type PrintedEvent, readLine } from "./messages.ts";
import { saysAllAtEnd } from "./options.ts";
import type { Ended, RunReport } from "./outcome.ts";
import type { Questions } from "./questions.ts";
import { newsOf, type ReadReport, readReport, reportOf } from "./report.ts";
import { StderrKeeper } from "./stderr.ts";
import { type CliTurnState, type CodebuffCliResult, stepCliTurn } from "./turn.ts";

export interface OutputSetup {
  readonly core: CliCore;
  readonly questions: Questions;
  readonly turn: LiveTurn<CodebuffCliEvent, CodebuffCliResult>;
  readonly state: CliTurnState;
  readonly run: OutputUser;
}

/** The run, as the output notifies it. */
export interface OutputUser {
  began(): void;
  /** The agent has finished: only the exit is outstanding. */
  finished(): void;
  /** The output is useless, so the program must end. */
  useless(because: "interactive" | "too-long"): void;
}

export type Heard = Pick<Ended, "hasEvents" | "hasGarbage" | "report" | "stderr"> & {
  /** An event other than `error` arrived. */
  readonly hasBegun: boolean;
};

/**
 * The state of reading stdout.
 *
 *     silent ──first byte──▶ lines | whole (`json`, `text`) | ignored (the user interface)
 *                                      whole ──maxOutputBytes──▶ ignored
 */
type Reading =
  | { readonly name: "silent" }
  | { readonly name: "lines" }
  | { readonly name: "whole"; readonly pieces: Uint8Array[]; bytes: number }
  | { readonly name: "ignored" };

/** Each line, and each event of a report, is one outbox input. */
export class CliOutput {
  readonly #setup: OutputSetup;
  readonly #lines: LineSplitter;
  readonly #templates = new Templates([hotText]);
  readonly #stderr: StderrKeeper;
  #reading: Reading = { name: "silent" };
  #hasEvents = false;
  #hasBegun = false;
  #hasGarbage = false;
  /** The report of the whole run. `isLast`: no event followed the report. */
  #reported: { readonly report: RunReport; readonly isLast: boolean } | undefined;

  constructor(setup: OutputSetup) {
    const { settings, clean } = setup.core;
    this.#setup = setup;
    this.#lines = new LineSplitter(settings.maxLineBytes);
    this.#stderr = new StderrKeeper(clean);
  }

  readonly push = (piece: Uint8Array): void => {
    const { turn } = this.#setup;
    if (!turn.open) return; // drop events after the end of the turn
    if (this.#reading.name === "silent") this.#begin(piece);
    turn.active(); // restart the limit on silence
    if (this.#reading.name === "whole") this.#keep(this.#reading, piece);
    if (this.#reading.name !== "lines") return;
    for (const line of this.#lines.push(piece)) {
      this.#onLine(line);
      if (!turn.open) return; // this line has ended the turn
    }
  };

  #begin(piece: Uint8Array): void {
    const { core, run } = this.#setup;
    run.began();
    if (piece[0] === ESCAPE) {
      this.#reading = { name: "ignored" };
      run.useless("interactive");
    } else if (saysAllAtEnd(core.settings.profile)) {
      this.#reading = { name: "whole", pieces: [], bytes: 0 };
    } else {
      this.#reading = { name: "lines" };
    }
  }

  #keep(whole: Extract<Reading, { readonly name: "whole" }>, piece: Uint8Array): void {
    const { core, run } = this.#setup;
    whole.bytes += piece.length;
    if (whole.bytes <= core.settings.maxOutputBytes) {
      whole.pieces.push(piece);
      return;
    }
    this.#reading = { name: "ignored" };
    run.useless("too-long");
  }

  readonly pushError = (piece: Uint8Array): void => {
    for (const line of this.#stderr.push(piece)) this.#input(() => this.#onErrorLine(line));
  };

  /** The pipes are closed: reads the last line without a newline, the last error lines and the report. */
  end(exit: Exit): Heard {
    const rest = this.#lines.end();
    if (rest !== undefined && this.#setup.turn.open) this.#onLine(rest);
    for (const line of this.#stderr.end()) this.#input(() => this.#onErrorLine(line));
    const report = this.#report(exit);
    return {
      hasEvents: this.#hasEvents,
      hasBegun: this.#hasBegun,
      hasGarbage: this.#hasGarbage,
      report,
      stderr: this.#stderr.kept,
    };
  }

  /** If a handler throws, warns and continues. The exit settles the turn. */
  #input<T>(handle: () => T): T | undefined {
    const { core, turn } = this.#setup;
    core.outbox.enter();
    try {
      return handle();
    } catch (cause) {
      this.#hasGarbage = true;
      const message = `some output cannot be handled: ${said(cause)}`;
      core.warn("line-failed", message, { cause, turnId: turn.id });
      return undefined;
    } finally {
      core.outbox.leave();
    }
  }

  #onLine(line: string | LongLine): void {
    const report = this.#input(() => this.#read(line));
    if (report) this.#onReport(report, typeof line === "string" ? line.length : 0);
  }

  #read(line: string | LongLine): ReadReport | undefined {
    const { core, turn } = this.#setup;
    if (typeof line !== "string") {
      this.#hasGarbage = true;
      const { maxLineBytes } = core.settings;
      const message = `a line of ${line.skipped} bytes, over the limit of ${maxLineBytes}, is left out`;
      core.warn("line-too-long", message, { turnId: turn.id });
      return undefined;
    }
    core.frame("in", line);
    const read = readLine(line, this.#templates);
    switch (read.kind) {
      case "event":
        if (this.#reported) this.#reported = { ...this.#reported, isLast: false };
        this.#onEvent(read.event, read.raw, line.length);
        return undefined;
      case "report":
        return reportOf(read.value);
      case "blank":
        return undefined;
      case "ignored":
        this.#hasGarbage = true;
        return undefined;
      case "unparsed":
        this.#hasGarbage = true;
        core.warn("unparsed-line", read.problem, { raw: line, turnId: turn.id });
        return undefined;
      default:
        return read satisfies never;
    }
  }

  #onErrorLine(line: string): void {
    const { core, turn } = this.#setup;
    core.debug(`!! ${line}`);
    core.events.emit("stderr", line, turn);
    if (core.settings.profile !== "print") return;
    const read = readLine(line); // programs of this profile print errors here
    if (read.kind === "event" && read.event.type === "error")
      this.#onEvent(read.event, read.raw, line.length);
  }

  /** Emits the events of the report that were not emitted before. */
  #onReport(read: ReadReport, bytes: number): void {
    const { turn, state } = this.#setup;
    const news = this.#input(() => newsOf(read, { text: turn.text, calls: state.calls.size > 0 })) ?? [];
    for (const event of news) this.#input(() => this.#onEvent(event, event, Math.ceil(bytes / news.length)));
    this.#reported = { report: read.report, isLast: true };
  }

  #onEvent(printed: PrintedEvent, raw: unknown, bytes: number): void {
    const { core, turn, state, questions, run } = this.#setup;
    this.#hasEvents = true;
    if (printed.type !== "error") this.#hasBegun = true;
    if (!turn.open) return;
    core.message(raw);
    const { event, call, asked, answered, finished } = stepCliTurn(state, printed, raw);
    if (call) turn.tools.set(call);
    if (asked) questions.add(asked, turn);
    if (answered) {
      turn.closed(answered.id);
      questions.answered(answered.id, answered.isAnswered);
    }
    turn.push(event, bytes);
    if (!finished) return;
    turn.hold(); // stop the limit on silence: `exitGrace` limits the wait for the exit
    run.finished();
  }

  /** The report. Some profiles print it at the end. Otherwise it is a report line without a later event. */
  #report({ code }: Exit): RunReport | undefined {
    const { profile } = this.#setup.core.settings;
    if (!saysAllAtEnd(profile)) {
      const { report, isLast = false } = this.#reported ?? {};
      return isLast || code !== 0 ? report : undefined;
    }
    if (this.#reading.name === "ignored") return { status: "too-long" };
    const pieces = this.#reading.name === "whole" ? this.#reading.pieces : [];
    if (profile === "text") {
      const text = new TextDecoder().decode(joinBytes(pieces)).replace(/\r?\n$/, "");
      const event = { type: "text", text } as const;
      if (text !== "") this.#input(() => this.#onEvent(event, event, text.length));
      return { status: "success" };
    }
    const read = this.#input(() => readReport(new TextDecoder().decode(joinBytes(pieces))));
    if (!read) return { status: "unreadable" };
    for (const { event, raw } of read.events) this.#input(() => this.#onEvent(event, raw, 0));
    if (read.report) this.#onReport(read.report, 0);
    return this.#reported?.report;
  }
}
