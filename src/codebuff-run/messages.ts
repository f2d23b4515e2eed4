// The events and history of a run; the requests and chunks of the model's API, with checks.
import type { PrintModeEvent, ToolOutput } from "../codebuff-events/print-mode.ts";
import { fieldsOf, isObject } from "../core/checks.ts";
import type { RunFailure } from "./state/failure.ts";

/** A text delta of the root agent. A later `text` event repeats the complete block. */
export interface CodebuffRunChunk {
  readonly type: "chunk";
  readonly chunk: string;
}

/** Which files of the project the agent's prompts may hold, at the start of a conversation. */
export interface CodebuffRunProject {
  readonly type: "project";
  /** The paths of knowledge files. Their text is the project's. */
  readonly files: readonly string[];
  /** What could not be told, in words for the user. */
  readonly problems: readonly string[];
}

/**
 * A piece of a tool call's arguments, as the model writes them. The `tool_call` with the whole input follows. Arguments
 * that arrive in one piece have no such event.
 */
export interface CodebuffRunInputDelta {
  readonly type: "tool_input_delta";
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON. Not valid before its end. */
  readonly delta: string;
  /** No `tool_call` follows: the answer broke off, or the arguments do not fit. */
  readonly isCut?: true;
  /** For a sub-agent only. */
  readonly agentId?: string;
  readonly parentAgentId?: string;
}

/**
 * An event of a run: those of Codebuff's SDK and command line, and `chunk`, `tool_input_delta` and `project`.
 * `reasoning_delta` and `download` never occur.
 */
export type CodebuffRunEvent = PrintModeEvent | CodebuffRunChunk | CodebuffRunInputDelta | CodebuffRunProject;

/** One part of a message in the history. */
export type RunPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly image: string; readonly mediaType?: string }
  | { readonly type: "reasoning"; readonly text: string }
  | RunCallPart;

/** A tool call in the history. */
export interface RunCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export const USER_PROMPT = "USER_PROMPT";

/** A message of the history. Assistant messages of this library have one part. */
export type RunMessage =
  | {
      readonly role: "system" | "user" | "assistant";
      readonly content: readonly RunPart[];
      readonly tags?: readonly string[];
      /** ms since 1970. */
      readonly sentAt?: number;
    }
  | RunToolMessage;

/** The result of a tool call. */
export interface RunToolMessage {
  readonly role: "tool";
  readonly toolName: string;
  readonly toolCallId: string;
  readonly content: readonly ToolOutput[];
}

/** The output of a run. `error` is in run states only, never in a result. */
export type RunOutput =
  | { readonly type: "lastMessage" | "allMessages"; readonly value: readonly RunMessage[] }
  | { readonly type: "structuredOutput"; readonly value: Readonly<Record<string, unknown>> | null }
  | {
      readonly type: "error";
      readonly message: string;
      readonly statusCode?: number;
      /** The server's code, such as `account_suspended`. */
      readonly error?: string;
      /** Why free mode is refused in a country. */
      readonly countryCode?: string;
      readonly countryBlockReason?: string;
      readonly ipPrivacySignals?: readonly unknown[];
    };

/** How a run ended. */
export type RunStopReason = "completed" | "task_completed" | "end_turn" | "max_steps" | "cancelled" | "error";

/** The state of an agent. Fields of other versions are kept. */
export interface RunAgentState {
  readonly agentId: string;
  readonly agentType: string | null;
  readonly messageHistory: readonly RunMessage[];
  readonly stepsRemaining: number;
  /** Credits of this run, including its sub-agents. */
  readonly creditsUsed: number;
  readonly directCreditsUsed: number;
  readonly contextTokenCount?: number;
  readonly runId?: string;
  readonly output?: Readonly<Record<string, unknown>>;
}

/** The state of a run, for the next run or for Codebuff's SDK: a JSON value. Unknown fields are kept. */
export interface RunState {
  readonly sessionState?: {
    readonly mainAgentState: RunAgentState;
    /** Facts about the project, for agents. */
    readonly fileContext: Readonly<Record<string, unknown>>;
  };
  readonly output: RunOutput;
  readonly stopReason?: RunStopReason;
  /** Why the run failed. */
  readonly failure?: RunFailure;
  /** Set in a state of `onState`: the run had not ended. */
  readonly underWay?: RunUnderWay;
}

/** What a run had begun when its state was saved. */
export interface RunUnderWay {
  readonly version: 1;
  /** Messages in the history. A state with another number was cut, and is refused. */
  readonly messages: number;
  /** Calls without a result, not in the history. It is not known whether they ran. */
  readonly openCalls: readonly RunCallPart[];
}

/** A fragment of a tool call in a chunk. */
export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
}

/** A call that the model's provider runs itself, or its result. The client only shows it. */
export type ProviderCall =
  | { readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly id: string; readonly name: string; readonly result: unknown; readonly isError: boolean };

/** A chunk of a model's answer, as OpenAI's API streams it. Unknown fields are allowed. */
export interface ChatChunk {
  readonly id?: string;
  readonly choices?: readonly {
    readonly index?: number;
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning?: string | null;
      /** The name of `reasoning` in LiteLLM, DeepSeek and others. */
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly ToolCallDelta[] | null;
      /** Calls that the provider runs itself, and their results. Not in OpenAI's API. */
      readonly provider_calls?: readonly ProviderCall[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: ChatUsage | null;
}

export interface ChatUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  /** In dollars. */
  readonly cost?: number;
  readonly cost_details?: { readonly upstream_inference_cost?: number | null };
}

/** Asks the model's provider to store the prompt up to here. Form of Anthropic's API. */
export interface CacheControl {
  readonly type: "ephemeral";
}

/** A message of a chat request. User messages have their mark on the last part. */
export type ModelMessage =
  | { readonly role: "system"; readonly content: string; readonly cache_control?: CacheControl }
  | { readonly role: "user"; readonly content: readonly ModelPart[] }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly type: "function";
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
      readonly cache_control?: CacheControl;
    }
  | {
      readonly role: "tool";
      readonly tool_call_id: string;
      readonly content: string;
      readonly cache_control?: CacheControl;
    };

export type ModelPart = (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
) & { readonly cache_control?: CacheControl };

/** A tool as a model sees it. */
export interface ChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/**
 * The body of `POST /api/v1/chat/completions`. Only the backend gets `codebuff_metadata` and `provider`; only providers
 * get `provider_options`, which is not in OpenAI's API.
 */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: true;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: "auto";
  readonly reasoning?: object;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
  readonly stop?: readonly string[];
  readonly response_format?:
    | { readonly type: "json_object" }
    | {
        readonly type: "json_schema";
        readonly json_schema: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
      };
  readonly provider_options?: Readonly<Record<string, unknown>>;
  readonly provider?: object;
  readonly codebuff_metadata?: Readonly<Record<string, unknown>>;
}

export type ChatMessageRead =
  | { readonly type: "chunk"; readonly chunk: ChatChunk }
  /** The provider failed while it was streaming. */
  | { readonly type: "error"; readonly message: string; readonly status?: number; readonly code?: string }
  | { readonly type: "malformed"; readonly problem: string };

/** Reads the data of one server-sent event. Never throws. */
export function readChatMessage(value: unknown): ChatMessageRead {
  if (!isObject(value)) return { type: "malformed", problem: "a message that is no object" };
  const { error } = value;
  if (error != null) return readError(error);
  if (isChatChunk(value)) return { type: "chunk", chunk: value };
  return { type: "malformed", problem: "a chunk with a field of the wrong type" };
}

function readError(error: unknown): ChatMessageRead {
  if (typeof error === "string") return { type: "error", message: error };
  const { message, code } = fieldsOf(error);
  const word = codeIn(error);
  return {
    type: "error",
    message: typeof message === "string" ? message : "the model's provider has failed",
    ...(typeof code === "number" ? { status: code } : {}),
    ...(word === undefined ? {} : { code: word }),
  };
}

/** The code of an OpenAI error, or else its type. Skips numbers: some servers send the status. */
export function codeIn(error: unknown): string | undefined {
  const { code, type } = fieldsOf(error);
  return [code, type].find((word): word is string => typeof word === "string" && !/^\d*$/.test(word));
}

/** Written by hand for speed: runs for each chunk. */
function isChatChunk(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & ChatChunk {
  const { id, choices, usage } = value;
  if (id != null && typeof id !== "string") return false;
  if (usage != null && !isUsage(usage)) return false;
  if (choices == null) return true;
  return Array.isArray(choices) && choices.every(isChoice);
}

function isChoice(choice: unknown): boolean {
  if (!isObject(choice)) return false;
  const { index, delta, finish_reason } = choice;
  if (index != null && typeof index !== "number") return false;
  if (finish_reason != null && typeof finish_reason !== "string") return false;
  if (delta == null) return true;
  if (!isObject(delta)) return false;
  const { content, reasoning, reasoning_content, tool_calls, provider_calls } = delta;
  return (
    [content, reasoning, reasoning_content].every(isTextOrNone) &&
    (tool_calls == null || (Array.isArray(tool_calls) && tool_calls.every(isFragment))) &&
    (provider_calls === undefined || (Array.isArray(provider_calls) && provider_calls.every(isProviderCall)))
  );
}

function isProviderCall(call: unknown): boolean {
  const { id, name, arguments: text, result } = fieldsOf(call);
  return (
    typeof id === "string" && typeof name === "string" && (typeof text === "string" || result !== undefined)
  );
}

function isFragment(fragment: unknown): boolean {
  if (!isObject(fragment)) return false;
  const { index, id } = fragment;
  if (index != null && typeof index !== "number") return false;
  const called = fragment["function"];
  if (called == null) return isTextOrNone(id);
  return (
    isObject(called) && isTextOrNone(id) && isTextOrNone(called["name"]) && isTextOrNone(called["arguments"])
  );
}

function isUsage(usage: unknown): boolean {
  if (!isObject(usage)) return false;
  const { prompt_tokens, completion_tokens, cost, cost_details } = usage;
  return [prompt_tokens, completion_tokens, cost].every(isNumberOrNone) && isCost(cost_details);
}

function isCost(details: unknown): boolean {
  return details == null || (isObject(details) && isNumberOrNone(details["upstream_inference_cost"]));
}

function isTextOrNone(value: unknown): boolean {
  return value == null || typeof value === "string";
}

function isNumberOrNone(value: unknown): boolean {
  return value == null || typeof value === "number";
}
