// What other agents know of an agent's run, as types.

import type { RunPrompt } from "../input.ts";
import type { RunMessage, RunOutput, RunStopReason } from "../messages.ts";
import type { Speaker } from "../turn.ts";
import type { ResolvedAgent } from "./agents.ts";
import type { RunRecord } from "./run-record.ts";
import type { Shared } from "./shared.ts";

export interface AgentRunSetup {
  readonly shared: Shared;
  readonly agent: ResolvedAgent;
  readonly speaker: Speaker;
  /** The agents that this agent may run. */
  readonly spawnable: readonly ResolvedAgent[];
  /** The messages before this run. */
  readonly earlier: readonly RunMessage[];
  /** What the agent is asked; undefined for a sub-agent that is started without words. */
  readonly said: RunPrompt | undefined;
  /** The text of `said`, as it was given. */
  readonly prompt: string | undefined;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  /** 0 for the root. */
  readonly depth: number;
}

/** How an agent's run has ended. */
export interface AgentEnd {
  readonly stopReason: RunStopReason;
  readonly output: RunOutput;
}

/** The run of one agent, for the agents that start others. */
export interface AgentWork {
  readonly setup: AgentRunSetup;
  readonly record: RunRecord;
  /** Runs the agent to its end. @throws CodebuffRunError; the reason of a stop. */
  run(): Promise<AgentEnd>;
}
