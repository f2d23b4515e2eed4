// One turn: performs the steps of its script, round by round.
import type { Clock } from "../../core/clock.ts";
import { STOPPED } from "../server/interruptible.ts";
import { ENOUGH, ScriptRunner } from "../server/script-runner.ts";
import type { Approvals } from "./approvals.ts";
import type { CallRound } from "./call-round.ts";
import type { CodeyCall, CodeyCallOutcome, PlannedCall } from "./calls.ts";
import { type CodeyUsage, ROOT, type ServerMessage } from "./messages.ts";
import type { Settings } from "./profiles.ts";
import type { ReceivedSend } from "./record.ts";
import { apiErrorText, type CodeyAnswer, type CodeyStep, type CodeyStepResult } from "./script.ts";
import type { Transcript } from "./transcript.ts";
import type { SessionUsage } from "./usage.ts";

/** What a turn needs of its session. */
export interface TurnPort {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly answer: CodeyAnswer;
  readonly usage: SessionUsage;
  readonly transcript: Transcript;
  readonly approvals: Approvals;
  /** Whether the context is such that the model's API refuses every request. */
  readonly malformed: boolean;
  say(message: ServerMessage): void;
  raw(frame: string | Uint8Array): void;
  drop(): void;
  dropMidFrame(text: string): void;
  close(code: number, reason: string): void;
  /** Told what the script has thrown. */
  threw(error: unknown): void;
  plan(call: CodeyCall): PlannedCall;
  hasTool(name: string): boolean;
  startRound(calls: readonly PlannedCall[], afterTurn: Promise<void>): CallRound;
  /** The turn has ended by itself. */
  over(): void;
  /** A fatal error was told. */
  fatal(): void;
  /** The session dies of a tool that it does not know. */
  panic(): void;
}

/** What the API says to a context that is not as it wants it. */
const BAD_REQUEST = '{"type":"error","error":{"type":"invalid_request_error"}}';
const USUAL_RETRIES = 3;
const SUB_AGENT = 1;
/** What one request of a sub-agent costs; its figures are its own. */
const SUB_AGENT_USAGE: CodeyUsage = {
  output_tokens: 5,
  context_tokens: 50,
  cache_creation_tokens: 0,
  cache_read_tokens: 0,
};

/** One turn under way: performs the steps of its script, round by round, until it ends or is stopped. */
export class Turn {
  readonly #send: ReceivedSend;
  readonly #port: TurnPort;
  readonly #runner: ScriptRunner<CodeyStep, CodeyStepResult>;
  readonly #afterTurn: Promise<void>;
  #end = (): void => {};
  #phase: "streaming" | "calling" | "over" = "streaming";
  /** What is said of the cost of the request of this round. */
  #cost: Partial<CodeyUsage> = {};
  /** The text of this round. */
  #text = "";
  #hasSpoken = false;

  constructor(send: ReceivedSend, port: TurnPort) {
    this.#send = send;
    this.#port = port;
    this.#runner = new ScriptRunner(port.clock);
    this.#afterTurn = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether the model is at it, and no call. */
  get streaming(): boolean {
    return this.#phase === "streaming";
  }

  /** Ends it where it is, without a word. */
  stop(): void {
    this.#phase = "over";
    this.#runner.stop();
  }

  /** Settles when the turn is over or stopped; never rejects. */
  async perform(): Promise<void> {
    if (this.#isRefused()) return;
    const { clock, answer } = this.#port;
    try {
      const script = answer(this.#send, { signal: this.#runner.signal, clock });
      // A string would be a script of one delta per character, which nobody means.
      const steps = typeof script === "string" ? [script] : script;
      const outcome = await this.#runner.follow(steps, (step) => this.#take(step));
      if (outcome === "ended") this.#finish();
    } catch (error) {
      this.#port.threw(error);
      this.#fail(`Stream error: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #take(step: CodeyStep): Promise<CodeyStepResult> | typeof ENOUGH | undefined {
    const { settings } = this.#port;
    if (typeof step === "string") {
      this.#text += step;
      this.#say({ type: "TextDelta", agent_id: ROOT, content: step });
      return undefined;
    }
    switch (step.kind) {
      case "thinking":
        this.#say({ type: "ThinkingDelta", agent_id: ROOT, content: step.content });
        return undefined;
      case "calls":
        return this.#call(step.calls);
      case "usage":
        this.#cost = { ...this.#cost, ...step.usage };
        return undefined;
      case "error":
        return this.#error(
          step.message,
          settings.errorFatal === "scripted" ? step.fatal : settings.errorFatal,
        );
      case "retrying":
        return this.#retry(step.error, step.times);
      case "sub-agent":
        this.#speakAs(step.agentId, step.texts);
        return undefined;
      case "delay":
        return this.#runner.delay(step.ms).then(() => undefined);
      case "hang":
        return this.#runner.hang().then(() => undefined);
      case "raw":
        this.#port.raw(step.frame);
        return undefined;
      case "drop":
        this.#port.drop();
        return undefined;
      case "drop-mid-frame":
        this.#port.dropMidFrame(step.frame);
        return undefined;
      case "close":
        this.#port.close(step.code, step.reason);
        return undefined;
    }
  }

  /** A message of the root agent, and what another one has to say behind the first. */
  #say(message: ServerMessage): void {
    this.#port.say(message);
    if (this.#hasSpoken) return;
    this.#hasSpoken = true;
    if (this.#port.settings.subAgent) this.#speakAs(SUB_AGENT, ["from a sub-agent"]);
  }

  #speakAs(agent_id: number, texts: readonly string[]): void {
    for (const content of texts) this.#port.say({ type: "TextDelta", agent_id, content });
    this.#port.say({ type: "Finished", agent_id, usage: SUB_AGENT_USAGE });
  }

  async #call(calls: readonly CodeyCall[]): Promise<readonly CodeyCallOutcome[]> {
    const { approvals, usage } = this.#port;
    const plan = calls.map((call) => this.#known(this.#port.plan(call)));
    for (const call of plan) approvals.request(call);
    // The request has run to its end; what becomes of its calls costs nothing.
    usage.add(this.#cost);
    this.#cost = {};
    this.#phase = "calling";
    this.#say({
      type: "ToolRequest",
      agent_id: ROOT,
      calls: plan.map(({ callId, name, params, background }) => ({
        call_id: callId,
        name,
        params,
        background,
      })),
    });
    if (
      plan.some(({ name }) => !this.#port.hasTool(name)) &&
      this.#port.settings.unknownTool !== "toolError"
    ) {
      this.#port.panic();
      await this.#runner.hang();
      return [];
    }
    const outcomes = await this.#runner.unlessStopped(this.#port.startRound(plan, this.#afterTurn).run());
    if (outcomes === STOPPED) return [];
    this.#phase = "streaming";
    this.#endRound();
    return this.#isRefused() ? [] : outcomes;
  }

  #known(call: PlannedCall): PlannedCall {
    if (this.#port.hasTool(call.name) || this.#port.settings.unknownTool !== "toolError") return call;
    return { ...call, result: { invalid: `Unknown tool: ${call.name}` } };
  }

  async #retry(error: string, times: number | undefined): Promise<undefined> {
    const flood = this.#port.settings.retrying === "flood";
    const last = times ?? (flood ? Number.POSITIVE_INFINITY : USUAL_RETRIES);
    for (let count = 1; count <= last && !this.#runner.stopped; count++) {
      this.#port.say({ type: "Retrying", agent_id: ROOT, attempt: flood ? 1 : count, error });
      // Not on the clock: it is no time that passes, but the client's turn to be heard.
      if (flood) await this.#runner.unlessStopped(new Promise<void>((resolve) => setTimeout(resolve, 0)));
    }
    return undefined;
  }

  #error(message: string, fatal: boolean): typeof ENOUGH | undefined {
    this.#port.say({ type: "Error", message, fatal });
    if (fatal) this.#port.fatal();
    if (!fatal && !this.#port.settings.errorEndsTurn) return undefined;
    this.#close();
    return ENOUGH;
  }

  /** Whether the API takes no request of this session any more: then that is the end of the turn. */
  #isRefused(): boolean {
    if (this.#port.malformed) this.#fail(apiErrorText(400, BAD_REQUEST));
    return this.#port.malformed;
  }

  #fail(message: string): void {
    if (this.#phase === "over") return;
    this.#port.say({ type: "Error", message, fatal: this.#port.settings.errorFatal === true });
    if (this.#port.settings.errorFatal === true) this.#port.fatal();
    this.#close();
    this.#runner.stop();
  }

  #finish(): void {
    const { usage } = this.#port;
    usage.add(this.#cost);
    this.#endRound();
    this.#port.say({ type: "Finished", agent_id: ROOT, usage: usage.total });
    this.#close();
  }

  #endRound(): void {
    this.#port.transcript.add("assistant", this.#text);
    this.#text = "";
  }

  #close(): void {
    this.#phase = "over";
    this.#end();
    this.#port.over();
  }
}
