import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { PromptErrorFields } from "./frames.ts";
import type { Settings } from "./profiles.ts";
import type { ReceivedPrompt } from "./record.ts";
import { type PromptStep, Reply, type ReplyOptions } from "./reply.ts";
import { type Asked, requestData } from "./request-steps.ts";
import { emptyResult, type Requests } from "./requests.ts";
import { type Answer, midStreamFailure, type Script, type Step, type StepResult } from "./script.ts";

export interface RunOptions extends ReplyOptions {
  readonly answer: Answer;
  readonly clock: Clock;
  readonly requests: Requests;
  /** An id for a request that was given none. */
  nextRequestId(): string;
}

/** A step, with the string spelt out. */
type SpeltStep = PromptStep | Exclude<Step, string | PromptStep>;

const STOPPED = Symbol("stopped");

/** One answer under way: performs the steps of its script until it ends or is stopped. */
export class Run {
  readonly prompt: ReceivedPrompt;
  readonly #options: RunOptions;
  readonly #reply: Reply;
  readonly #controller = new AbortController();
  #interrupt: (() => void) | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#reply = new Reply(options);
    this.prompt = options.prompt;
  }

  /** Whether the client still has a terminal message to wait for. */
  get awaited(): boolean {
    return !this.#reply.settled;
  }

  /** Ends the script at its next step, or at once where it waits. */
  stop(): void {
    this.#controller.abort();
    this.#interrupt?.();
  }

  /** The client wants no more of it: as `stop()`, and nobody waits for the end. */
  cancel(): void {
    this.#reply.cancel();
    this.stop();
  }

  /** What may come although it was cancelled: the end, without the usage that follows a whole answer. */
  endLate(): void {
    try {
      this.#reply.respond({});
    } catch (error) {
      this.#reply.fail(thrown(error, this.#options.settings));
    }
  }

  /** Settles when the handler returns; never rejects. */
  async perform(): Promise<void> {
    const { answer, clock, settings } = this.#options;
    try {
      if (settings.oddities.stall) await this.#delay(settings.oddities.stall);
      if (this.#stopped) return;
      const script = answer(this.prompt, { signal: this.#controller.signal, clock });
      // A string would be a script of one chunk per character, which nobody means.
      const outcome = await this.#follow(iterate(typeof script === "string" ? [script] : script));
      if (outcome === "ended" && !this.#stopped) this.#reply.end();
    } catch (error) {
      if (!this.#reply.settled) this.#reply.fail(thrown(error, settings));
    }
    this.#reply.afterword();
  }

  get #stopped(): boolean {
    return this.#controller.signal.aborted;
  }

  async #follow(
    script: Iterator<Step, unknown, StepResult> | AsyncIterator<Step, unknown, StepResult>,
  ): Promise<"ended" | "returned"> {
    let value: StepResult;
    for (;;) {
      const next = await this.#unlessStopped(script.next(value));
      if (next === STOPPED) break;
      if (next.done) return "ended";
      if (this.#stopped) break;
      const what: SpeltStep =
        typeof next.value === "string" ? { kind: "text", text: next.value } : next.value;
      if (what.kind === "silent") break;
      const taken = this.#take(what);
      // Most steps are done at once; awaiting them would only let other things come in between.
      value = taken instanceof Promise ? await taken : undefined;
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

  /** Does what a step says; a promise, of its value, for one that takes time. */
  #take(what: Exclude<SpeltStep, { kind: "silent" }>): Promise<StepResult> | undefined {
    switch (what.kind) {
      case "hang":
        this.#reply.interlude();
        return this.#hang();
      case "delay":
        this.#reply.interlude();
        return this.#delay(what.ms);
      case "request":
        return this.#ask(what.asked);
      case "answer-to":
        return this.#answerTo(what.requestId);
      default:
        this.#reply.perform(what);
        return undefined;
    }
  }

  async #hang(): Promise<undefined> {
    await this.#unlessStopped(new Promise(() => {}));
    return undefined;
  }

  async #delay(ms: number): Promise<undefined> {
    let cancel: CancelTimer | undefined;
    await this.#unlessStopped(
      new Promise<void>((resolve) => {
        cancel = this.#options.clock.setTimeout(resolve, ms, { unref: true });
      }),
    );
    cancel?.();
    return undefined;
  }

  async #ask(asked: Asked): Promise<StepResult> {
    const { requests, settings } = this.#options;
    const { promptId } = this.prompt;
    const given = asked.kind === "planned-tool-call" ? asked.request.toolCallId : asked.request.requestId;
    const requestId = given ?? this.#options.nextRequestId();
    const known = settings.extensions === "accept";
    if (known) requests.open(requestId, asked, promptId);
    this.#reply.act(requestData(asked, requestId, promptId));
    if (asked.request.wait === false) return requestId;
    return known ? this.#answerTo(requestId) : emptyResult(asked);
  }

  async #answerTo(requestId: string): Promise<StepResult> {
    const result = await this.#unlessStopped(this.#options.requests.result(requestId));
    return result === STOPPED ? undefined : result;
  }
}

/** What a script that throws looks like to the client. */
function thrown(error: unknown, { errorTexts }: Settings): PromptErrorFields {
  const message = error instanceof Error ? error.message : String(error);
  return errorTexts === "python" ? midStreamFailure(message) : { message };
}

function iterate(
  script: Script,
): Iterator<Step, unknown, StepResult> | AsyncIterator<Step, unknown, StepResult> {
  return Symbol.asyncIterator in script ? script[Symbol.asyncIterator]() : script[Symbol.iterator]();
}
