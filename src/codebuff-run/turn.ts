// Pure: the events, the usage and the result of a run.
import type { TurnResult } from "../core/turn/turn.ts";
import type { Cost, TurnToolCall, Usage } from "../core/values.ts";
import type { CodebuffRunEvent, RunOutput, RunState, RunStopReason } from "./messages.ts";
import type { Piece } from "./model/answer.ts";

/** The result of a run. */
export interface CodebuffRunResult extends TurnResult {
  /** In credits, with those of sub-agents. Absent without the backend. */
  readonly cost?: Cost;
  /** Tokens, where the model's provider counts them. */
  readonly usage?: Usage;
  readonly toolCalls: readonly TurnToolCall[];
  /** What the agent has produced: its last message, all messages, or an object. */
  readonly output: RunOutput;
  readonly stopReason: RunStopReason;
  /** Answers of the model, without those of sub-agents. */
  readonly steps: number;
  /** The id of the run on the backend. */
  readonly runId?: string;
  /** The state to go on from: `previousRun` of the next prompt. */
  readonly state: RunState;
}

/** What a run has used so far, with its sub-agents. */
export interface Spent {
  credits: number;
  usage: Usage | undefined;
}

/** The agent that speaks. */
export interface Speaker {
  /** `main-agent` for the root. */
  readonly id: string;
  readonly type: string;
  /** Undefined for the root. */
  readonly parentId: string | undefined;
  readonly ancestorRunIds: readonly string[];
}

export function textOf(event: CodebuffRunEvent): string {
  return event.type === "chunk" ? event.chunk : "";
}

/** The event for a piece of an answer. */
export function eventOf(
  piece: Exclude<Piece, { readonly type: "provider-call" }>,
  { id, type, parentId, ancestorRunIds }: Speaker,
): CodebuffRunEvent {
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
    default:
      return piece satisfies never;
  }
}

/** Adds up tokens. */
export function sumOf(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  return {
    inputTokens: (one.inputTokens ?? 0) + (other.inputTokens ?? 0),
    outputTokens: (one.outputTokens ?? 0) + (other.outputTokens ?? 0),
  };
}

/** Tools that ask for no further answer of the model. */
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

/** What a step of the model has brought, for the rule below. */
export interface StepFacts {
  /** The names of the calls that ran. */
  readonly ran: readonly string[];
  readonly badCalls: number;
  readonly text: string;
  /** Whether the agent must say `task_completed` to end. */
  readonly isExplicit: boolean;
}

/** Text that is left without the model's thoughts. An unclosed thought goes on to the end. */
function spoken(text: string): string {
  return text.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, "").trim();
}

/** Whether the model must see a result. */
function forces(ran: readonly string[]): boolean {
  return ran.some((name) => !NOT_FORCING.has(name));
}

/** Whether a step was thinking alone: the agent goes on. */
export function isThinkOnly({ ran, badCalls, text }: StepFacts): boolean {
  return badCalls === 0 && !forces(ran) && text.trim() !== "" && spoken(text) === "";
}

/** How a step ends the agent's turn; `undefined`: it goes on. */
export function endOf(facts: StepFacts): "completed" | "task_completed" | "end_turn" | undefined {
  const { ran, badCalls, isExplicit } = facts;
  if (badCalls > 0) return undefined; // the agent corrects the call
  if (ran.includes("task_completed")) return "task_completed";
  if (ran.includes("end_turn")) return "end_turn";
  if (isExplicit || forces(ran) || isThinkOnly(facts)) return undefined;
  return "completed";
}
