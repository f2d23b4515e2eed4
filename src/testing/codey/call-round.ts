// Runs the calls of one `ToolRequest`, foreground and background ones.
import type { Clock } from "../../core/clock.ts";
import { Interruptible, STOPPED } from "../server/interruptible.ts";
import type { Approvals } from "./approvals.ts";
import type { CodeyCallOutcome, CodeyCallResult, PlannedCall } from "./calls.ts";
import { shuffled } from "./dice.ts";
import { ROOT, type ServerMessage } from "./messages.ts";
import type { Settings } from "./profiles.ts";
import { SHELL } from "./tools.ts";

/** What the calls of a round need of their session. */
export interface CallRoundPort {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly approvals: Approvals;
  say(message: ServerMessage): void;
  /** A call of a turn that was given up has its result. */
  strayed(): void;
}

const DENIED = "Denied by user";

/**
 * The calls of one `ToolRequest`: foreground ones strictly one after another, background ones all at once beside
 * them.
 */
export class CallRound {
  readonly #calls: readonly PlannedCall[];
  readonly #port: CallRoundPort;
  /** Settles when the turn is over: what late results wait for. */
  readonly #afterTurn: Promise<void>;
  /** Those without a terminal message. */
  readonly #open: Map<PlannedCall, Interruptible>;
  readonly #outcomes = new Map<PlannedCall, CodeyCallOutcome>();
  #stopped = false;
  #strays = false;

  constructor(calls: readonly PlannedCall[], port: CallRoundPort, afterTurn: Promise<void>) {
    this.#calls = calls;
    this.#port = port;
    this.#afterTurn = afterTurn;
    this.#open = new Map(calls.map((call) => [call, new Interruptible(port.clock)]));
  }

  /** The calls without a terminal message, in the order of the request. */
  get open(): readonly PlannedCall[] {
    return [...this.#open.keys()];
  }

  /** Settles when every call has its terminal; never when it is stopped before. */
  async run(): Promise<readonly CodeyCallOutcome[]> {
    await Promise.all(this.#starts().map((start) => start()));
    if (this.#stopped) return new Promise(() => {});
    return this.#calls.flatMap((call) => this.#outcomes.get(call) ?? []);
  }

  /** Forgets all calls, without a word. */
  stop(): void {
    this.#stopped = true;
    for (const life of this.#open.values()) life.stop();
    this.#open.clear();
  }

  /** The turn was given up, and nobody has asked these calls to stop. */
  stray(): void {
    this.#strays = true;
  }

  /** What starts together, in its order: the line of foreground calls is one of them. */
  #starts(): readonly (() => Promise<void>)[] {
    const { backgroundOrder } = this.#port.settings;
    const foreground = this.#calls.filter((call) => !call.background);
    const starts = this.#calls.flatMap((call) => {
      if (call.background) return [() => this.#live(call)];
      return call === foreground[0] ? [() => this.#oneByOne(foreground)] : [];
    });
    switch (backgroundOrder) {
      case "calls":
        return starts;
      case "reversed":
        return starts.reverse();
      case "seeded":
        return shuffled(starts, this.#port.random);
    }
  }

  async #oneByOne(calls: readonly PlannedCall[]): Promise<void> {
    for (const call of calls) {
      if (this.#stopped) return;
      await this.#live(call);
    }
  }

  /** One call from its request to its terminal, or as far as it gets. */
  async #live(call: PlannedCall): Promise<void> {
    const { settings, approvals } = this.#port;
    if (typeof call.result === "object" && "invalid" in call.result)
      return this.#fail(call, call.result.invalid);
    const filter = call.name === SHELL && settings.shellFilter === "dead" ? "none" : call.filter;
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

  #ask(call: PlannedCall): Promise<boolean | typeof STOPPED> {
    const { callId: call_id, name, params, background } = call;
    const decision = this.#port.approvals.ask(call);
    this.#port.say({ type: "ToolAwaitingApproval", agent_id: ROOT, call_id, name, params, background });
    return this.#untilStopped(call, decision);
  }

  #start({ callId: call_id, name, background }: PlannedCall, filter: "none" | "allow"): void {
    const { startedAfterApproval, duplicateBackgroundStarted } = this.#port.settings;
    if (filter === "none" && !background && !startedAfterApproval) return;
    const started = { type: "ToolStarted", agent_id: ROOT, call_id, name } as const;
    this.#port.say(started);
    if (filter === "allow" && background && duplicateBackgroundStarted) this.#port.say(started);
  }

  async #workLate(call: PlannedCall): Promise<void> {
    if ((await this.#untilStopped(call, this.#afterTurn)) !== STOPPED) await this.#work(call);
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
    if (this.#port.settings.toolDeltas === "none") return;
    this.#port.say({ type: "ToolDelta", agent_id: ROOT, call_id, content });
  }

  #deny(call: PlannedCall): void {
    this.#error(call, "denied", DENIED);
  }

  #fail(call: PlannedCall, error: string): void {
    if (call.background && this.#port.settings.backgroundFailure === "completed")
      this.#complete(call, "failed", error);
    else this.#error(call, "failed", error);
  }

  #complete(call: PlannedCall, state: "completed" | "failed", content: string): void {
    this.#end(call, state, content);
    this.#port.say({ type: "ToolCompleted", agent_id: ROOT, call_id: call.callId, content });
  }

  #error(call: PlannedCall, state: "denied" | "failed", error: string): void {
    this.#end(call, state, error);
    this.#port.say({ type: "ToolError", agent_id: ROOT, call_id: call.callId, error });
  }

  #end(call: PlannedCall, state: CodeyCallOutcome["state"], content: string): void {
    const { callId } = call;
    this.#outcomes.set(call, { callId, state, content });
    this.#open.delete(call);
    this.#port.approvals.pass(call);
    if (this.#strays) this.#port.strayed();
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

/** Cut between characters, not within one. */
function halves(text: string): readonly string[] {
  const characters = [...text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle), characters.slice(middle)].map((half) => half.join("")).filter(Boolean);
}
