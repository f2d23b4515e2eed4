// The language of scripts for the model's answers, as types.
import type { Clock } from "../../core/clock.ts";
import type { BackendChat } from "./chat-request.ts";
import type { BackendEndpoint } from "./record.ts";

/**
 * What the model says to chat calls: a list of answers, the same list with faults beside it (both can be JSON), or a function
 * that is asked for each call.
 *
 * In a list, each run uses each answer once: first an answer whose `match` fits, else the next one without `match`. A run that
 * outlives its list gets a fixed text, and `scriptExhausted` is set. A list that a function returns is used in the same way, so
 * the function can give each agent a list of its own.
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

/** Answers and faults, as they can stand in a JSON file. */
export interface BackendScriptFile {
  readonly answers: readonly BackendReply[];
  /** Set when the script is. See `fault()`. */
  readonly faults?: { readonly [endpoint in BackendEndpoint]?: readonly BackendFaultOptions[] };
}

/** Answers one chat call. A throw is answered with HTTP 500. */
export type BackendAnswerer = (
  context: BackendAnswerContext,
) => BackendReply | readonly BackendReply[] | PromiseLike<BackendReply | readonly BackendReply[]>;

/** A chat call that waits for its answer. */
export interface BackendAnswerContext {
  readonly request: BackendChat;
  /** The agent of the run, as START named it; null for a call without a run. */
  readonly agentId: string | null;
  /** Null with `openAiCompatible`, where there are no runs. */
  readonly runId: string | null;
  /** 1 for the first call of the run that gets an answer, and so on. Without runs: of the server. */
  readonly call: number;
  readonly userId: string;
  /** Aborted when the client has left, and when the server stops. */
  readonly signal: AbortSignal;
  /** The clock of the server. */
  readonly clock: Clock;
}

/** One answer; a string is its text. */
export type BackendReply = string | BackendAnswer;

/**
 * A place where the stream waits: a promise, or a function that is called there and awaited. A function may also just do
 * something at this place, such as abort the run. A rejection cuts the connection.
 */
export type BackendGate = PromiseLike<unknown> | ((stream: { readonly signal: AbortSignal }) => unknown);

/** One answer of the model. Sent in this order: reasoning, text, tool calls, `parts`, finish, usage, `[DONE]`. */
export interface BackendAnswer {
  /** The calls that get this answer. @default every call, in the order of the list */
  readonly match?: BackendMatch;
  /** One `delta.reasoning` for each string. */
  readonly reasoning?: string | readonly (string | BackendGate)[];
  /** One `delta.content` for each string. Of a request with `codebuff_metadata.n`: one text for each string. */
  readonly text?: string | readonly (string | BackendGate)[];
  readonly toolCalls?: readonly (BackendToolCall | BackendGate)[];
  /** Text, reasoning and tool calls in any order. */
  readonly parts?: readonly BackendPart[];
  /** `finish_reason`. @default "tool_calls" with tool calls, else "stop" */
  readonly finish?: string;
  readonly usage?: BackendUsage;
  /** The body of the stream as it is, in place of everything else. Of `sse`, only `chunkBytes` and `gzip` change it. */
  readonly frames?: readonly (string | Uint8Array | BackendGate)[];
  /** ms of the server's clock before the answer begins. @default 0 */
  readonly delayMs?: number;
  /** ms of the server's clock between frames. @default 0 */
  readonly gapMs?: number;
  /** The provider refuses the request, in place of an answer. */
  readonly refused?: BackendRefusal;
  /** Switches for this answer alone, above those of the server. */
  readonly sse?: BackendSse;
}

/** All that is given must fit. */
export interface BackendMatch {
  readonly agentId?: string;
  /** 1 for the first call of the run. */
  readonly call?: number;
  readonly model?: string;
}

/** Exactly one of the three, or a gate. */
export type BackendPart =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly toolCall: BackendToolCall }
  | BackendGate;

/** A tool call of the model. */
export interface BackendToolCall {
  readonly name: string;
  /** @default {} */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The arguments as they are, for bad JSON, in place of `arguments`. Empty: no fragment at all. */
  readonly rawArguments?: string;
  /** The number of frames that the arguments come in. @default 1 */
  readonly fragments?: number;
  /** @default `call_0` for the first call of an answer, and so on: ids repeat from step to step */
  readonly id?: string;
}

/** What the answer costs. */
export interface BackendUsage {
  /** In dollars. The client makes credits of it. @default 0 */
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

/** How a provider refuses a request: `{"error":{"message","code","type","param","metadata"}}`. */
export interface BackendRefusal {
  /** The HTTP status, and `error.code`. @default 400 */
  readonly status?: number;
  /** @default "Provider returned error" */
  readonly message?: string;
  /** @default "invalid_request_error" */
  readonly type?: string;
}

/** The script of a server that was given none. */
export const helloScript: BackendScript = () => "Hello!";

/** What a run gets that has outlived its script. */
export const EXHAUSTED = "The script has ended.";

/** How requests to an endpoint fail, before anything else is looked at. */
export interface BackendFaultOptions {
  /** The HTTP status. @default 200 with a `body` or `raw` */
  readonly status?: number;
  /** The JSON of the answer. @default what the real server says with this status */
  readonly body?: unknown;
  /** The body of the answer as it is, in place of JSON. */
  readonly raw?: string | Uint8Array;
  /** Names and values. Those of the answer have `content-type: application/json` unless `raw` is given. */
  readonly headers?: Readonly<Record<string, string>>;
  /** ms of the server's clock before the fault; alone: before the usual answer. @default 0 */
  readonly delayMs?: number;
  /** No answer, ever. @default false */
  readonly hang?: boolean;
  /** The connection is reset without an answer. @default false */
  readonly reset?: boolean;
  /** How many requests fail. @default all from now on */
  readonly times?: number;
  /** The first request that fails, counted since the fault was set. @default 1 */
  readonly call?: number;
  /** Of `agent-runs`: only requests with this action. @default both */
  readonly when?: "START" | "FINISH";
}

/** How an answer is streamed. Counts of frames are counts of `data:` blocks, `[DONE]` included. */
export interface BackendSse {
  // Framing

  /** Bytes in each write. @default one frame in each write */
  readonly chunkBytes?: number;
  /** Lines end with CR LF. @default false */
  readonly crlf?: boolean;
  /** Lines end with CR. @default false */
  readonly cr?: boolean;
  /** No `: connected` comment. @default false */
  readonly noConnected?: boolean;
  /** ms of the server's clock between `: heartbeat` comments; 0 for none. @default 30000 */
  readonly heartbeatMs?: number;
  /** The JSON of each frame in several `data:` lines. @default false */
  readonly multiData?: boolean;

  // Content

  /** No `[DONE]`. @default false */
  readonly noDone?: boolean;
  /** No frame with a `finish_reason`. @default false */
  readonly noFinish?: boolean;
  /** No `usage`. @default false */
  readonly noUsage?: boolean;
  /** `usage` on the frame with the `finish_reason`, instead of on one of its own. @default false */
  readonly usageOnFinish?: boolean;
  /** Tool calls without ids. @default false */
  readonly noToolIds?: boolean;
  /** All tool calls of an answer have the id `call_0`. @default false */
  readonly repeatToolIds?: boolean;
  /** A frame with `choices: []` behind the first frame. @default false */
  readonly emptyChoices?: boolean;
  /** Behind each text, a frame with a text of the choice with index 1. @default false */
  readonly extraChoice?: boolean;

  // Faults, behind so many frames

  /** The connection ends without the end of the body. */
  readonly cutAfter?: number;
  /** The body ends. */
  readonly endAfter?: number;
  /** A frame with `{"error":{...}}`, and the body ends. */
  readonly errorAfter?: number;
  /** A frame that is no JSON; the stream goes on. */
  readonly badJsonAfter?: number;
  /** Nothing comes any more, heartbeats neither. */
  readonly stallAfter?: number;

  // Answers that are no stream

  /** 200 with one JSON object. @default false */
  readonly asJson?: boolean;
  /** 502 with a page of HTML. @default false */
  readonly html502?: boolean;
  /** 307 to this origin. */
  readonly redirect?: string;
  /** The stream is compressed, whether the client accepts it or not. @default false */
  readonly gzip?: boolean;
}
