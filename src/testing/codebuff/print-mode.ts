// Script steps for the events of agents.
import type { ToolOutput } from "./client-actions.ts";

/** The object chunks of the original server. */
export type PrintModeEvent =
  | { readonly type: "start"; readonly agentId?: string; readonly messageHistoryLength?: number }
  | { readonly type: "text"; readonly text: string; readonly agentId?: string }
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "download"; readonly version: string; readonly status: "complete" | "failed" }
  | ({ readonly type: "tool_call" } & ToolCallEventFields)
  | ({ readonly type: "tool_result" } & ToolResultEventFields)
  | { readonly type: "finish"; readonly agentId?: string; readonly totalCost: number }
  | ({ readonly type: "subagent_start" | "subagent_finish" } & SubAgentEventFields)
  | ({ readonly type: "reasoning_delta" } & ReasoningEventFields);

export interface ToolCallEventFields {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: { readonly [key: string]: unknown };
  readonly agentId?: string;
  readonly parentAgentId?: string;
  readonly includeToolCall?: boolean;
}

export interface ToolResultEventFields {
  readonly toolCallId: string;
  readonly output: ToolOutput;
  readonly toolName?: string;
  readonly parentAgentId?: string;
}

export interface SubAgentEventFields {
  readonly agentId: string;
  readonly agentType: string;
  readonly displayName: string;
  readonly onlyChild: boolean;
  readonly parentAgentId?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly prompt?: string;
}

export interface ReasoningEventFields {
  readonly text: string;
  readonly ancestorRunIds: readonly string[];
  readonly runId: string;
  readonly agentId: string;
}

/** An event as a step. */
export interface EventStep {
  readonly kind: "chunk";
  readonly chunk: PrintModeEvent;
}

const chunk = (event: PrintModeEvent): EventStep => ({ kind: "chunk", chunk: event });

/** Steps that send one event each. None of them ends a prompt. */
export const eventSteps = {
  /** The agent begins. The `print-mode` of the switch `chunks` sends one unless the script begins with it. */
  start: (fields: { readonly agentId?: string; readonly messageHistoryLength?: number } = {}) =>
    chunk({ type: "start", ...fields }),
  /** Repeats what string chunks before it have said, without their tool calls. */
  text: (text: string, fields: { readonly agentId?: string } = {}) =>
    chunk({ type: "text", text, ...fields }),
  /** Something went wrong, and the prompt goes on. */
  error: (message: string) => chunk({ type: "error", message }),
  download: (version: string, status: "complete" | "failed" = "complete") =>
    chunk({ type: "download", version, status }),
  toolCall: (fields: ToolCallEventFields) => chunk({ type: "tool_call", ...fields }),
  toolResult: (fields: ToolResultEventFields) => chunk({ type: "tool_result", ...fields }),
  /** The agent has ended, the prompt-response comes next. @param totalCost credits */
  finish: (totalCost: number, fields: { readonly agentId?: string } = {}) =>
    chunk({ type: "finish", ...fields, totalCost }),
  subAgentStart: (fields: SubAgentEventFields) => chunk({ type: "subagent_start", ...fields }),
  subAgentFinish: (fields: SubAgentEventFields) => chunk({ type: "subagent_finish", ...fields }),
  reasoningDelta: (fields: ReasoningEventFields) => chunk({ type: "reasoning_delta", ...fields }),
};

type Chunk = string | object;

/**
 * The chunks of one answer as the original server sends them: `start` first, the text of strings repeated in
 * a `text` event before anything else comes, `finish` at the end. What the script sends of these itself is
 * not added again.
 */
export class PrintModeStream {
  readonly #agentId: string;
  readonly #historyLength: number;
  #started = false;
  #finished = false;
  #unrepeated = "";

  constructor(agentId: string, historyLength: number) {
    this.#agentId = agentId;
    this.#historyLength = historyLength;
  }

  /** A chunk of the script, behind those that it needs before it. */
  chunk(chunk: Chunk): readonly Chunk[] {
    if (typeof chunk === "string") {
      const before = this.#start();
      this.#unrepeated += chunk;
      return [...before, chunk];
    }
    const type = "type" in chunk ? chunk.type : undefined;
    if (type === "start") this.#started = true;
    if (type === "text") this.#unrepeated = "";
    if (type === "finish") this.#finished = true;
    return [...this.interlude(), chunk];
  }

  /** What must be out before something that is no chunk. */
  interlude(): readonly Chunk[] {
    const start = this.#start();
    const text = this.#unrepeated;
    this.#unrepeated = "";
    return text === "" ? start : [...start, { type: "text", text } satisfies PrintModeEvent];
  }

  /** What must be out before the prompt-response. */
  end(totalCost: number): readonly Chunk[] {
    const before = this.interlude();
    if (this.#finished) return before;
    this.#finished = true;
    return [...before, { type: "finish", agentId: this.#agentId, totalCost } satisfies PrintModeEvent];
  }

  /** Nothing more of what was said or begun is to be repeated. */
  cut(): void {
    this.#started = true;
    this.#unrepeated = "";
  }

  #start(): readonly Chunk[] {
    if (this.#started) return [];
    this.#started = true;
    const [agentId, messageHistoryLength] = [this.#agentId, this.#historyLength];
    return [{ type: "start", agentId, messageHistoryLength } satisfies PrintModeEvent];
  }
}
