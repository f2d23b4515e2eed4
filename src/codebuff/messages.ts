// The messages of the wire: types, schemas, `decode` and `encode`.
import * as z from "zod/mini";
import { fieldsOf, isObject } from "../core/checks.ts";
import type { HotKind } from "../core/link/template.ts";
import type { Reads, Shape } from "../core/schemas.ts";
import { boolean, finite, lazy, list, literal, type Nullish, optional, readByType } from "../core/schemas.ts";
import {
  amount,
  anyObject,
  type BalanceBreakdown,
  breakdown,
  EXTENSIONS,
  type Extension,
  isRecordOf,
  requestIdOf,
  type ServerRequest,
} from "./extensions.ts";

/** The kind of the server. */
export type CodebuffServer = "proxy" | "codebuff";

/** The answer to every client frame. `success` means that the server understood the frame, not that its work is done. */
export interface Ack {
  readonly type: "ack";
  /** Absent if the server cannot or does not name the frame. */
  readonly txid?: Nullish<number>;
  readonly success: boolean;
  /** The problem. May repeat the client's input. */
  readonly error?: Nullish<string>;
}

/** An object chunk of the original server. Unknown types pass through. */
export interface ChunkObject {
  readonly type: string;
}

/** One piece of a streamed answer. */
export interface ResponseChunk {
  readonly type: "response-chunk";
  /** The prompt's id. On the original server, sub-agents add a suffix. */
  readonly userInputId: string;
  readonly chunk: string | ChunkObject;
}

interface ToolCallData {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
}

/** The successful end of a prompt. */
export interface PromptResponse {
  readonly type: "prompt-response";
  readonly promptId: string;
  /** The published proxy returns the state of the prompt unchanged; the original server returns the new state. */
  readonly sessionState: Readonly<Record<string, unknown>>;
  readonly toolCalls?: Nullish<readonly ToolCallData[]>;
  readonly toolResults?: Nullish<readonly Readonly<Record<string, unknown>>[]>;
  readonly output?: Nullish<Readonly<Record<string, unknown>>>;
}

/** The failed end of a prompt. */
export interface PromptError {
  readonly type: "prompt-error";
  readonly userInputId: string;
  readonly message: string;
  /** A detail, or a code-like text such as `Insufficient credits`. */
  readonly error?: Nullish<string>;
  readonly remainingBalance?: Nullish<number>;
}

/** A failure without an id. The client can only guess the request. */
export interface ActionError {
  readonly type: "action-error";
  readonly message: string;
  readonly error?: Nullish<string>;
  readonly remainingBalance?: Nullish<number>;
}

/** The answer to `init`. */
export interface InitResponse {
  readonly type: "init-response";
  readonly usage: number;
  /** `Infinity` on the published proxy. */
  readonly remainingBalance: number;
  readonly message?: Nullish<string>;
  readonly agentNames?: Nullish<Readonly<Record<string, string>>>;
  /** ISO 8601. */
  readonly next_quota_reset?: Nullish<string>;
  readonly balanceBreakdown?: Nullish<BalanceBreakdown>;
  readonly autoTopupAdded?: Nullish<number>;
}

/** Every known message, and the forms of other frames. */
export type CodebuffServerMessage =
  | Ack
  | ResponseChunk
  | PromptResponse
  | PromptError
  | ActionError
  | InitResponse
  | Extension
  | { readonly type: "unknown-action"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "unknown-message"; readonly message: unknown }
  | InvalidFrame;

/** A frame that is no message, or an invalid message of a known type. */
export interface InvalidFrame {
  readonly type: "invalid";
  readonly problem: string;
  /** Set if the frame is a request of the server: the agent waits for a response. */
  readonly request?: { readonly type: string; readonly requestId: string };
  /** Set if the frame is a part or the end of a prompt's answer: without the frame the prompt cannot succeed. */
  readonly answers?: { readonly promptId: string; readonly isEnd: boolean };
}

const names = z.custom<Readonly<Record<string, string>>>((value) => isRecordOf("string", value));

function isChunk(value: unknown): boolean {
  return typeof value === "string" || (isObject(value) && typeof value["type"] === "string");
}

const toolCall = () =>
  z.looseObject({
    toolName: z.string(),
    toolCallId: z.string(),
    input: z.unknown(),
  } satisfies Shape<ToolCallData>);

// Each schema is made at its first use: making all of them takes as long as loading zod (`bench`, cold import).

export const ackSchema = lazy(() =>
  z.looseObject({
    type: literal("ack"),
    txid: optional(finite),
    success: boolean,
    error: optional(z.string()),
  } satisfies Shape<Ack>),
);

export const responseChunkSchema = lazy(() =>
  z.looseObject({
    type: literal("response-chunk"),
    userInputId: z.string(),
    chunk: z.custom<string | ChunkObject>(isChunk),
  } satisfies Shape<ResponseChunk>),
);

export const promptResponseSchema = lazy(() =>
  z.looseObject({
    type: literal("prompt-response"),
    promptId: z.string(),
    sessionState: anyObject,
    toolCalls: optional(list(toolCall())),
    toolResults: optional(list(anyObject)),
    output: optional(anyObject),
  } satisfies Shape<PromptResponse>),
);

const failure = {
  message: z.string(),
  error: optional(z.string()),
  remainingBalance: optional(amount),
};

export const promptErrorSchema = lazy(() =>
  z.looseObject({
    type: literal("prompt-error"),
    userInputId: z.string(),
    ...failure,
  } satisfies Shape<PromptError>),
);

export const actionErrorSchema = lazy(() =>
  z.looseObject({
    type: literal("action-error"),
    ...failure,
  } satisfies Shape<ActionError>),
);

export const initResponseSchema = lazy(() =>
  z.looseObject({
    type: literal("init-response"),
    usage: amount,
    remainingBalance: amount,
    message: optional(z.string()),
    agentNames: optional(names),
    next_quota_reset: optional(z.string()),
    balanceBreakdown: optional(breakdown),
    autoTopupAdded: optional(amount),
  } satisfies Shape<InitResponse>),
);

/** A hand-written guard for the most frequent frame. A property test compares the guard with its schema. */
export function isResponseChunk(data: unknown): data is ResponseChunk {
  if (typeof data !== "object" || data === null || !("type" in data) || data.type !== "response-chunk")
    return false;
  return (
    "userInputId" in data && typeof data.userInputId === "string" && "chunk" in data && isChunk(data.chunk)
  );
}

/** Deltas are told from other frames first: most frames are deltas. */
function isChunkFrame(
  message: unknown,
): message is { readonly type: "action"; readonly data: ResponseChunk } {
  if (typeof message !== "object" || message === null || !("type" in message) || message.type !== "action")
    return false;
  return "data" in message && isResponseChunk(message.data);
}

/** Chunks of text, the most frequent frames. The original server also sends them as objects. */
export const hotChunk: HotKind = (frame) => {
  if (!isChunkFrame(frame)) return undefined;
  const { data } = frame;
  const { userInputId, chunk } = data;
  const withChunk = (id: string | undefined, other: unknown): object => ({
    ...frame,
    data: { ...data, userInputId: id, chunk: other },
  });
  if (typeof chunk === "string")
    return { strings: [userInputId, chunk], withStrings: ([id, text]) => withChunk(id, text) };
  const { text: said } = fieldsOf(chunk);
  if (typeof said !== "string") return undefined;
  return { strings: [userInputId, said], withStrings: ([id, text]) => withChunk(id, { ...chunk, text }) };
};

const ACK: Readonly<Record<string, Reads<CodebuffServerMessage>>> = { ack: ackSchema };

const ACTIONS: Readonly<Record<string, Reads<CodebuffServerMessage>>> = {
  "prompt-response": promptResponseSchema,
  "prompt-error": promptErrorSchema,
  "action-error": actionErrorSchema,
  "init-response": initResponseSchema,
  ...EXTENSIONS,
};

/** Reads one parsed frame. Never throws: an unreadable frame is returned as such. */
export function decode(message: unknown): CodebuffServerMessage {
  if (isChunkFrame(message)) return message.data;
  if (!isObject(message)) return { type: "invalid", problem: "a frame that is not an object" };
  const { type, data } = message;
  if (type === "ack") return readByType(ACK, "ack", message, invalid);
  if (type !== "action") return { type: "unknown-message", message };
  if (!isObject(data) || typeof data["type"] !== "string")
    return invalid("an action without a typed `data` object");
  if (data["type"] === "response-chunk") return invalid("a response-chunk without `userInputId` or `chunk`");
  return readByType(ACTIONS, data["type"], data, (problem) =>
    problem === undefined ? { type: "unknown-action", data } : { ...invalid(problem), ...claimsOf(data) },
  );
}

function invalid(problem = "a frame of an unknown type"): InvalidFrame {
  return { type: "invalid", problem };
}

/** A frame that was read but cannot be handled. */
export function unhandled(message: unknown, problem: string): InvalidFrame {
  const data = isObject(message) && message["type"] === "action" ? message["data"] : undefined;
  return { type: "invalid", problem, ...(isObject(data) ? claimsOf(data) : {}) };
}

/** Identifies an unreadable request or end. Without this the agent or the turn would wait without end. */
function claimsOf(data: Readonly<Record<string, unknown>>): Pick<InvalidFrame, "request" | "answers"> {
  const { type, promptId, userInputId } = data;
  if (typeof type !== "string") return {};
  const requestId = REQUESTS.has(type) ? requestIdOf(data) : undefined;
  if (requestId !== undefined) return { request: { type, requestId } };
  const named = type === "prompt-response" ? promptId : ANSWERS.has(type) ? userInputId : undefined;
  return typeof named === "string" ? { answers: { promptId: named, isEnd: type !== "response-chunk" } } : {};
}

const ANSWERS: ReadonlySet<string> = new Set(["response-chunk", "prompt-error"]);

const REQUESTS: ReadonlySet<string> = new Set([
  "tool-call-request",
  "read-files",
  "read-files-request",
  "request-mcp-tool-data",
] satisfies ServerRequest["type"][]);

/** The frames of the client. The `data` of an action is already JSON, so it is encoded once. */
export const encode = {
  identify: (txid: number, clientSessionId: string): string =>
    JSON.stringify({ type: "identify", txid, clientSessionId }),
  ping: (txid: number): string => JSON.stringify({ type: "ping", txid }),
  topics: (type: "subscribe" | "unsubscribe", txid: number, topics: readonly string[]): string =>
    JSON.stringify({ type, txid, topics }),
  action: (txid: number, data: string): string => `{"type":"action","txid":${txid},"data":${data}}`,
};
