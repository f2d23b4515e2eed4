// The wire: what an agent sends, as types, and how it is read. Wrong fields count as absent.
import { fieldsOf, isObject } from "../core/checks.ts";
import {
  type AcpContentBlock,
  type AcpToolContent,
  type AcpUnknownBlock,
  numberFields,
  readBlock,
  readList,
  readToolContent,
  textFields,
} from "./blocks.ts";

/** The only version of the protocol that this client speaks. */
export const PROTOCOL_VERSION = 1;

/** What a tool does, as the agent says. */
export type AcpToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

export type AcpToolStatus = "pending" | "in_progress" | "completed" | "failed";

/** A tool call, as far as the agent has described it. */
export interface AcpToolCall {
  readonly toolCallId: string;
  /** Words for the user. Not the command: that is in `rawInput`, if the agent says it. */
  readonly title?: string;
  readonly name?: string;
  readonly kind?: AcpToolKind;
  readonly status?: AcpToolStatus;
  readonly content?: readonly AcpToolContent[];
  /** May lie outside of the project. */
  readonly locations?: readonly { readonly path: string; readonly line?: number }[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

/** An entry of the agent's plan. */
export interface AcpPlanEntry {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly priority?: "high" | "medium" | "low";
}

/** Something to choose: a mode, a model, a value of an option. */
export interface AcpChoice {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** What can be chosen, and what is. */
export interface AcpChoices {
  readonly current: string;
  readonly available: readonly AcpChoice[];
}

/** An option of a session, for a settings page. */
export type AcpConfigOption = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Such as `mode`, `model`, `thought_level`. */
  readonly category?: string;
} & (
  | { readonly type: "select"; readonly current: string; readonly available: readonly AcpChoice[] }
  | { readonly type: "boolean"; readonly current: boolean }
);

/** A slash command of the agent. Send it as a prompt: `/name args`. */
export interface AcpCommand {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

export interface AcpCost {
  readonly amount: number;
  readonly currency: string;
}

/** The tokens of a turn, as the agent counts them. */
export interface AcpTokens {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly thoughtTokens?: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
}

/** An update of a session. */
export type Update =
  | {
      readonly type: "chunk";
      readonly from: "message" | "thought" | "user";
      readonly block: AcpContentBlock | AcpUnknownBlock;
      readonly messageId?: string;
      readonly usage?: AcpTokens;
    }
  | { readonly type: "call"; readonly isNew: boolean; readonly call: CallPatch }
  | { readonly type: "plan"; readonly entries: readonly AcpPlanEntry[] }
  | { readonly type: "commands"; readonly commands: readonly AcpCommand[] }
  | { readonly type: "mode"; readonly mode: string }
  | { readonly type: "options"; readonly options: readonly AcpConfigOption[] }
  | { readonly type: "info"; readonly title?: string; readonly updatedAt?: string }
  | { readonly type: "usage"; readonly used?: number; readonly size?: number; readonly cost?: AcpCost }
  | {
      readonly type: "notice";
      readonly severity: "info" | "warning" | "error";
      readonly title: string;
      readonly description?: string;
    }
  | {
      readonly type: "compaction";
      readonly state?: "started" | "completed";
      readonly summary?: string;
      readonly isPart?: true;
    }
  | { readonly type: "unknown"; readonly update: unknown };

/** A message about a call: the fields that it sets, and what agents say about it in `_meta`. */
export interface CallPatch extends AcpToolCall {
  /** The tool's name, in `_meta` of some agents. */
  readonly toolName?: string;
  /** New output of a terminal that the agent itself has made. */
  readonly terminalOutput?: string;
}

const KINDS: ReadonlySet<unknown> = new Set([
  ...["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"],
]);
const STATUSES: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed", "failed"]);
const CHUNKS: Readonly<Record<string, "message" | "thought" | "user">> = {
  agent_message_chunk: "message",
  agent_thought_chunk: "thought",
  user_message_chunk: "user",
};

/** Reads an update. An unknown or unreadable one is `unknown`. */
export function readUpdate(value: unknown): Update {
  const update = fieldsOf(value);
  const type = update["sessionUpdate"];
  const unknown: Update = { type: "unknown", update: value };
  switch (type) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
    case "user_message_chunk": {
      if (!isObject(update["content"])) return unknown;
      const usage = readTokens(fieldsOf(update["_meta"])["usage"]);
      return {
        type: "chunk",
        from: CHUNKS[type] ?? "message",
        block: readBlock(update["content"]),
        ...textFields(update, "messageId"),
        ...(usage ? { usage } : {}),
      };
    }
    case "tool_call":
    case "tool_call_update": {
      const call = readCallPatch(update);
      return call ? { type: "call", isNew: type === "tool_call", call } : unknown;
    }
    case "plan":
      return { type, entries: readList(update["entries"], readPlanEntry) };
    case "available_commands_update":
      return { type: "commands", commands: readList(update["availableCommands"], readCommand) };
    case "current_mode_update": {
      const mode = update["currentModeId"];
      return typeof mode === "string" ? { type: "mode", mode } : unknown;
    }
    case "config_option_update":
      return { type: "options", options: readOptions(update["configOptions"]) };
    case "session_info_update":
      return { type: "info", ...textFields(update, "title", "updatedAt") };
    case "usage_update": {
      const { amount, currency } = fieldsOf(update["cost"]);
      const isCost = typeof amount === "number" && Number.isFinite(amount) && typeof currency === "string";
      return {
        type: "usage",
        ...numberFields(update, "used", "size"),
        ...(isCost ? { cost: { amount, currency } } : {}),
      };
    }
    case "notice": {
      const { severity, title } = update;
      if (typeof title !== "string") return unknown;
      const known = severity === "warning" || severity === "error" ? severity : "info";
      return { type, severity: known, title, ...textFields(update, "description") };
    }
    case "compaction_update": {
      const { status } = update;
      const isOver = status === "completed" || status === "failed" || status === "cancelled";
      return {
        type: "compaction",
        state: isOver ? "completed" : "started",
        ...textFields(update, "summary"),
      };
    }
    case "compaction_summary_chunk": {
      const block = readBlock(update["content"]);
      return block.type === "text" ? { type: "compaction", summary: block.text, isPart: true } : unknown;
    }
    default:
      return unknown;
  }
}

/** Reads a message about a call. `null` and wrong fields count as absent. Undefined without an id. */
export function readCallPatch(value: unknown): CallPatch | undefined {
  const fields = fieldsOf(value);
  const { toolCallId, kind, status, content, locations, rawInput, rawOutput } = fields;
  if (typeof toolCallId !== "string") return undefined;
  const meta = fieldsOf(fields["_meta"]);
  const toolName = [meta, ...Object.values(meta)]
    .map((each) => fieldsOf(each)["toolName"])
    .find((name): name is string => typeof name === "string" && name !== "");
  const terminalOutput = fieldsOf(meta["terminal_output_delta"])["data"];
  return {
    toolCallId,
    ...textFields(fields, "title", "name"),
    ...(KINDS.has(kind) ? { kind: kind as AcpToolKind } : {}),
    ...(STATUSES.has(status) ? { status: status as AcpToolStatus } : {}),
    ...(Array.isArray(content) ? { content: readList(content, readToolContent) } : {}),
    ...(Array.isArray(locations) ? { locations: readList(locations, readLocation) } : {}),
    ...(rawInput === undefined || rawInput === null ? {} : { rawInput }),
    ...(rawOutput === undefined || rawOutput === null ? {} : { rawOutput }),
    ...(toolName === undefined ? {} : { toolName }),
    ...(typeof terminalOutput === "string" ? { terminalOutput } : {}),
  };
}

export function readTokens(value: unknown): AcpTokens | undefined {
  if (!isObject(value)) return undefined;
  const tokens = numberFields(
    value,
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "thoughtTokens",
    "cachedReadTokens",
    "cachedWriteTokens",
  );
  if (Object.keys(tokens).length > 0) return tokens;
  // The words of Qwen, and of Gemini.
  const { promptTokens, completionTokens } = numberFields(value, "promptTokens", "completionTokens");
  const { input_tokens, output_tokens } = numberFields(value, "input_tokens", "output_tokens");
  const inputTokens = promptTokens ?? input_tokens;
  const outputTokens = completionTokens ?? output_tokens;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

function readLocation(value: unknown): { readonly path: string; readonly line?: number } | undefined {
  const fields = fieldsOf(value);
  const { path } = fields;
  return typeof path === "string" && path !== "" ? { path, ...numberFields(fields, "line") } : undefined;
}

function readPlanEntry(value: unknown): AcpPlanEntry | undefined {
  const { content, status, priority } = fieldsOf(value);
  if (typeof content !== "string") return undefined;
  const isKnown = status === "in_progress" || status === "completed";
  const isPriority = priority === "high" || priority === "medium" || priority === "low";
  return { content, status: isKnown ? status : "pending", ...(isPriority ? { priority } : {}) };
}

function readCommand(value: unknown): AcpCommand | undefined {
  const fields = fieldsOf(value);
  const { name, description } = fields;
  if (typeof name !== "string") return undefined;
  const about = typeof description === "string" ? description : "";
  return { name, description: about, ...textFields(fieldsOf(fields["input"]), "hint") };
}

/** @param idName the name of the id: `id` of modes, `modelId` of models, `value` of values */
function readChoice(value: unknown, idName: string): AcpChoice | undefined {
  const fields = fieldsOf(value);
  const { [idName]: id, name } = fields;
  if (typeof id !== "string") return undefined;
  return { id, name: typeof name === "string" ? name : id, ...textFields(fields, "description") };
}

/** The modes or models in the answer to `session/new`, `load` or `resume`. */
export function readChoices(value: unknown, of: "mode" | "model"): AcpChoices | undefined {
  const fields = fieldsOf(value);
  const [list, current, id] =
    of === "mode"
      ? ["availableModes", "currentModeId", "id"]
      : ["availableModels", "currentModelId", "modelId"];
  const chosen = fields[current ?? ""];
  if (typeof chosen !== "string") return undefined;
  return { current: chosen, available: readList(fields[list ?? ""], (each) => readChoice(each, id ?? "")) };
}

export function readOptions(value: unknown): readonly AcpConfigOption[] {
  return readList(value, (each): AcpConfigOption | undefined => {
    const fields = fieldsOf(each);
    const { id, name, type, currentValue } = fields;
    if (typeof id !== "string") return undefined;
    const about = {
      id,
      name: typeof name === "string" ? name : id,
      ...textFields(fields, "description", "category"),
    };
    if (type === "boolean" && typeof currentValue === "boolean")
      return { ...about, type, current: currentValue };
    if (type !== "select" || typeof currentValue !== "string") return undefined;
    return { ...about, type, current: currentValue, available: valuesIn(fields["options"]) };
  });
}

/** The values of a select option: a list, or a list of groups. */
function valuesIn(options: unknown): readonly AcpChoice[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((each: unknown) => {
    const { options: group } = fieldsOf(each);
    if (Array.isArray(group)) return valuesIn(group);
    const choice = readChoice(each, "value");
    return choice ? [choice] : [];
  });
}
