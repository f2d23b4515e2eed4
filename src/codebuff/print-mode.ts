import { isObject } from "../core/client-options.ts";
import { isListOfStrings, isToolOutput, type ToolOutput } from "./extensions.ts";
import type { ChunkObject } from "./messages.ts";

/** What an object chunk of the original server says; fields marked optional came with later versions. */
export type PrintModeEvent =
  | { readonly type: "start"; readonly agentId?: string; readonly messageHistoryLength?: number }
  | { readonly type: "text"; readonly text: string; readonly agentId?: string }
  /** Something went wrong; the prompt goes on. */
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "download"; readonly version: string; readonly status: string }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly agentId?: string;
      readonly parentAgentId?: string;
      readonly includeToolCall?: boolean;
    }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly output: readonly ToolOutput[];
      readonly toolName?: string;
      readonly parentAgentId?: string;
    }
  /** An agent is done; the prompt's own end follows. */
  | { readonly type: "finish"; readonly totalCost: number; readonly agentId?: string }
  | {
      readonly type: "subagent_start" | "subagent_finish";
      readonly agentId: string;
      readonly agentType: string;
      readonly displayName: string;
      readonly onlyChild: boolean;
      readonly parentAgentId?: string;
      readonly params?: Readonly<Record<string, unknown>>;
      readonly prompt?: string;
    }
  | {
      readonly type: "reasoning_delta";
      readonly text: string;
      readonly ancestorRunIds: readonly string[];
      readonly runId: string;
      readonly agentId?: string;
    };

type Kind = "string" | "number" | "boolean" | "object" | "strings" | "outputs";

const SUBAGENT: Readonly<Record<string, Kind>> = {
  agentId: "string",
  agentType: "string",
  displayName: "string",
  onlyChild: "boolean",
};

/** The fields that each event must have. */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  start: {},
  text: { text: "string" },
  error: { message: "string" },
  download: { version: "string", status: "string" },
  tool_call: { toolCallId: "string", toolName: "string", input: "object" },
  tool_result: { toolCallId: "string", output: "outputs" },
  finish: { totalCost: "number" },
  subagent_start: SUBAGENT,
  subagent_finish: SUBAGENT,
  reasoning_delta: { text: "string", ancestorRunIds: "strings", runId: "string" },
};

/** The fields that an event may have; one of another kind makes it no event that can be relied on. */
const OPTIONAL: Readonly<Record<string, Kind>> = {
  agentId: "string",
  parentAgentId: "string",
  toolName: "string",
  prompt: "string",
  params: "object",
  messageHistoryLength: "number",
  includeToolCall: "boolean",
};

/**
 * Whether a chunk is one of the original server's events, with every field of its type in place.
 *
 * @example
 * if (event.type === "response-chunk" && isPrintModeEvent(event.chunk) && event.chunk.type === "tool_call") {
 *   console.log(event.chunk.toolName);
 * }
 */
export function isPrintModeEvent(chunk: string | ChunkObject): chunk is PrintModeEvent {
  if (!isObject(chunk) || typeof chunk["type"] !== "string") return false;
  const { type } = chunk;
  const required = Object.hasOwn(REQUIRED, type) ? REQUIRED[type] : undefined;
  if (!required) return false;
  return (
    Object.entries(required).every(([name, kind]) => isOf(kind, chunk[name])) &&
    Object.entries(OPTIONAL).every(([name, kind]) => chunk[name] === undefined || isOf(kind, chunk[name]))
  );
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "object") return isObject(value);
  if (kind === "strings") return isListOfStrings(value);
  if (kind === "outputs") return Array.isArray(value) && value.every(isToolOutput);
  return typeof value === kind;
}
