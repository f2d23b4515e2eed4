// What all agents of one run share: turn, gate, signal, events.
import { said } from "../../core/errors.ts";
import type { Gate, Withdraw } from "../../core/gate/gate.ts";
import { cleanCause } from "../../core/tell/clean-cause.ts";
import type { LiveTurn } from "../../core/turn/live-turn.ts";
import type { DecidedBy, TurnToolCall } from "../../core/values.ts";
import type { Tool, Toolbox } from "../calls/toolbox.ts";
import { CodebuffRunError } from "../errors.ts";
import type { CodebuffRunEvent, RunState } from "../messages.ts";
import { abortable } from "../model/abortable.ts";
import type { WrittenCall } from "../model/answer.ts";
import type { RunDefaults } from "../options.ts";
import type { RunCore } from "../run-core.ts";
import { type AgentSpeaker, type CodebuffRunResult, cutInput, type Spent } from "../turn.ts";
import type { KnownAgents } from "./agents.ts";

/** Backpressure: pauses reading while the turn's reader is slow. */
export class Flow {
  #resume: (() => void) | undefined;
  #wait: Promise<void> | undefined;

  readonly slowed = (): Promise<void> | undefined => this.#wait;

  pause(): void {
    this.#wait ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#wait = undefined;
    this.#resume = undefined;
  }
}

export interface Shared {
  readonly core: RunCore;
  readonly gate: Gate;
  readonly turn: LiveTurn<CodebuffRunEvent, CodebuffRunResult>;
  readonly agents: KnownAgents;
  readonly tools: readonly Tool[];
  readonly fileContext: Readonly<Record<string, unknown>>;
  readonly options: RunDefaults;
  readonly clientId: string;
  readonly signal: AbortSignal;
  /** Aborted when a stopped run must not wait for its tools. */
  readonly abandoned: AbortSignal;
  readonly flow: Flow;
  readonly spent: Spent;
  readonly waiting: Set<Withdraw>;
  /** The run's state, while it runs. */
  readonly stateNow: () => RunState;
  /** Work after the end of the turn, such as the last calls of cancelled runs. */
  readonly background: Set<Promise<void>>;
}

/** Emits an event of the run. Does nothing after a stop. */
export function tell(
  { core, turn }: Pick<Shared, "core" | "turn">,
  event: CodebuffRunEvent,
  bytes: number,
): void {
  core.outbox.run(() => turn.push(event, bytes));
}

/** Says that a call does not follow, if pieces of its arguments were told. */
export function tellCut(
  call: WrittenCall,
  { shared, toolbox, speaker }: { shared: Shared; toolbox: Toolbox; speaker: AgentSpeaker },
): void {
  if (call.isTold && toolbox.streams(call.name)) tell(shared, cutInput(call, speaker), 0);
}

/** Shows the state of a call, unless the turn has ended. */
export function showCall({ core, turn }: Pick<Shared, "core" | "turn">, call: TurnToolCall): void {
  core.outbox.run(() => {
    if (turn.open) turn.tools.set(call);
  });
}

/** Passes the run's state to `onState`, and waits. @throws CodebuffRunError `state_not_saved`; the stop's reason */
export async function saveState(shared: Shared): Promise<void> {
  const { core, turn, options, signal } = shared;
  const { onState } = options;
  if (!onState) return;
  const unhold = turn.hold(); // pauses the turn's timeouts: the app works
  try {
    assertWanted(shared);
    await abortable(onState(shared.stateNow(), { turnId: turn.id, signal }), signal);
  } catch (thrown) {
    assertWanted(shared);
    const message = `\`onState\` failed: ${wordsOf(shared, thrown)}`;
    const cause = cleanCause(thrown, (text) => core.redactor.redact(text));
    throw new CodebuffRunError({ kind: "state_not_saved", message, cause });
  } finally {
    core.outbox.run(unhold);
  }
}

/** @throws the stop's reason */
export function assertWanted({ signal }: Pick<Shared, "signal">): void {
  if (signal.aborted) throw signal.reason;
}

export function withdrawAll({ waiting }: Pick<Shared, "waiting">, by: DecidedBy, why: string): void {
  for (const withdraw of [...waiting]) withdraw(by, why);
  waiting.clear();
}

/** An error as text without credentials, for the agent and for records. */
export function wordsOf({ core }: Pick<Shared, "core">, error: unknown): string {
  const message: unknown =
    error instanceof CodebuffRunError
      ? error.serverMessage
      : error instanceof Error
        ? error.message
        : undefined;
  return core.redactor.redact(typeof message === "string" ? message : said(error));
}
