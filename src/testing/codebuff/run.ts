// One answer under way: performs the steps of its script.
import type { Clock } from "../../core/clock.ts";
import { STOPPED } from "../server/interruptible.ts";
import { ENOUGH, ScriptRunner } from "../server/script-runner.ts";
import type { Settings } from "./profiles.ts";
import type { ReceivedPrompt } from "./record.ts";
import { type PromptStep, Reply, type ReplyOptions } from "./reply.ts";
import { type Asked, requestData } from "./request-steps.ts";
import { emptyResult, type Requests } from "./requests.ts";
import type { PromptErrorFields } from "./script.ts";
import { type Answer, midStreamFailure, type Step, type StepResult } from "./script.ts";

export interface RunOptions extends ReplyOptions {
  readonly answer: Answer;
  readonly clock: Clock;
  readonly requests: Requests;
  /** Told what the script has thrown. */
  threw(error: unknown): void;
  /** An id for a request that was given none. */
  nextRequestId(): string;
}

/** A step, with the string spelt out. */
type SpeltStep = PromptStep | Exclude<Step, string | PromptStep>;

/** One answer under way: performs the steps of its script until it ends or is stopped. */
export class Run {
  readonly prompt: ReceivedPrompt;
  readonly #options: RunOptions;
  readonly #reply: Reply;
  readonly #runner: ScriptRunner<Step, StepResult>;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#reply = new Reply(options);
    this.#runner = new ScriptRunner(options.clock);
    this.prompt = options.prompt;
  }

  /** Whether the client still has a terminal message to wait for. */
  get awaited(): boolean {
    return !this.#reply.settled;
  }

  /** Ends the script at its next step, or at once where it waits. */
  stop(): void {
    this.#runner.stop();
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
      if (settings.oddities.stall) await this.#runner.delay(settings.oddities.stall);
      if (this.#runner.stopped) return;
      const script = answer(this.prompt, { signal: this.#runner.signal, clock });
      // A string would be a script of one chunk per character, which nobody means.
      const steps = typeof script === "string" ? [script] : script;
      const outcome = await this.#runner.follow(steps, (step) =>
        this.#take(typeof step === "string" ? { kind: "text", text: step } : step),
      );
      if (outcome === "ended" && !this.#runner.stopped) this.#reply.end();
    } catch (error) {
      this.#options.threw(error);
      if (!this.#reply.settled) this.#reply.fail(thrown(error, settings));
    }
    this.#reply.afterword();
  }

  /** Does what a step says; a promise, of its value, for one that takes time. */
  #take(what: SpeltStep): Promise<StepResult> | typeof ENOUGH | undefined {
    switch (what.kind) {
      case "silent":
        return ENOUGH;
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
    await this.#runner.hang();
    return undefined;
  }

  async #delay(ms: number): Promise<undefined> {
    await this.#runner.delay(ms);
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
    const result = await this.#runner.unlessStopped(this.#options.requests.result(requestId));
    return result === STOPPED ? undefined : result;
  }
}

/** What a script that throws looks like to the client. */
function thrown(error: unknown, { errorTexts }: Settings): PromptErrorFields {
  const message = error instanceof Error ? error.message : String(error);
  return errorTexts === "python" ? midStreamFailure(message) : { message };
}
