// The events of Codebuff's agents, the same on every Codebuff backend, with their checks.
import { isObject } from "../core/checks.ts";

/** One part of a tool's output. */
export type ToolOutput =
  | { readonly type: "json"; readonly value: unknown }
  | {
      readonly type: "media";
      /** Base64. */
      readonly data: string;
      readonly mediaType: string;
    };

export function isToolOutput(value: unknown): value is ToolOutput {
  if (!isObject(value)) return false;
  if (value["type"] === "json") return value["value"] !== undefined;
  return (
    value["type"] === "media" && typeof value["data"] === "string" && typeof value["mediaType"] === "string"
  );
}

/** An event of a Codebuff agent, in the same format on every backend. Older programs omit some fields. */
export type PrintModeEvent =
  | {
      readonly type: "start";
      /** The type of the agent that ran before. */
      readonly agentId?: string;
      readonly messageHistoryLength?: number;
      readonly model?: string;
    }
  /** A complete block of text. `agentId` is set for a sub-agent only. */
  | { readonly type: "text"; readonly text: string; readonly agentId?: string }
  /** An error that does not end the prompt. With `source`, the agent corrects the problem itself. */
  | {
      readonly type: "error";
      readonly message: string;
      readonly source?: string;
    }
  /** The first run of the program on this machine downloads the program. */
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
      readonly type: "tool_progress";
      readonly toolCallId: string;
      readonly output: string;
      readonly toolName?: string;
      readonly parentAgentId?: string;
    }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly output: readonly ToolOutput[];
      readonly toolName?: string;
      readonly parentAgentId?: string;
    }
  /** An agent has finished, and the prompt is about to end. `agentId` is the agent's type. */
  | { readonly type: "finish"; readonly totalCost: number; readonly agentId?: string }
  | {
      readonly type: "subagent_start" | "subagent_finish";
      readonly agentId: string;
      readonly agentType: string;
      readonly displayName: string;
      readonly onlyChild: boolean;
      readonly model?: string;
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
    }
  /** A text delta of a sub-agent. */
  | {
      readonly type: "subagent_chunk";
      readonly agentId: string;
      readonly agentType: string;
      readonly chunk: string;
    }
  /** A reasoning delta of an agent. */
  | {
      readonly type: "reasoning_chunk";
      readonly agentId: string;
      readonly ancestorRunIds: readonly string[];
      readonly chunk: string;
    };

type Kind = "string" | "number" | "boolean" | "object" | "strings" | "outputs";

type Fields = Readonly<Record<string, Kind>>;

/** Required and optional fields of each event. Unknown fields are allowed. */
type Shape = readonly [required: Fields, optional: Fields];

const SUBAGENT: Shape = [
  { agentId: "string", agentType: "string", displayName: "string", onlyChild: "boolean" },
  { model: "string", parentAgentId: "string", params: "object", prompt: "string" },
];

const SHAPES: Readonly<Record<PrintModeEvent["type"], Shape>> = {
  start: [{}, { agentId: "string", messageHistoryLength: "number", model: "string" }],
  text: [{ text: "string" }, { agentId: "string" }],
  error: [{ message: "string" }, { source: "string" }],
  download: [{ version: "string", status: "string" }, {}],
  tool_call: [
    { toolCallId: "string", toolName: "string", input: "object" },
    { agentId: "string", parentAgentId: "string", includeToolCall: "boolean" },
  ],
  tool_progress: [
    { toolCallId: "string", output: "string" },
    { toolName: "string", parentAgentId: "string" },
  ],
  tool_result: [
    { toolCallId: "string", output: "outputs" },
    { toolName: "string", parentAgentId: "string" },
  ],
  finish: [{ totalCost: "number" }, { agentId: "string" }],
  subagent_start: SUBAGENT,
  subagent_finish: SUBAGENT,
  reasoning_delta: [{ text: "string", ancestorRunIds: "strings", runId: "string" }, { agentId: "string" }],
  subagent_chunk: [{ agentId: "string", agentType: "string", chunk: "string" }, {}],
  reasoning_chunk: [{ agentId: "string", ancestorRunIds: "strings", chunk: "string" }, {}],
};

interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly isOptional: boolean;
}

const fieldsOf = (fields: Fields, isOptional: boolean): readonly Field[] =>
  Object.entries(fields).map(([name, kind]) => ({ name, kind, isOptional }));

/** The shapes as lists. Built once: building them costs more than checking one event. */
const FIELDS = /* @__PURE__ */ fieldsByType(); // lets bundlers drop the shapes from apps that do not use them

function fieldsByType(): ReadonlyMap<string, readonly Field[]> {
  return new Map(
    Object.entries(SHAPES).map(([type, [required, optional]]) => [
      type,
      [...fieldsOf(required, false), ...fieldsOf(optional, true)],
    ]),
  );
}

/**
 * Whether a value is an agent event with all required fields. Optional fields have the right type or are absent (not
 * null).
 *
 * @example
 * if (event.type === "response-chunk" && isPrintModeEvent(event.chunk) && event.chunk.type === "tool_call") {
 *   console.log(event.chunk.toolName);
 * }
 */
export function isPrintModeEvent(chunk: unknown): chunk is PrintModeEvent {
  if (!isObject(chunk)) return false;
  const { type } = chunk;
  const fields = typeof type === "string" ? FIELDS.get(type) : undefined;
  if (!fields) return false;
  for (const { name, kind, isOptional } of fields) {
    const value = chunk[name];
    if (!(isOptional && value === undefined) && !isOf(kind, value)) return false;
  }
  return true;
}

/** Whether this event type is known. Does not check the fields. */
export function isPrintModeType(type: string): boolean {
  return FIELDS.has(type);
}

/** Whether the field is optional in this event type. */
export function isOptionalField(type: string, name: string): boolean {
  return FIELDS.get(type)?.some((field) => field.name === name && field.isOptional) ?? false;
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "object") return isObject(value);
  if (kind === "strings") return isListOfStrings(value);
  if (kind === "outputs") return Array.isArray(value) && value.every(isToolOutput);
  return typeof value === kind;
}

export function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
