// Pure: the events, the usage and the result of a run.
import type { TurnResult } from "../core/turn/turn.ts";
import type { Cost, TurnToolCall, Usage } from "../core/values.ts";
import type {
  CodebuffRunEvent,
  CodebuffRunInputDelta,
  RunOutput,
  RunState,
  RunStopReason,
} from "./messages.ts";
import type { AnswerPiece, WrittenCall } from "./model/answer.ts";

/** The result of a run. */
export interface CodebuffRunResult extends TurnResult {
  /**
   * Including sub-agents: `credits` of the backend (100 a dollar, and 5.5 % of fees), or `usd` where a provider reports
   * dollars (`usage.cost`).
   */
  readonly cost?: Cost;
  /** Tokens, if the model's provider reports them. */
  readonly usage?: Usage;
  /**
   * Without calls that do not fit their tool: `error` events tell of those. With `onToolApproval`, a call that cannot run is
   * `failed`, and its `error` says why nobody was asked.
   */
  readonly toolCalls: readonly TurnToolCall[];
  /** The agent's output: its last messages, all messages, or an object. */
  readonly output: RunOutput;
  readonly stopReason: RunStopReason;
  /** Number of model answers, without those of sub-agents. */
  readonly steps: number;
  /** The model of the last answer: the agent's, or the one of `models` that answered. Absent if no model was asked. */
  readonly model?: string;
  /** The run's id on the backend. */
  readonly runId?: string;
  /** Pass it as `previousRun` to the next prompt. */
  readonly state: RunState;
}

export interface Spent {
  /** Of the backend. */
  credits: number;
  /** Of providers that report them. */
  dollars: number;
  usage: Usage | undefined;
}

export interface AgentSpeaker {
  /** `main-agent` for the root agent. */
  readonly id: string;
  readonly type: string;
  /** Undefined for the root agent. */
  readonly parentId: string | undefined;
  readonly ancestorRunIds: readonly string[];
}

export function textOfEvent(event: CodebuffRunEvent): string {
  return event.type === "chunk" ? event.chunk : "";
}

export function eventOf(
  piece: Exclude<AnswerPiece, { readonly type: "provider-call" }>,
  speaker: AgentSpeaker,
): CodebuffRunEvent {
  const { id, type, parentId, ancestorRunIds } = speaker;
  const { text } = piece;
  switch (piece.type) {
    case "text":
      return parentId === undefined
        ? { type: "chunk", chunk: text }
        : { type: "subagent_chunk", agentId: id, agentType: type, chunk: text };
    case "reasoning":
      return { type: "reasoning_chunk", agentId: id, ancestorRunIds, chunk: text };
    case "block":
      return parentId === undefined ? { type: "text", text } : { type: "text", text, agentId: id };
    case "arguments":
      return inputDelta(piece.call, text, speaker);
    default:
      return piece satisfies never;
  }
}

function inputDelta(
  { id: toolCallId, name: toolName }: WrittenCall,
  delta: string,
  { id: agentId, parentId: parentAgentId }: AgentSpeaker,
): CodebuffRunInputDelta {
  const agent = parentAgentId === undefined ? {} : { agentId, parentAgentId };
  return { type: "tool_input_delta", toolCallId, toolName, delta, ...agent };
}

/** Says that no call follows the pieces of its arguments. */
export function cutInput(call: WrittenCall, speaker: AgentSpeaker): CodebuffRunInputDelta {
  return { ...inputDelta(call, "", speaker), isCut: true };
}

export function sumOf(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  return {
    inputTokens: (one.inputTokens ?? 0) + (other.inputTokens ?? 0),
    outputTokens: (one.outputTokens ?? 0) + (other.outputTokens ?? 0),
  };
}

/** Tools whose results need no further model answer. */
const NOT_FORCING: ReadonlySet<string> = new Set([
  "think_deeply",
  "set_output",
  "set_messages",
  "add_message",
  "update_subgoal",
  "create_plan",
  "suggest_followups",
  "task_completed",
]);

export interface StepFacts {
  readonly ran: readonly string[];
  readonly badCalls: number;
  readonly text: string;
  /** Whether only `task_completed` ends the turn. */
  readonly isExplicit: boolean;
}

/** The text without `<think>` blocks. An unclosed block extends to the end. */
function spoken(text: string): string {
  return text.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, "").trim();
}

function forces(ran: readonly string[]): boolean {
  return ran.some((name) => !NOT_FORCING.has(name));
}

/** Whether a step had only reasoning, so that the agent goes on. */
export function isThinkOnly({ ran, badCalls, text }: StepFacts): boolean {
  return badCalls === 0 && !forces(ran) && text.trim() !== "" && spoken(text) === "";
}

/** How a step ends the agent's turn; `undefined`: the agent goes on. */
export function endOfStep(facts: StepFacts): "completed" | "task_completed" | "end_turn" | undefined {
  const { ran, badCalls, isExplicit } = facts;
  if (badCalls > 0) return undefined; // the agent corrects the call
  if (ran.includes("task_completed")) return "task_completed";
  if (ran.includes("end_turn")) return "end_turn";
  if (isExplicit || forces(ran) || isThinkOnly(facts)) return undefined;
  return "completed";
}

/** Credits with the backend; without it dollars, if a provider reports them. */
export function spentCost({ credits, dollars }: Spent, hasBackend: boolean): Cost | undefined {
  if (hasBackend) return { amount: credits, unit: "credits" };
  return dollars > 0 ? { amount: dollars, unit: "usd" } : undefined;
}
