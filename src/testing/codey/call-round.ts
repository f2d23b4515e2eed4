// Runs the calls of one `ToolRequest`, in the foreground and in the background.
import { Interruptible, STOPPED } from "../server/interruptible.ts";
import type { PlannedCall } from "./calls.ts";
import type { ScriptRound, SessionContext } from "./context.ts";
import { ROOT } from "./messages.ts";
import type { CodeyCallOutcome, CodeyCallResult } from "./script.ts";

/** The calls of one `ToolRequest`. Foreground calls run one after another, background calls at the same time. */
export class CallRound implements ScriptRound {
  readonly #calls: readonly PlannedCall[];
  readonly #session: SessionContext;
  /** Settles when the turn is over. Late results wait for it. */
  readonly #afterTurn: Promise<void>;
  /** The calls without a terminal message. */
  readonly #open: Map<PlannedCall, Interruptible>;
  readonly #outcomes = new Map<PlannedCall, CodeyCallOutcome>();
  #stopped = false;
  #strays = false;

  constructor(calls: readonly PlannedCall[], session: SessionContext, afterTurn: Promise<void>) {
    this.#calls = calls;
    this.#session = session;
    this.#afterTurn = afterTurn;
    this.#open = new Map(calls.map((call) => [call, new Interruptible(session.backend.clock)]));
  }

  get open(): readonly PlannedCall[] {
    return [...this.#open.keys()];
  }

  /** Settles when every call has its terminal message. Never settles if stopped before. */
  async run(): Promise<readonly CodeyCallOutcome[]> {
    await Promise.all(this.#starts().map((start) => start()));
    if (this.#stopped) return new Promise(() => {});
    return this.#calls.flatMap((call) => this.#outcomes.get(call) ?? []);
  }

  stop(): void {
    this.#stopped = true;
    for (const life of this.#open.values()) life.stop();
    this.#open.clear();
  }

  stray(): void {
    this.#strays = true;
  }

  /** Returns what to start together, in order. All foreground calls together are one item. */
  #starts(): readonly (() => Promise<void>)[] {
    const { backgroundOrder } = this.#session.settings;
    const foreground = this.#calls.filter((call) => !call.background);
    const starts = this.#calls.flatMap((call) => {
      if (call.background) return [() => this.#live(call)];
      return call === foreground[0] ? [() => this.#oneByOne(foreground)] : [];
    });
    if (backgroundOrder === "seeded") return this.#session.backend.shuffled(starts);
    return backgroundOrder === "calls" ? starts : starts.reverse();
  }

  async #oneByOne(calls: readonly PlannedCall[]): Promise<void> {
    for (const call of calls) {
      if (this.#stopped) return;
      await this.#live(call);
    }
  }

  /** Runs one call from its request to its terminal message, unless it is stopped. */
  async #live(call: PlannedCall): Promise<void> {
    const { settings, approvals } = this.#session;
    if (typeof call.result === "object" && "invalid" in call.result)
      return this.#fail(call, call.result.invalid);
    const filter = call.name === "mcp_shell" && settings.shellFilter === "dead" ? "none" : call.filter;
    if (filter === "deny") return this.#deny(call);
    if (filter === "none") {
      const approved = await this.#ask(call);
      if (approved === STOPPED) return;
      if (!approved) return this.#deny(call);
    }
    approvals.pass(call);
    this.#start(call, filter);
    if (!call.background || !settings.lateBackground) return this.#work(call);
    this.#outcomes.set(call, { callId: call.callId, state: "running", content: "" });
    void this.#workLate(call);
  }

  async #workLate(call: PlannedCall): Promise<void> {
    if ((await this.#untilStopped(call, this.#afterTurn)) !== STOPPED) await this.#work(call);
  }

  #ask(call: PlannedCall): Promise<boolean | typeof STOPPED> {
    const { callId: call_id, name, params, background } = call;
    const decision = this.#session.approvals.ask(call);
    this.#session.say({ type: "ToolAwaitingApproval", agent_id: ROOT, call_id, name, params, background });
    return this.#untilStopped(call, decision);
  }

  #start({ callId: call_id, name, background }: PlannedCall, filter: "none" | "allow"): void {
    const { startedAfterApproval, duplicateBackgroundStarted } = this.#session.settings;
    if (filter === "none" && !background && !startedAfterApproval) return;
    const started = { type: "ToolStarted", agent_id: ROOT, call_id, name } as const;
    this.#session.say(started);
    if (filter === "allow" && background && duplicateBackgroundStarted) this.#session.say(started);
  }

  async #work(call: PlannedCall): Promise<void> {
    for (const delta of call.deltas ?? []) this.#delta(call, delta);
    if (call.delay > 0) await this.#open.get(call)?.delay(call.delay);
    const output = await this.#untilStopped(call, outputOf(call.result));
    if (output === STOPPED) return;
    if (!output.ok) {
      this.#fail(call, output.text);
      return;
    }
    if (!call.deltas) for (const half of halves(output.text)) this.#delta(call, half);
    this.#complete(call, "completed", output.text);
  }

  #delta({ callId: call_id }: PlannedCall, content: string): void {
    if (this.#session.settings.toolDeltas === "none") return;
    this.#session.say({ type: "ToolDelta", agent_id: ROOT, call_id, content });
  }

  #deny(call: PlannedCall): void {
    this.#error(call, "denied", "Denied by user");
  }

  #fail(call: PlannedCall, error: string): void {
    if (call.background && this.#session.settings.backgroundFailure === "completed")
      this.#complete(call, "failed", error);
    else this.#error(call, "failed", error);
  }

  #complete(call: PlannedCall, state: "completed" | "failed", content: string): void {
    this.#end(call, state, content);
    this.#session.say({ type: "ToolCompleted", agent_id: ROOT, call_id: call.callId, content });
  }

  #error(call: PlannedCall, state: "denied" | "failed", error: string): void {
    this.#end(call, state, error);
    this.#session.say({ type: "ToolError", agent_id: ROOT, call_id: call.callId, error });
  }

  #end(call: PlannedCall, state: CodeyCallOutcome["state"], content: string): void {
    this.#outcomes.set(call, { callId: call.callId, state, content });
    this.#open.delete(call);
    this.#session.approvals.pass(call);
    if (this.#strays) this.#session.strayed();
  }

  #untilStopped<T>(call: PlannedCall, value: Promise<T>): Promise<T | typeof STOPPED> {
    return this.#open.get(call)?.unlessStopped(value) ?? Promise.resolve(STOPPED);
  }
}

async function outputOf(result: CodeyCallResult): Promise<{ readonly ok: boolean; readonly text: string }> {
  if (typeof result === "string") return { ok: true, text: result };
  if (typeof result === "function") {
    try {
      return { ok: true, text: await result() };
    } catch (error) {
      return { ok: false, text: error instanceof Error ? error.message : String(error) };
    }
  }
  if ("hangs" in result) return new Promise(() => {});
  return { ok: false, text: "error" in result ? result.error : result.invalid };
}

/** Splits between characters, not within one. */
function halves(text: string): readonly string[] {
  const characters = [...text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle), characters.slice(middle)].map((half) => half.join("")).filter(Boolean);
}
