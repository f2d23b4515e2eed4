import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { FrameWriter, PromptErrorFields, PromptResponseFields } from "./frames.ts";
import type { Settings } from "./options.ts";
import { appendTurn } from "./prompt-messages.ts";
import type { ReceivedPrompt } from "./record.ts";
import { type Answer, midStreamFailure, type Step } from "./script.ts";
import { SseStream } from "./sse.ts";

/** What a running answer does to its connection. */
export interface RunPort {
  send(text: string): void;
  close(code: number, reason: string): void;
  drop(): void;
  dropMidFrame(text: string): void;
}

export interface RunOptions {
  readonly prompt: ReceivedPrompt;
  readonly answer: Answer;
  readonly port: RunPort;
  readonly frames: FrameWriter;
  readonly settings: Settings;
  readonly clock: Clock;
}

/** A step, with the string spelt out. */
type SpeltStep = Exclude<Step, string> | { readonly kind: "text"; readonly text: string };

const STOPPED = Symbol("stopped");
const PYTHON_OBJECT =
  "<src.core.interfaces.response_processor_interface.ProcessedResponse object at 0x7f3a5c0d1e50>";

/** One answer under way: performs the steps of its script until it ends or is stopped. */
export class Run {
  readonly prompt: ReceivedPrompt;
  readonly #options: RunOptions;
  readonly #controller = new AbortController();
  readonly #sse: SseStream;
  #text = "";
  #settled = false;
  #interrupt: (() => void) | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.prompt = options.prompt;
    this.#sse = new SseStream(options.prompt.data.model ?? "gpt-4");
  }

  /** Whether the client still has a terminal message to wait for. */
  get awaited(): boolean {
    return !this.#settled;
  }

  /** Ends the script at its next step, or at once where it waits. */
  stop(): void {
    this.#controller.abort();
    this.#interrupt?.();
  }

  /** Settles when the handler returns; never rejects. */
  async perform(): Promise<void> {
    const { answer, clock, settings } = this.#options;
    let outcome: "ended" | "returned" = "ended";
    try {
      if (settings.oddities.stall) await this.#delay(settings.oddities.stall);
      if (this.#stopped) return;
      const script = answer(this.prompt, { signal: this.#controller.signal, clock });
      // A string would be a script of one chunk per character, which nobody means.
      outcome = await this.#follow(iterate(typeof script === "string" ? [script] : script));
    } catch (error) {
      if (!this.#settled)
        this.#fail(midStreamFailure(error instanceof Error ? error.message : String(error)));
    }
    if (this.#settled || this.#stopped || outcome === "returned") return;
    if (settings.chunks === "openai-sse") {
      this.#chunk(this.#sse.stop());
      this.#chunk(this.#sse.done());
    }
    this.#respond({});
  }

  get #stopped(): boolean {
    return this.#controller.signal.aborted;
  }

  async #follow(script: Iterator<Step> | AsyncIterator<Step>): Promise<"ended" | "returned"> {
    for (;;) {
      const next = await this.#unlessStopped(script.next());
      if (next === STOPPED) break;
      if (next.done) return "ended";
      if (this.#stopped) break;
      const what: SpeltStep =
        typeof next.value === "string" ? { kind: "text", text: next.value } : next.value;
      if (what.kind === "silent") break;
      if (what.kind === "hang") await this.#unlessStopped(new Promise(() => {}));
      else if (what.kind === "delay") await this.#delay(what.ms);
      else this.#do(what);
      if (this.#stopped) break;
    }
    // Not awaited: an async generator returns only when what it waits for has come, which may be never.
    Promise.resolve(script.return?.()).catch(() => {});
    return "returned";
  }

  /** Waits for a promise, or for `stop()`. One slot instead of `Promise.race`, which would hold every loser. */
  #unlessStopped<T>(value: T | Promise<T>): Promise<T | typeof STOPPED> {
    if (this.#stopped) return Promise.resolve(STOPPED);
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve(STOPPED);
      Promise.resolve(value).then(resolve, reject);
    });
  }

  async #delay(ms: number): Promise<void> {
    let cancel: CancelTimer | undefined;
    await this.#unlessStopped(
      new Promise<void>((resolve) => {
        cancel = this.#options.clock.setTimeout(resolve, ms, { unref: true });
      }),
    );
    cancel?.();
  }

  #do(what: Exclude<SpeltStep, { kind: "silent" | "hang" | "delay" }>): void {
    const { port, frames } = this.#options;
    const { promptId } = this.prompt;
    switch (what.kind) {
      case "text":
        this.#chunkOfText(what.text);
        break;
      case "chunk":
        if (typeof what.chunk === "string") this.#text += what.chunk;
        this.#chunk(what.chunk);
        break;
      case "sse-chunk":
        this.#text += what.text;
        this.#chunk(this.#sse.chunk(what.text));
        break;
      case "sse-stop":
        this.#chunk(this.#sse.stop());
        break;
      case "sse-error":
        this.#chunk(this.#sse.error(what.error));
        break;
      case "sse-done":
        this.#chunk(this.#sse.done());
        break;
      case "repr":
        this.#chunk(PYTHON_OBJECT);
        break;
      case "raw":
        port.send(what.frame);
        break;
      case "respond":
        this.#respond(what.fields);
        break;
      case "prompt-error":
        this.#fail(what.fields);
        break;
      case "nack":
        port.send(frames.nack(undefined, what.error));
        break;
      case "drop":
        port.drop();
        break;
      case "drop-mid-frame":
        port.dropMidFrame(what.frame ?? frames.chunk(promptId, "this chunk is cut in two"));
        break;
      case "close":
        port.close(what.code, what.reason);
        break;
    }
  }

  #chunkOfText(text: string): void {
    this.#text += text;
    const { chunks } = this.#options.settings;
    if (chunks === "repr") this.#chunk(PYTHON_OBJECT);
    else this.#chunk(chunks === "openai-sse" ? this.#sse.chunk(text) : text);
  }

  #chunk(chunk: string | object): void {
    const { port, frames } = this.#options;
    port.send(frames.chunk(this.prompt.promptId, chunk));
  }

  #respond(fields: PromptResponseFields): void {
    const { port, frames, settings } = this.#options;
    const { data, promptId } = this.prompt;
    this.#settled = true;
    const state = settings.sessionState === "append" ? appendTurn(data, this.#text) : data.sessionState;
    port.send(frames.promptResponse(promptId, state, fields));
  }

  #fail(fields: PromptErrorFields): void {
    const { port, frames } = this.#options;
    this.#settled = true;
    port.send(frames.promptError(this.prompt.promptId, fields));
  }
}

function iterate(script: Iterable<Step> | AsyncIterable<Step>): Iterator<Step> | AsyncIterator<Step> {
  return Symbol.asyncIterator in script ? script[Symbol.asyncIterator]() : script[Symbol.iterator]();
}
