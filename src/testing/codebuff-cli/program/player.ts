// Plays the events of one run until its end or failure.
import { Buffer } from "node:buffer";
import type { Lifeline } from "../../processes/lifeline.ts";
import type { FakeCodebuffScenario } from "../scenario.ts";
import { type Failure, scriptedFailure, TIMED_OUT } from "./failures.ts";
import type { Output } from "./output.ts";
import { breathe, forever, pause } from "./pause.ts";
import type { Printer } from "./printers.ts";
import type { ByteSink } from "./sink.ts";
import { type AskedQuestion, type Item, isEvent, itemsOf } from "./steps.ts";
import { TraceLines } from "./trace-lines.ts";
import { ProgramTranscript } from "./transcript.ts";

/** The maximum number of items between two turns of the event loop. */
const BREATH = 10_000;

/** Plays the events of one run, until its failure, its time limit, or the end of its reader. */
export class StepPlayer {
  readonly #scenario: FakeCodebuffScenario;
  readonly #printer: Printer;
  readonly #stdout: Output;
  readonly #stderr: ByteSink;
  readonly #lifeline: Lifeline | undefined;
  readonly #traceLines: TraceLines | undefined;
  readonly #transcript: ProgramTranscript | undefined;
  readonly #stop = new AbortController();

  constructor(parts: {
    readonly scenario: FakeCodebuffScenario;
    readonly printer: Printer;
    readonly stdout: Output;
    readonly stderr: ByteSink;
    readonly lifeline: Lifeline | undefined;
    /** Whether progress is printed on stderr. */
    readonly traced: boolean;
  }) {
    this.#scenario = parts.scenario;
    this.#printer = parts.printer;
    this.#stdout = parts.stdout;
    this.#stderr = parts.stderr;
    this.#lifeline = parts.lifeline;
    this.#traceLines = parts.traced ? new TraceLines() : undefined;
    // Keep the text only for a stored conversation: an endless flood must not fill the memory.
    this.#transcript = parts.scenario.continueStore === undefined ? undefined : new ProgramTranscript();
  }

  get text(): string {
    return this.#transcript?.text ?? "";
  }

  /** @param timeLimit ms; undefined for none */
  async play(question: AskedQuestion, timeLimit: number | undefined): Promise<Failure | undefined> {
    const timer = timeLimit === undefined ? undefined : setTimeout(() => this.#stop.abort(), timeLimit);
    await this.#perform(question);
    const { failWith, failAfterMs = 0 } = this.#scenario;
    if (failWith !== undefined) await pause(failAfterMs, this.#stop.signal);
    clearTimeout(timer);
    if (this.#stop.signal.aborted) return TIMED_OUT;
    return failWith === undefined ? undefined : scriptedFailure(failWith, question.agent);
  }

  async #perform(question: AskedQuestion): Promise<void> {
    let said = 0;
    let done = 0;
    for (const item of itemsOf(this.#scenario, question)) {
      if (this.#stop.signal.aborted || this.#stdout.broken) return;
      if (isSaid(item) && said++ === this.#scenario.stallAfter) break;
      const doing = this.#do(item);
      if (doing) await doing;
      // Output that is printed only at the end never waits. Without this pause, a flood would handle no signals.
      else if (++done % BREATH === 0) await breathe();
    }
    if (this.#scenario.stallAfter === undefined || said < this.#scenario.stallAfter) return;
    await this.#stdout.flush();
    await forever(this.#stop.signal);
  }

  #do(item: Item): Promise<void> | undefined {
    if (typeof item === "string") {
      this.#transcript?.chunk(item);
      return this.#printer.chunk(item);
    }
    if (isEvent(item)) {
      this.#transcript?.event(item);
      const printing = this.#printer.event(item);
      const lines = this.#traceLines?.linesOf(item) ?? [];
      if (lines.length === 0) return printing;
      return Promise.resolve(printing).then(() => this.#say(`${lines.join("\n")}\n`));
    }
    if ("hugeLine" in item) return this.#printer.huge(item.hugeLine);
    if ("raw" in item) return this.#stdout.raw(item.raw);
    if ("base64" in item) return this.#stdout.bytes(Buffer.from(item.base64, "base64"));
    if ("json" in item) return this.#printer.json(item.json);
    return this.#afterFlush(item);
  }

  async #afterFlush(
    item: Extract<Item, { delayMs: number } | { stderr: string } | { hold: string }>,
  ): Promise<void> {
    await this.#stdout.flush();
    const { signal } = this.#stop;
    if ("delayMs" in item) await pause(item.delayMs, signal);
    else if ("stderr" in item) await this.#say(item.stderr);
    else if (this.#lifeline) await this.#lifeline.released(item.hold, signal);
    else await forever(signal);
  }

  async #say(text: string): Promise<void> {
    await this.#stderr.write(Buffer.from(text));
  }
}

const isSaid = (item: Item): boolean => typeof item === "string" || isEvent(item) || "hugeLine" in item;
