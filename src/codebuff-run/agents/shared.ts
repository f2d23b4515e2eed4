// What all agents of one run share: turn, gate, signal, events.
import { said } from "../../core/errors.ts";
import type { Gate, Withdraw } from "../../core/gate/gate.ts";
import type { LiveTurn } from "../../core/turn/live-turn.ts";
import type { DecidedBy } from "../../core/values.ts";
import type { Tool } from "../calls/toolbox.ts";
import { CodebuffRunError } from "../errors.ts";
import type { CodebuffRunEvent } from "../messages.ts";
import type { RunCore } from "../run-core.ts";
import type { CodebuffRunResult, Spent } from "../turn.ts";
import type { Agents } from "./agents.ts";

/** Reads no further while the reader of the turn is slow. */
export class Flow {
  #resume: (() => void) | undefined;
  #wait: Promise<void> | undefined;

  /** Settles when the reader has caught up; `undefined`: it has. */
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

/** What all agents of one run share. */
export interface Shared {
  readonly core: RunCore;
  readonly gate: Gate;
  readonly turn: LiveTurn<CodebuffRunEvent, CodebuffRunResult>;
  readonly agents: Agents;
  /** The caller's tools, and the tools of each source that has started. */
  readonly tools: readonly Tool[];
  /** What the run knows of the project, as its state has it. */
  readonly fileContext: Readonly<Record<string, unknown>>;
  readonly costMode: string;
  readonly maxAgentSteps: number;
  readonly maxContextTokens: number | undefined;
  /** One for the run and its sub-agents. */
  readonly clientId: string;
  /** Aborted when the run is to stop. */
  readonly signal: AbortSignal;
  /** Aborted when a stopped run waits for its tools no longer. */
  readonly abandoned: AbortSignal;
  readonly flow: Flow;
  readonly spent: Spent;
  /** Requests of this run that wait for the user. */
  readonly waiting: Set<Withdraw>;
  /** Work that goes on when the turn has settled: the last calls of cancelled runs. */
  readonly background: Set<Promise<void>>;
}

/** Tells an event of the run. After the run was stopped, nothing is told. */
export function tell(
  { core, turn }: Pick<Shared, "core" | "turn">,
  event: CodebuffRunEvent,
  bytes: number,
): void {
  core.outbox.run(() => turn.push(event, bytes));
}

/** @throws the reason of the stop, if the run is to stop. */
export function assertWanted({ signal }: Pick<Shared, "signal">): void {
  if (signal.aborted) throw signal.reason;
}

/** Ends the requests of a run that wait for the user. */
export function withdrawAll({ waiting }: Pick<Shared, "waiting">, by: DecidedBy, why: string): void {
  for (const withdraw of [...waiting]) withdraw(by, why);
  waiting.clear();
}

/** An error in words, for the agent and for records, without credentials. */
export function wordsOf({ core }: Pick<Shared, "core">, error: unknown): string {
  const message: unknown =
    error instanceof CodebuffRunError
      ? error.serverMessage
      : error instanceof Error
        ? error.message
        : undefined;
  return core.redactor.redact(typeof message === "string" ? message : said(error));
}
