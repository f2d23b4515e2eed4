// One turn: performs the steps of its script, round by round.
import { STOPPED } from "../server/interruptible.ts";
import { ENOUGH, ScriptRunner } from "../server/script-runner.ts";
import { CallRound } from "./call-round.ts";
import { planned } from "./calls.ts";
import type { SessionContext } from "./context.ts";
import { ROOT, type ServerMessage, type WireUsage } from "./messages.ts";
import type { ReceivedSend } from "./record.ts";
import {
  apiErrorText,
  type CodeyCall,
  type CodeyCallOutcome,
  type CodeyStep,
  type CodeyStepResult,
} from "./script.ts";

/** The API's reply to an invalid context. */
const BAD_REQUEST = '{"type":"error","error":{"type":"invalid_request_error"}}';
const USUAL_RETRIES = 3;
const SUB_AGENT = 1;
/** The usage of one request of a sub-agent, counted separately. */
const SUB_AGENT_USAGE: WireUsage = {
  output_tokens: 5,
  context_tokens: 50,
  cache_creation_tokens: 0,
  cache_read_tokens: 0,
};

export class CodeyMockTurn {
  readonly #send: ReceivedSend;
  readonly #session: SessionContext;
  readonly #runner: ScriptRunner<CodeyStep, CodeyStepResult>;
  readonly #afterTurn: Promise<void>;
  #end = (): void => {};
  #phase: "streaming" | "calling" | "over" = "streaming";
  /** The usage that the script set for this round. */
  #cost: Partial<WireUsage> = {};
  /** The text of this round. */
  #text = "";
  #hasSpoken = false;

  constructor(send: ReceivedSend, session: SessionContext) {
    this.#send = send;
    this.#session = session;
    this.#runner = new ScriptRunner(session.backend.clock);
    this.#afterTurn = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether the model is working and no call runs. */
  get streaming(): boolean {
    return this.#phase === "streaming";
  }

  /** Stops the turn without a message. */
  stop(): void {
    this.#phase = "over";
    this.#runner.stop();
  }

  /** Settles when the turn ends or is stopped. Never rejects. */
  async perform(): Promise<void> {
    if (this.#isRefused()) return;
    const { clock, answer, journal } = this.#session.backend;
    try {
      const script = answer(this.#send, { signal: this.#runner.signal, clock });
      // A string is one step. Iterating it would send one delta per character.
      const steps = typeof script === "string" ? [script] : script;
      const outcome = await this.#runner.follow(steps, (step) => this.#take(step));
      if (outcome === "ended") this.#finish();
    } catch (error) {
      journal.threw(error);
      this.#fail(`Stream error: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #take(step: CodeyStep): Promise<CodeyStepResult> | typeof ENOUGH | undefined {
    const session = this.#session;
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
        return this.#error(step.message, step.fatal);
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
        session.raw(step.frame);
        return undefined;
      case "drop":
        session.speaker.drop();
        return undefined;
      case "drop-mid-frame":
        session.speaker.dropMidFrame(step.frame);
        return undefined;
      case "close":
        session.speaker.close(step.code, step.reason);
        return undefined;
    }
  }

  /** Sends a message of the root agent. After the turn's first message, a sub-agent may follow. */
  #say(message: ServerMessage): void {
    this.#session.say(message);
    if (this.#hasSpoken) return;
    this.#hasSpoken = true;
    if (this.#session.settings.subAgent) this.#speakAs(SUB_AGENT, ["from a sub-agent"]);
  }

  #speakAs(agent_id: number, texts: readonly string[]): void {
    for (const content of texts) this.#session.say({ type: "TextDelta", agent_id, content });
    this.#session.say({ type: "Finished", agent_id, usage: SUB_AGENT_USAGE });
  }

  async #call(calls: readonly CodeyCall[]): Promise<readonly CodeyCallOutcome[]> {
    const { approvals, backend, rounds, settings } = this.#session;
    const plan = calls.map((call) => planned(call, backend));
    for (const call of plan) approvals.request(call);
    // The request to the model is complete. Its calls add no usage.
    this.#session.spend(this.#cost);
    this.#cost = {};
    this.#phase = "calling";
    const told = plan.map(({ callId: call_id, name, params, background }) => {
      return { call_id, name, params, background };
    });
    this.#say({ type: "ToolRequest", agent_id: ROOT, calls: told });
    if (settings.unknownTool !== "toolError" && plan.some(({ name }) => !backend.tools.has(name))) {
      this.#session.panic();
      await this.#runner.hang();
      return [];
    }
    for (const past of rounds) if (past.open.length === 0) rounds.delete(past);
    const round = new CallRound(plan, this.#session, this.#afterTurn);
    rounds.add(round);
    const outcomes = await this.#runner.unlessStopped(round.run());
    if (outcomes === STOPPED) return [];
    this.#phase = "streaming";
    this.#endRound();
    return this.#isRefused() ? [] : outcomes;
  }

  async #retry(error: string, times: number | undefined): Promise<undefined> {
    const flood = this.#session.settings.retrying === "flood";
    const last = times ?? (flood ? Number.POSITIVE_INFINITY : USUAL_RETRIES);
    for (let count = 1; count <= last && !this.#runner.stopped; count++) {
      this.#session.say({ type: "Retrying", agent_id: ROOT, attempt: flood ? 1 : count, error });
      // A real timer, not the mock's clock: the client's frames get handled, and no mock time passes.
      if (flood) await this.#runner.unlessStopped(new Promise<void>((resolve) => setTimeout(resolve, 0)));
    }
    return undefined;
  }

  #error(message: string, scripted: boolean): typeof ENOUGH | undefined {
    const { errorFatal, errorEndsTurn } = this.#session.settings;
    const fatal = errorFatal === "scripted" ? scripted : errorFatal;
    this.#session.sayError(message, fatal);
    if (!fatal && !errorEndsTurn) return undefined;
    this.#close();
    return ENOUGH;
  }

  /** Ends the turn if the API rejects every request of this session. Returns whether it does. */
  #isRefused(): boolean {
    if (this.#session.isMalformed) this.#fail(apiErrorText(400, BAD_REQUEST));
    return this.#session.isMalformed;
  }

  #fail(message: string): void {
    if (this.#phase === "over") return;
    this.#session.sayError(message, this.#session.settings.errorFatal === true);
    this.#close();
    this.#runner.stop();
  }

  #finish(): void {
    this.#session.spend(this.#cost);
    this.#endRound();
    this.#session.finish();
    this.#close();
  }

  #endRound(): void {
    this.#session.remember("assistant", this.#text);
    this.#text = "";
  }

  #close(): void {
    this.#phase = "over";
    this.#end();
    this.#session.over();
  }
}
