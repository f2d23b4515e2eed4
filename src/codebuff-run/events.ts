// The client events of `CodebuffRun`.
import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { EventNames } from "../core/tell/events.ts";
import type { ProtocolWarning } from "../core/tell/voice.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { Cost, Usage } from "../core/values.ts";
import type { CodebuffRunEvent, RunState } from "./messages.ts";
import type { CodebuffRunResult } from "./turn.ts";

/** One answer of a model. */
export interface CodebuffRunStep {
  readonly agentId: string;
  readonly runId: string;
  readonly stepNumber: number;
  readonly credits: number;
  /** Tokens of the history before the step: counted by the backend, or estimated. */
  readonly contextTokens: number;
  /** The model that was asked: the agent's, or one of `models`. */
  readonly model: string;
  /** The limit of the history: the option, or by the provider's `contextWindow`. Absent without either. */
  readonly maxContextTokens?: number;
  /** Tokens of this answer, if the model's server reports them. */
  readonly usage?: Usage;
  /** Of this answer: credits of the backend, or dollars (`usd`) of a provider that reports them. */
  readonly cost?: Cost;
  /** The provider that answered; absent for the backend. */
  readonly provider?: string;
  /** The run's state, as `onState` gets it. Absent for sub-agents. */
  readonly state?: RunState;
}

/** A history is shortened, because it is longer than its limit. */
export interface CodebuffRunCompaction {
  readonly agentId: string;
  readonly runId: string;
  readonly state: "started" | "completed";
  /** Tokens of the history before. */
  readonly before: number;
  /** Tokens of the history after; with `completed`. */
  readonly after?: number;
  /** The text that replaces the oldest turns. Absent if no summary was needed or used. */
  readonly summary?: string;
}

/**
 * The client's events: those of every client, and these. `reconnecting`, `reconnected`, `disconnected`, `message` and `frame`
 * never occur.
 */
export interface CodebuffRunClientEvents extends ClientEvents<CodebuffRunEvent, CodebuffRunResult> {
  /**
   * `kind`: `handler-failed` (a handler, or the schema of a tool, threw), `not-reported` (the backend was not told of a
   * step or of the end), `tool-denied` (nobody is there to ask), `tool-source` (tools of a source are missing),
   * `no-finish-reason` (a model does not say why it ended), `model-failed` (the next of `models` is asked),
   * `approval-failed` (a rule or a callback threw), `project` (the project could not be read) or `listener-threw`.
   */
  protocolWarning: [warning: ProtocolWarning];
  /** A model has answered, and its tools have run. */
  step: [step: CodebuffRunStep, turn: Turn<CodebuffRunEvent, CodebuffRunResult>];
  /** The history is shortened (`compact`), or was. */
  compaction: [compaction: CodebuffRunCompaction, turn: Turn<CodebuffRunEvent, CodebuffRunResult>];
}

export const RUN_EVENTS: EventNames<CodebuffRunClientEvents> = {
  ...CLIENT_EVENTS,
  step: true,
  compaction: true,
};
