// One turn: performs the steps of its script, and answers its prompt.
import type { CancelTimer } from "../../core/clock.ts";
import type { Dict } from "../server/dict.ts";
import { STOPPED } from "../server/interruptible.ts";
import { ENOUGH, ScriptRunner } from "../server/script-runner.ts";
import { AcpCallRound, type CallingTurn } from "./calls.ts";
import type { AcpAsked, AcpSessionContext } from "./context.ts";
import { modelFailure } from "./failures.ts";
import type { AcpMockSettings } from "./profiles.ts";
import type { MockAcpReply } from "./record.ts";
import { isOffered } from "./rules.ts";
import type { MockAcpCall, MockAcpStep, MockAcpStepResult } from "./script.ts";

/** More than the SDK reads in one line. */
const HUGE = 33 * 1_048_576;
/** ms until a turn of `cancel: "slow"` ends. */
const SLOW = 1700;
const TEXT = "agent_message_chunk";
const USER = "user_message_chunk";
const THOUGHT = "agent_thought_chunk";

export class AcpMockTurn implements CallingTurn {
  readonly session: AcpSessionContext;
  readonly #asked: AcpAsked[];
  readonly #runner: ScriptRunner<MockAcpStep, MockAcpStepResult>;
  readonly #timers = new Set<CancelTimer>();
  #round: AcpCallRound | undefined;
  #phase: "running" | "cancelling" | "over" = "running";
  /** Whether the client has cancelled the turn, also in vain. */
  isCancelled = false;
  #usage: Dict = {};
  #stopReason = "end_turn";
  #message: { readonly type: string; readonly id: string } | undefined;

  constructor(session: AcpSessionContext, asked: AcpAsked) {
    this.session = session;
    this.#asked = [asked];
    this.#runner = new ScriptRunner(session.host.clock);
  }

  get isOver(): boolean {
    return this.#phase === "over" || this.#runner.stopped;
  }

  get #settings(): AcpMockSettings {
    return this.session.host.settings;
  }

  /** Whether the turn answers the request with this id. */
  answers(id: unknown): boolean {
    return this.#asked.some(({ received }) => received.message["id"] === id);
  }

  /** Answers another prompt at the end of this turn, too. */
  join(asked: AcpAsked): void {
    this.#asked.push(asked);
  }

  /** Settles when the turn ends or is stopped. Never rejects. */
  async perform(): Promise<void> {
    const { answer, clock, journal } = this.session.host;
    const [asked] = this.#asked;
    try {
      for (const content of asked?.record.content ?? []) this.session.keep(this.#chunkOf(USER, content));
      this.#begin(asked?.record.content ?? []);
      if (this.isOver || !asked) return;
      const script =
        typeof answer === "function" ? answer(asked.record, { signal: this.#runner.signal, clock }) : answer;
      // A string is one step. Iterating it would send one chunk per character.
      const steps = typeof script === "string" ? [script] : script;
      const outcome = await this.#runner.follow(steps, (step) => this.#take(step));
      if (outcome === "ended") this.#complete(this.#stopReason);
    } catch (error) {
      journal.threw(error);
      this.fail(-32603, error instanceof Error ? error.message : String(error));
    }
  }

  say(update: Dict): void {
    if (!this.isOver) this.session.say(update);
  }

  /** `session/cancel`, or a second prompt. */
  cancel(how: AcpMockSettings["cancel"]): void {
    this.isCancelled = true;
    if (this.#phase === "over" || how === "ignored") return;
    this.#phase = "cancelling";
    const { clock } = this.session.host;
    if (how === "slow") {
      this.#runner.stop();
      this.#timers.add(clock.setTimeout(() => this.#endCancelled(), SLOW, { unref: true }));
    } else if (how === "completes") {
      this.#runner.stop();
      this.#round?.close("completed");
      this.#complete("end_turn");
    } else if (how === "ends" || this.session.link.unanswered(this.session.id).length === 0)
      this.#endCancelled();
  }

  /** The client has answered a request. */
  answered(): void {
    const { cancel } = this.#settings;
    const isWaiting = this.#phase === "cancelling" && cancel === "needsAnswers";
    if (isWaiting && this.session.link.unanswered(this.session.id).length === 0) this.#endCancelled();
  }

  /** Ends the turn with a JSON-RPC error. */
  fail(code: number, message: string, data?: unknown): void {
    this.#runner.stop();
    this.#end("error", { error: { code, message, ...(data === undefined ? {} : { data }) } });
  }

  /** Stops the turn without a message. */
  stop(): void {
    this.#phase = "over";
    this.#runner.stop();
    this.#round?.stop();
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  /** Waits in ms of the clock. Never settles if the turn is stopped meanwhile. */
  delay(ms: number): Promise<void> {
    if (ms <= 0 || this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#timers.add(this.session.host.clock.setTimeout(resolve, ms, { unref: true }));
    });
  }

  /** Sends a request, and adds the session. */
  ask(method: string, params: Dict): Promise<MockAcpReply> {
    return this.session.link.ask(method, { sessionId: this.session.id, ...params });
  }

  #begin(prompt: readonly Dict[]): void {
    const { session } = this;
    const { echoPrompt, huge, modeChange, stray, unknown } = this.#settings;
    if (echoPrompt) for (const content of prompt) this.say(this.#chunkOf(USER, content));
    session.habit("turnStart");
    if (modeChange === "agentDriven") session.stopAsking();
    if (stray === "midTurn") session.link.raw("Warning: something that is no message");
    if (stray === "halfLine") session.link.raw('{"jsonrpc":"2.0","method":"session/update","params":{"sess');
    if (unknown === "update")
      this.say({ sessionUpdate: "thing_of_tomorrow", content: { type: "text", text: "?" } });
    if (unknown === "notification") session.link.notify("_mock/notify", { sessionId: session.id });
    if (unknown === "request") void this.ask("craft/drainMidTurnQueue", {});
    if (huge !== false) this.#chunk(TEXT, { type: "text", text: "x".repeat(huge === true ? HUGE : huge) });
  }

  #take(step: MockAcpStep): Promise<MockAcpStepResult> | typeof ENOUGH | undefined {
    if (typeof step === "string") {
      this.#text(TEXT, step);
      return undefined;
    }
    const { session } = this;
    switch (step.kind) {
      case "thought":
        if (this.#settings.thoughts) this.#text(THOUGHT, step.text);
        return undefined;
      case "chunk":
        this.#chunk(TEXT, step.content);
        return undefined;
      case "calls":
        return this.#call(step.calls);
      case "request":
        return this.#untilStopped(this.ask(step.method, step.params));
      case "ask":
        return this.#question({ mode: "url" in step.fields ? "url" : "form", ...step.fields });
      case "notify":
        session.link.notify(step.method, step.params);
        return undefined;
      case "update":
        this.say(step.update);
        return undefined;
      case "notice":
        session.notice(step.notice);
        return undefined;
      case "compaction":
        session.compaction("compaction_1", step.status, step.summary);
        return undefined;
      case "mode":
        session.setMode(step.modeId);
        return undefined;
      case "usage":
        this.#usage = { ...this.#usage, ...step.usage };
        return undefined;
      case "fail":
        return this.#fail(step.status, step.message);
      case "error":
        this.fail(step.code, step.message, step.data);
        return ENOUGH;
      case "stop":
        this.#complete(step.reason);
        return ENOUGH;
      case "delay":
        return this.#runner.delay(step.ms).then(() => undefined);
      case "hang":
        return this.#runner.hang().then(() => undefined);
      case "raw":
        session.link.raw(step.line);
        return undefined;
      case "die":
        session.link.die(step.end);
        return ENOUGH;
    }
  }

  async #untilStopped<T>(value: Promise<T>): Promise<T | undefined> {
    const result = await this.#runner.unlessStopped(value);
    return result === STOPPED ? undefined : result;
  }

  #question(params: Dict): Promise<MockAcpStepResult> | undefined {
    const isTaken = isOffered("elicitation/create", params, this.session.link.clientCapabilities);
    return isTaken ? this.#untilStopped(this.ask("elicitation/create", params)) : undefined;
  }

  #text(type: string, text: string): void {
    if (this.#settings.emptyChunks) this.#chunk(type, { type: "text", text: "" });
    this.#chunk(type, { type: "text", text });
  }

  #chunk(sessionUpdate: string, content: Dict): void {
    const update = this.#chunkOf(sessionUpdate, content);
    this.session.keep(update);
    this.say(update);
  }

  /** A chunk of the current message, or of a new one of this type. */
  #chunkOf(sessionUpdate: string, content: Dict): Dict {
    if (!this.#settings.messageIds) return { sessionUpdate, content };
    if (this.#message?.type !== sessionUpdate)
      this.#message = { type: sessionUpdate, id: this.session.host.newMessageId() };
    return { sessionUpdate, content, messageId: this.#message.id };
  }

  async #call(calls: readonly MockAcpCall[]): Promise<MockAcpStepResult> {
    this.#message = undefined;
    const round = new AcpCallRound(calls, this);
    this.#round = round;
    const outcomes = await this.#untilStopped(round.run());
    if (outcomes === undefined || this.isOver) return undefined;
    this.#round = undefined;
    const { afterReject } = this.#settings;
    if (afterReject === "continues" || !outcomes.some(({ state }) => state === "rejected")) return outcomes;
    this.#runner.stop();
    this.#complete(afterReject === "cancelled" ? "cancelled" : "end_turn");
    return undefined;
  }

  #fail(status: number, message: string): typeof ENOUGH | Promise<undefined> {
    const failure = modelFailure(this.#settings.modelError, status, message, this.session.host.facts);
    // An error that stands for the answer belongs to no message.
    if (failure.text !== undefined)
      this.say({ sessionUpdate: TEXT, content: { type: "text", text: failure.text } });
    if (failure.hangs) return this.#runner.hang().then(() => undefined);
    if (failure.error) this.#end("error", { error: failure.error });
    else this.#complete("end_turn");
    return ENOUGH;
  }

  #endCancelled(): void {
    const { cancelRequest, openCallsAtCancel } = this.#settings;
    const { id, link } = this.session;
    this.#runner.stop();
    this.#round?.close(openCallsAtCancel);
    if (cancelRequest === "sends")
      for (const request of link.unanswered(id)) link.notify("$/cancel_request", { requestId: request.id });
    this.#complete("cancelled");
  }

  #complete(stopReason: string): void {
    const { unknown, usage } = this.#settings;
    if (this.#phase === "over") return;
    this.session.habit("turnEnd");
    const result: Record<string, unknown> = {
      stopReason: unknown === "stopReason" ? "max_vibes" : stopReason,
    };
    if (stopReason !== "cancelled" && usage !== "none") Object.assign(result, this.#spend());
    this.#end(stopReason, { result });
  }

  /** Returns the usage for the response. */
  #spend(): Dict {
    const { session } = this;
    const { inputTokens = 20, outputTokens = 10, ...more } = this.#usage;
    const usage = {
      ...{ inputTokens, outputTokens, totalTokens: Number(inputTokens) + Number(outputTokens) },
      ...more,
    };
    for (const [name, count] of Object.entries(usage))
      session.spent[name] = (session.spent[name] ?? 0) + Number(count);
    const kind = this.#settings.usage;
    if (kind !== "meta") return { usage: kind === "cumulative" ? { ...session.spent } : usage };
    if (!session.host.facts.usageInChunk)
      return {
        _meta: { quota: { token_count: { input_tokens: inputTokens, output_tokens: outputTokens } } },
      };
    session.say({ sessionUpdate: TEXT, content: { type: "text", text: "" }, _meta: { usage } });
    return {};
  }

  #end(outcome: string, reply: MockAcpReply): void {
    if (this.#phase === "over") return;
    this.stop();
    for (const { received, record } of this.#asked) {
      record.outcome = outcome;
      this.session.link.respond(received, reply);
    }
    this.session.habit("afterTurn");
    this.session.over(this);
  }
}
