// Runs the script of one answer.
import type { Clock } from "../../core/clock.ts";
import { STOPPED } from "../server/interruptible.ts";
import { ENOUGH, ScriptRunner } from "../server/script-runner.ts";
import type { FrameWriter } from "./frames.ts";
import type { PromptErrorFields } from "./messages.ts";
import type { ReceivedPrompt } from "./record.ts";
import { PromptReply, type ReplyOptions, type RunPort } from "./reply.ts";
import type { Asked } from "./request-steps.ts";
import type { RequestSteps } from "./requests.ts";
import { midStreamFailure, type ScriptedAnswer, type Step, type StepResult, type StepRun } from "./script.ts";

export interface RunOptions extends ReplyOptions {
  readonly answer: ScriptedAnswer;
  readonly clock: Clock;
  readonly requests: RequestSteps;
  /** Called with an error that the script threw. */
  threw(error: unknown): void;
  nextRequestId(): string;
}

export class PromptRun implements StepRun {
  readonly prompt: ReceivedPrompt;
  readonly port: RunPort;
  readonly frames: FrameWriter;
  readonly reply: PromptReply;
  readonly #options: RunOptions;
  readonly #runner: ScriptRunner<Step, StepResult>;

  constructor(options: RunOptions) {
    this.prompt = options.prompt;
    this.port = options.port;
    this.frames = options.frames;
    this.reply = new PromptReply(options);
    this.#options = options;
    this.#runner = new ScriptRunner(options.clock);
  }

  /** Whether the client still waits for a terminal message. */
  get awaited(): boolean {
    return !this.reply.settled;
  }

  /** Ends the script at its next step, or at once if it waits. */
  stop(): void {
    this.#runner.stop();
  }

  /** The client cancelled: stops the script, and no terminal message follows. */
  cancel(): void {
    this.reply.cancel();
    this.stop();
  }

  /** Sends the late end of a cancelled answer, without the usage that follows a whole answer. */
  endLate(): void {
    try {
      this.reply.respond({});
    } catch (error) {
      this.reply.fail(this.#thrown(error));
    }
  }

  /** Settles when the handler returns; never rejects. */
  async perform(): Promise<void> {
    const { answer, clock, settings } = this.#options;
    try {
      if (settings.oddities.stall) await this.#runner.delay(settings.oddities.stall);
      if (this.#runner.stopped) return;
      const script = answer(this.prompt, { signal: this.#runner.signal, clock });
      // A string is iterable: it would be a script of one chunk per character.
      const steps = typeof script === "string" ? [script] : script;
      const outcome = await this.#runner.follow(steps, (step) => this.#take(step));
      if (outcome === "ended" && !this.#runner.stopped) this.reply.end();
    } catch (error) {
      this.#options.threw(error);
      if (!this.reply.settled) this.reply.fail(this.#thrown(error));
    }
    this.reply.afterword();
  }

  async hang(): Promise<undefined> {
    this.reply.interlude();
    await this.#runner.hang();
    return undefined;
  }

  async delay(ms: number): Promise<undefined> {
    this.reply.interlude();
    await this.#runner.delay(ms);
    return undefined;
  }

  /** Performs a step. Returns its value, as a promise if the step takes time. */
  #take(step: Step): Promise<StepResult> | typeof ENOUGH | undefined {
    if (typeof step === "string") this.reply.text(step);
    else if (step.kind === "plain") {
      const taken = step.take(this);
      return taken === ENOUGH || taken instanceof Promise ? taken : undefined;
    } else if (step.kind === "chunk") this.reply.say(step.chunk);
    else if (step.kind === "respond") this.reply.respond(step.fields);
    else if (step.kind === "prompt-error") this.reply.fail(step.fields);
    else return this.#ask(step.asked);
    return undefined;
  }

  async #ask(asked: Asked | string): Promise<StepResult> {
    const { requests, settings } = this.#options;
    if (typeof asked === "string") return this.#answerTo(asked);
    const { promptId } = this.prompt;
    const requestId = asked.requestId ?? this.#options.nextRequestId();
    const known = settings.extensions === "accept";
    if (known) requests.open(requestId, asked, promptId);
    this.reply.act(asked.dataFor(requestId, promptId));
    if (asked.wait === false) return requestId;
    if (known) return this.#answerTo(requestId);
    return asked.kind === "read-files" ? {} : [];
  }

  async #answerTo(requestId: string): Promise<StepResult> {
    const result = await this.#runner.unlessStopped(this.#options.requests.result(requestId));
    return result === STOPPED ? undefined : result;
  }

  /** The message that the client receives when a script throws. */
  #thrown(error: unknown): PromptErrorFields {
    const message = error instanceof Error ? error.message : String(error);
    return this.#options.settings.errorTexts === "python" ? midStreamFailure(message) : { message };
  }
}
