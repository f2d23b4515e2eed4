// Runs sub-agents for an agent, in parallel.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { defined } from "../../core/checks.ts";
import { randomId } from "../../core/random-id.ts";
import type { SpawnOrder } from "../calls/calls.ts";
import { issuesText } from "../calls/tool-schema.ts";
import { failure, json } from "../calls/toolbox.ts";
import { CodebuffRunError, failureOutput } from "../errors.ts";
import { buildPrompt, type RunPrompt } from "../input.ts";
import type { RunMessage, RunOutput, RunStopReason } from "../messages.ts";
import type { AgentSpeaker } from "../turn.ts";
import { type AgentDefinition, inputSchemaOf, type ResolvedAgent } from "./agents.ts";
import type { RunRecord } from "./run-record.ts";
import { type Shared, tell, wordsOf } from "./shared.ts";

/** Maximum depth of sub-agents. An agent that spawns without end must not use up the account. */
const MAX_DEPTH = 5;

/** Agents per call. Real calls have a few; each agent holds a connection and costs credits. */
const MAX_AGENTS = 50;

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
  child(setup: AgentRunSetup): AgentWork;
  /** Runs the agent until it ends. @throws CodebuffRunError; the stop's reason. */
  run(): Promise<AgentEnd>;
}

/** Runs sub-agents in parallel. Never throws. Settles after a stop when all agents have stopped. */
export async function spawnAgents(
  parent: AgentWork,
  orders: readonly SpawnOrder[],
): Promise<readonly ToolOutput[]> {
  const { depth, shared } = parent.setup;
  if (depth === MAX_DEPTH) return failure(`Agents may run agents only ${MAX_DEPTH} levels deep.`);
  if (orders.length > MAX_AGENTS) return failure(`At most ${MAX_AGENTS} agents can be run by one call.`);
  const isOnly = orders.length === 1;
  const results = await Promise.all(orders.map((order) => spawnOne(parent, order, isOnly)));
  return shared.signal.aborted ? failure("Interrupted.") : [json(results)];
}

interface Spawned {
  readonly agentName: string;
  readonly agentType: string;
  readonly value: RunOutput;
}

async function spawnOne(parent: AgentWork, order: SpawnOrder, onlyChild: boolean): Promise<Spawned> {
  const { agent_type: type, prompt, params } = order;
  const { shared, agent, speaker, depth } = parent.setup;
  const allowed = agent.definition.spawnableAgents ?? [];
  const id = allowed.find((each) => each === type || nameOf(each) === nameOf(type));
  if (id === undefined) {
    const why = new Error(`The agent ${type} may not be run by ${agent.definition.id}.`);
    return { agentName: type, agentType: type, value: errorOutput(parent, why) };
  }
  try {
    const found = await shared.agents.find(id);
    const { definition } = found;
    await assertFits(order, definition);
    const spawnable = await shared.agents.all(definition.spawnableAgents ?? []);
    const isSaid = params !== undefined || (prompt ?? "").trim() !== "";
    const said = isSaid
      ? buildPrompt(defined({ prompt: prompt?.trim() ? prompt : undefined }), params)
      : undefined;
    const child = parent.child({
      shared,
      agent: found,
      speaker: {
        id: randomId("agent"),
        type: definition.id,
        parentId: speaker.id,
        ancestorRunIds: [...speaker.ancestorRunIds, parent.record.runId],
      },
      spawnable,
      earlier: [],
      said,
      prompt,
      params,
      depth: depth + 1,
    });
    const value = await runChild(parent, child, onlyChild);
    return { agentName: definition.displayName, agentType: definition.id, value };
  } catch (cause) {
    return { agentName: type, agentType: type, value: errorOutput(parent, cause) };
  }
}

async function runChild(parent: AgentWork, child: AgentWork, onlyChild: boolean): Promise<RunOutput> {
  const { shared, agent, speaker, prompt, params } = child.setup;
  const about = {
    agentId: speaker.id,
    agentType: speaker.type,
    displayName: agent.definition.displayName,
    onlyChild,
    ...defined({ parentAgentId: speaker.parentId, prompt, params }),
  };
  parent.record.adopt(child.record);
  tell(shared, { type: "subagent_start", ...about }, prompt?.length ?? 0);
  try {
    return (await child.run()).output;
  } catch (cause) {
    return errorOutput(parent, cause);
  } finally {
    tell(shared, { type: "subagent_finish", ...about }, 0);
  }
}

/** @throws CodebuffRunError for invalid parameters */
async function assertFits({ params = {} }: SpawnOrder, { id, inputSchema }: AgentDefinition): Promise<void> {
  const schema = inputSchema?.["params"];
  if (schema == null) return;
  const result = await inputSchemaOf({ params: schema }, id).check({ params });
  if ("issues" in result)
    throw new CodebuffRunError({ kind: "bad_request", message: issuesText(id, result) });
}

function errorOutput({ setup: { shared } }: AgentWork, cause: unknown): RunOutput {
  const message = wordsOf(shared, cause);
  return cause instanceof CodebuffRunError
    ? { ...failureOutput(cause), message }
    : { type: "error", message };
}

/** The agent's id without publisher and version. */
function nameOf(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return name.split("@", 1)[0] ?? name;
}
