// Pure: what one message of the server means for a prompt.
import type { TurnResult } from "../core/turn/turn.ts";
import type { Cost } from "../core/values.ts";
import { CodebuffTurnError } from "./errors.ts";
import type { LogChunk, MessageCost, SubagentChunk, ToolCallRequest } from "./extensions.ts";
import type { ActionError, ChunkObject, PromptError, PromptResponse, ResponseChunk } from "./messages.ts";
import type { ChunkDecoder } from "./prompts/chunks.ts";
import type { StreamError } from "./prompts/sse-chunks.ts";

/** A piece of the answer: the server's frame, and its text. */
export interface ResponseChunkEvent extends ResponseChunk {
  /** The part of `turn.text` in this chunk; empty for chunks that are not text. */
  readonly text: string;
  /** The parsed server-sent events of the chunk, if it held some. */
  readonly parsed?: readonly unknown[];
}

/** The original server's further messages for a prompt. */
export type PromptExtension = SubagentChunk | MessageCost | LogChunk | ToolCallRequest;

/**
 * The events of a Codebuff turn: the server's frames for this prompt, in order. Frames of a sub-agent carry the turn's id with a suffix.
 * Such frames add no text and end nothing.
 */
export type CodebuffEvent = ResponseChunkEvent | PromptResponse | PromptError | PromptExtension;

/** The result of a Codebuff turn. */
export interface CodebuffResult extends TurnResult {
  readonly promptId: string;
  /** The state in the server's answer: the published proxy returns the prompt's own state, the original server the new state. */
  readonly sessionState: Readonly<Record<string, unknown>>;
  readonly toolCalls: NonNullable<PromptResponse["toolCalls"]>;
  readonly toolResults: NonNullable<PromptResponse["toolResults"]>;
  readonly output: PromptResponse["output"] | null;
}

/** The state of one running prompt. */
export interface PromptState {
  readonly promptId: string;
  readonly decoder: ChunkDecoder;
  /** Removes credentials from the server's messages. */
  readonly redact: (text: string) => string;
  /** An error inside the stream: the prompt-response after it is no success. */
  streamError: StreamError | undefined;
  /** Credits: the sum of the steps, and the total of the server's `finish` event. */
  steps: number | undefined;
  total: number | undefined;
}

export function newPromptState(
  promptId: string,
  decoder: ChunkDecoder,
  redact: (text: string) => string,
): PromptState {
  return { promptId, decoder, redact, streamError: undefined, steps: undefined, total: undefined };
}

/** The cost of a prompt so far. The server's own total wins. */
export function promptCost({ total, steps }: PromptState): Cost | undefined {
  const amount = total ?? steps;
  return amount === undefined ? undefined : { amount, unit: "credits" };
}

/** The consequences of one message. */
export interface PromptStep {
  /** The content of an unfinished chunk at the end of the prompt. Comes before `event`. */
  readonly rest?: ResponseChunkEvent;
  readonly event?: CodebuffEvent;
  readonly oddity?: string;
  readonly end?: { readonly response: PromptResponse } | { readonly error: CodebuffTurnError };
}

/** A message for a prompt. */
export type MessageForPrompt =
  | ResponseChunk
  | PromptResponse
  | PromptError
  | ActionError
  | PromptExtension
  | { readonly type: "silent-end" };

/** A message that names a prompt. */
export type PromptFrame = ResponseChunk | PromptResponse | PromptError | PromptExtension;

/** The prompt's id in a message, perhaps with a sub-agent's suffix. One shape of tool calls has no such id. */
export function promptIdOf(frame: PromptFrame): string | undefined {
  if (frame.type === "prompt-response" || frame.type === "message-cost-response") return frame.promptId;
  return frame.userInputId ?? undefined;
}

/** A message about a sub-agent's work, as an event without text: it is never the prompt's own text or end. */
export function subagentEvent(state: PromptState, frame: PromptFrame): CodebuffEvent {
  if (frame.type === "message-cost-response") addCost(state, frame);
  return frame.type === "response-chunk"
    ? { type: "response-chunk", userInputId: frame.userInputId, chunk: frame.chunk, text: "" }
    : frame;
}

/** Handles one message of a running prompt. Changes only `state` and its decoder. */
export function stepPrompt(state: PromptState, message: MessageForPrompt): PromptStep {
  switch (message.type) {
    case "response-chunk":
      return onChunk(state, message);
    case "prompt-response":
      return onResponse(state, message);
    case "prompt-error":
    case "action-error":
      return { ...leftover(state), end: { error: serverError(state.promptId, message) } };
    case "silent-end":
      return onSilentEnd(state);
    case "message-cost-response":
      addCost(state, message);
      return { event: message };
    case "subagent-response-chunk":
    case "handlesteps-log-chunk":
    case "tool-call-request":
      return { event: message };
  }
}

function addCost(state: PromptState, { credits }: MessageCost): void {
  state.steps = (state.steps ?? 0) + credits;
}

function onChunk(state: PromptState, data: ResponseChunk): PromptStep {
  const { userInputId, chunk } = data;
  const decoded = state.decoder.decode(chunk);
  state.streamError ??= decoded.error;
  if (typeof chunk !== "string") state.total = totalOf(chunk) ?? state.total;
  const { text, parsed, oddity } = decoded;
  const event: ResponseChunkEvent = parsed
    ? { type: "response-chunk", userInputId, chunk, text, parsed }
    : { type: "response-chunk", userInputId, chunk, text };
  return oddity === undefined ? { event } : { event, oddity };
}

function totalOf(chunk: ChunkObject): number | undefined {
  const told = chunk.type === "finish" && "totalCost" in chunk ? chunk.totalCost : undefined;
  return typeof told === "number" ? told : undefined;
}

function onResponse(state: PromptState, response: PromptResponse): PromptStep {
  const rest = leftover(state);
  const error = streamFailure(state);
  if (error) return { ...rest, end: { error } };
  const failed = outputFailure(state, response);
  return { ...rest, event: response, end: failed ? { error: failed } : { response } };
}

/** The agent's output may be an error. A prompt-error with the same error follows too late. */
function outputFailure(
  { promptId, redact }: PromptState,
  { output }: PromptResponse,
): CodebuffTurnError | undefined {
  if (output?.["type"] !== "error") return undefined;
  const { message } = output;
  const said = typeof message === "string" ? redact(message) : "the agent ended with an error";
  return new CodebuffTurnError(promptId, { origin: "output", kind: "output-error", message: said });
}

function onSilentEnd(state: PromptState): PromptStep {
  const rest = leftover(state);
  return { ...rest, end: { error: streamFailure(state) ?? silentEnd(state.promptId) } };
}

/** The content of an unfinished chunk: it belongs to the answer when the prompt is over. */
function leftover(state: PromptState): PromptStep {
  const decoded = state.decoder.end();
  if (!decoded) return {};
  state.streamError ??= decoded.error;
  const { text, parsed = [], oddity } = decoded;
  const rest: ResponseChunkEvent = {
    type: "response-chunk",
    userInputId: state.promptId,
    chunk: "",
    text,
    parsed,
  };
  return oddity === undefined ? { rest } : { rest, oddity };
}

/** An error from inside the stream: the message that ends the prompt is then no success. */
function streamFailure({ promptId, streamError, redact }: PromptState): CodebuffTurnError | undefined {
  if (!streamError) return undefined;
  const message = redact(streamError.message);
  return new CodebuffTurnError(promptId, { origin: "stream", ...streamError, message });
}

function serverError(promptId: string, data: PromptError | ActionError): CodebuffTurnError {
  const { type: kind, message, error, remainingBalance } = data;
  return new CodebuffTurnError(promptId, { origin: "action", kind, message, error, remainingBalance });
}

/**
 * A prompt that ended without a message. The published proxy runs prompts one after the other, so an answer to a later frame proves the
 * end.
 */
function silentEnd(promptId: string): CodebuffTurnError {
  const message = "the prompt ended without a terminal message; its backend may not stream";
  return new CodebuffTurnError(promptId, { origin: "silent-end", kind: "silent-end", message });
}

export function toResult(
  { promptId, sessionState, toolCalls, toolResults, output }: PromptResponse,
  state: PromptState,
  text: Pick<TurnResult, "text" | "truncated">,
): CodebuffResult {
  const cost = promptCost(state);
  return {
    ...text,
    promptId,
    sessionState,
    toolCalls: toolCalls ?? [],
    toolResults: toolResults ?? [],
    output: output ?? null,
    ...(cost ? { cost } : {}),
  };
}
