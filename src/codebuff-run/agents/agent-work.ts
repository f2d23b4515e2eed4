// Types of an agent's run, for the code that starts sub-agents.

import type { RunPrompt } from "../input.ts";
import type { RunMessage, RunOutput, RunStopReason } from "../messages.ts";
import type { AgentSpeaker } from "../turn.ts";
import type { ResolvedAgent } from "./agents.ts";
import type { RunRecord } from "./run-record.ts";
import type { Shared } from "./shared.ts";

export interface AgentRunSetup {
  readonly shared: Shared;
  readonly agent: ResolvedAgent;
  readonly speaker: AgentSpeaker;
  readonly spawnable: readonly ResolvedAgent[];
  readonly earlier: readonly RunMessage[];
  /** The prompt; undefined for a sub-agent without a prompt. */
  readonly said: RunPrompt | undefined;
  readonly prompt: string | undefined;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  /** 0 for the root agent. */
  readonly depth: number;
}

export interface AgentEnd {
  readonly stopReason: RunStopReason;
  readonly output: RunOutput;
}

export interface AgentWork {
  readonly setup: AgentRunSetup;
  readonly record: RunRecord;
  /** Runs the agent until it ends. @throws CodebuffRunError; the stop's reason. */
  run(): Promise<AgentEnd>;
}
