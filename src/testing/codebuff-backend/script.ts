// The types of the model's script.
import type { Clock } from "../../core/clock.ts";
import type { BackendChat } from "./chat-request.ts";
import type { BackendEndpoint } from "./record.ts";

/**
 * The model's answers to chat calls: a list of answers, a list with faults (both can be JSON), or a function that is
 * called for each chat call.
 *
 * Each run uses each answer of a list once: first an answer whose `match` fits, otherwise the next answer without
 * `match`. After the last answer, a run gets a fixed text, and `scriptExhausted` is true. A list that a function
 * returns follows the same rules, so a function can return a list per agent.
 *
 * @example
 * ```ts
 * const answer: BackendScript = [
 *   { text: ["I will ", "look."], toolCalls: [{ name: "read_files", arguments: { paths: ["a.ts"] } }] },
 *   "All done.",
 * ];
 * ```
 */
export type BackendScript = readonly BackendReply[] | BackendScriptFile | BackendAnswerer;

/** Answers and faults, in the form of a JSON file. */
interface BackendScriptFile {
  readonly answers: readonly BackendReply[];
  /** Set together with the script. See `fault()`. */
  readonly faults?: { readonly [endpoint in BackendEndpoint]?: readonly BackendFaultOptions[] };
}

/** Answers one chat call. If it throws, the answer is HTTP 500. */
type BackendAnswerer = (
  context: BackendAnswerContext,
) => BackendReply | readonly BackendReply[] | PromiseLike<BackendReply | readonly BackendReply[]>;

/** A chat call, as the script sees it. */
export interface BackendAnswerContext {
  readonly request: BackendChat;
  /** The agent name from START; null for a call without a run. */
  readonly agentId: string | null;
  /** Null with `openAiCompatible`, which has no runs. */
  readonly runId: string | null;
  /** 1 for the first answered call of the run, and so on. Without runs, the count is for the whole server. */
  readonly call: number;
  readonly userId: string;
  /** Aborted when the client leaves or the server stops. */
  readonly signal: AbortSignal;
  /** The server's clock. */
  readonly clock: Clock;
}

/** One answer; a string is a text. */
export type BackendReply = string | BackendAnswer;

/**
 * A gate, at which the stream waits: a promise, or a function that the stream calls and awaits. The function may also
 * act at this point, for example abort the run. A rejection cuts the connection.
 */
export type BackendGate = PromiseLike<unknown> | ((stream: { readonly signal: AbortSignal }) => unknown);

/** One answer of the model. Sent in this order: reasoning, text, tool calls, `parts`, finish, usage, `[DONE]`. */
export interface BackendAnswer {
  /** Which calls get this answer. @default every call, in list order */
  readonly match?: BackendMatch;
  /** One `delta.reasoning` for each string. */
  readonly reasoning?: string | readonly (string | BackendGate)[];
  /** One `delta.content` for each string. With `codebuff_metadata.n` in the request: one text for each string. */
  readonly text?: string | readonly (string | BackendGate)[];
  readonly toolCalls?: readonly (BackendToolCall | BackendGate)[];
  /** Text, reasoning and tool calls in any order. */
  readonly parts?: readonly BackendPart[];
  /** `finish_reason`. @default "tool_calls" with tool calls, else "stop" */
  readonly finish?: string;
  readonly usage?: BackendUsage;
  /** The raw body of the stream, instead of all other fields. Of `sse`, only `chunkBytes` and `gzip` apply. */
  readonly frames?: readonly (string | Uint8Array | BackendGate)[];
  /** ms of the server's clock before the answer begins. @default 0 */
  readonly delayMs?: number;
  /** ms of the server's clock between frames. @default 0 */
  readonly gapMs?: number;
  /** A provider's refusal, instead of an answer. */
  readonly refused?: BackendRefusal;
  /** Stream switches for this answer. They override the server's. */
  readonly sse?: BackendSse;
}

/** All given fields must match. */
export interface BackendMatch {
  readonly agentId?: string;
  /** 1 for the first call of the run. */
  readonly call?: number;
  readonly model?: string;
}

/** Exactly one of the three fields, or a gate. */
type BackendPart =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly toolCall: BackendToolCall }
  | BackendGate;

/** A tool call of the model. */
export interface BackendToolCall {
  readonly name: string;
  /** @default {} */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The raw arguments, for invalid JSON, instead of `arguments`. Empty: no arguments fragment. */
  readonly rawArguments?: string;
  /** The number of frames of the arguments. @default 1 */
  readonly fragments?: number;
  /** @default `call_0` for the first call of an answer, and so on; ids repeat in each step */
  readonly id?: string;
}

/** The cost of the answer. */
export interface BackendUsage {
  /** In dollars. The client converts it to credits. @default 0 */
  readonly cost?: number;
  /** `cost_details.upstream_inference_cost`, in dollars. @default 0 */
  readonly upstream_inference_cost?: number;
  /** @default 100 */
  readonly prompt_tokens?: number;
  /** @default 20 */
  readonly completion_tokens?: number;
  /** `prompt_tokens_details.cached_tokens`. @default 0 */
  readonly cached_tokens?: number;
  /** `completion_tokens_details.reasoning_tokens`. @default 0 */
  readonly reasoning_tokens?: number;
}

/** A provider's refusal: `{"error":{"message","code","type","param","metadata"}}`. */
interface BackendRefusal {
  /** The HTTP status, also `error.code`. @default 400 */
  readonly status?: number;
  /** @default "Provider returned error" */
  readonly message?: string;
  /** @default "invalid_request_error" */
  readonly type?: string;
}

/** The default script. */
export const helloScript: BackendScript = () => "Hello!";

/** The answer to a run that has used up the script. */
export const EXHAUSTED = "The script has ended.";

/** How requests to an endpoint fail. The fault precedes all other checks. */
export interface BackendFaultOptions {
  /** The HTTP status. @default 200 with a `body` or `raw` */
  readonly status?: number;
  /** The JSON of the answer. @default the real server's answer for this status */
  readonly body?: unknown;
  /** The raw body of the answer, instead of JSON. */
  readonly raw?: string | Uint8Array;
  /** Response headers. `content-type: application/json` is added, except with `raw`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** ms of the server's clock before the fault. Without another field, the usual answer follows. @default 0 */
  readonly delayMs?: number;
  /** Never answers. @default false */
  readonly hang?: boolean;
  /** Resets the connection without an answer. @default false */
  readonly reset?: boolean;
  /** How many requests fail. @default all */
  readonly times?: number;
  /** The number of the first failing request, counted since the fault was set. @default 1 */
  readonly call?: number;
  /** Only for `agent-runs`: requests with this action. @default both */
  readonly when?: "START" | "FINISH";
}

/** How an answer is streamed. Frame counts are counts of `data:` blocks, including `[DONE]`. */
export interface BackendSse {
  // Framing

  /** Bytes in each write. @default one frame in each write */
  readonly chunkBytes?: number;
  /** CR LF line endings. @default false */
  readonly crlf?: boolean;
  /** CR line endings. @default false */
  readonly cr?: boolean;
  /** No `: connected` comment. @default false */
  readonly noConnected?: boolean;
  /** ms of the server's clock between `: heartbeat` comments; 0 for none. @default 30000 */
  readonly heartbeatMs?: number;
  /** Splits the JSON of each frame into several `data:` lines. @default false */
  readonly multiData?: boolean;

  // Content

  /** No `[DONE]`. @default false */
  readonly noDone?: boolean;
  /** No frame with a `finish_reason`. @default false */
  readonly noFinish?: boolean;
  /** No `usage`. @default false */
  readonly noUsage?: boolean;
  /** `usage` is on the frame with the `finish_reason`, not on a separate frame. @default false */
  readonly usageOnFinish?: boolean;
  /** Tool calls without ids. @default false */
  readonly noToolIds?: boolean;
  /** All tool calls of an answer have the id `call_0`. @default false */
  readonly repeatToolIds?: boolean;
  /** A frame with `choices: []` after the first frame. @default false */
  readonly emptyChoices?: boolean;
  /** A text frame of the choice with index 1 after each text. @default false */
  readonly extraChoice?: boolean;

  // Faults after this number of frames

  /** The connection ends without the end of the body. */
  readonly cutAfter?: number;
  /** The body ends. */
  readonly endAfter?: number;
  /** A frame with `{"error":{...}}`; then the body ends. */
  readonly errorAfter?: number;
  /** A frame with invalid JSON; the stream continues. */
  readonly badJsonAfter?: number;
  /** The stream sends nothing more, not even heartbeats. */
  readonly stallAfter?: number;

  // Answers that are not streamed

  /** 200 with one JSON object. @default false */
  readonly asJson?: boolean;
  /** 502 with an HTML page. @default false */
  readonly html502?: boolean;
  /** 307 redirect to this origin. */
  readonly redirect?: string;
  /** Compresses the stream, even if the client does not accept it. @default false */
  readonly gzip?: boolean;
}
