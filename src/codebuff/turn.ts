import type { TurnResult } from "../core/turn/turn.ts";
import type { Cost } from "../core/values.ts";
import type { ChunkDecoder, StreamError } from "./chunks.ts";
import { CodebuffTurnError } from "./errors.ts";
import type { LogChunk, MessageCost, SubagentChunk, ToolCallRequest } from "./extensions.ts";
import type { ActionError, ChunkObject, PromptError, PromptResponse, ResponseChunk } from "./messages.ts";

/** A piece of the answer: the frame as it came, and the text that it adds. */
export interface ResponseChunkEvent extends ResponseChunk {
  /** What the chunk adds to `turn.text`; empty for chunks that are not text. */
  readonly text: string;
  /** The parsed server-sent events, where the chunk held some. */
  readonly parsed?: readonly unknown[];
}

/** What the original server tells of a prompt besides its answer. */
export type PromptExtension = SubagentChunk | MessageCost | LogChunk | ToolCallRequest;

/**
 * What a Codebuff turn yields: the server's frames for this prompt, in order. Those of a sub-agent carry an id
 * of their own, the turn's with a suffix; they add no text and end nothing.
 */
export type CodebuffEvent = ResponseChunkEvent | PromptResponse | PromptError | PromptExtension;

/** What a Codebuff turn ends with. */
export interface CodebuffResult extends TurnResult {
  readonly promptId: string;
  /** What the server returned: on the published proxy what it was sent, on the original server the new state. */
  readonly sessionState: Readonly<Record<string, unknown>>;
  readonly toolCalls: NonNullable<PromptResponse["toolCalls"]>;
  readonly toolResults: NonNullable<PromptResponse["toolResults"]>;
  readonly output: PromptResponse["output"] | null;
}

/** What is known of one prompt while it runs. */
export interface PromptState {
  readonly promptId: string;
  readonly decoder: ChunkDecoder;
  /** Takes credentials out of what the server says. */
  readonly redact: (text: string) => string;
  /** An error seen inside the stream; the prompt-response that follows it is no success. */
  streamError: StreamError | undefined;
  /** Credits, as the server told them step by step, and as its `finish` event summed them up. */
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

/** What a prompt has cost so far; the server's own sum wins. */
export function costOf({ total, steps }: PromptState): Cost | undefined {
  const amount = total ?? steps;
  return amount === undefined ? undefined : { amount, unit: "credits" };
}

/** What to do about one message. */
export interface PromptStep {
  /** What an unfinished chunk still held, when the prompt ended; goes before `event`. */
  readonly rest?: ResponseChunkEvent;
  readonly event?: CodebuffEvent;
  readonly oddity?: string;
  readonly end?: { readonly response: PromptResponse } | { readonly error: CodebuffTurnError };
}

/** What a prompt is told. */
export type PromptMessage =
  | ResponseChunk
  | PromptResponse
  | PromptError
  | ActionError
  | PromptExtension
  | { readonly type: "silent-end" };

/** A message that names a prompt. */
export type PromptFrame = ResponseChunk | PromptResponse | PromptError | PromptExtension;

/** The prompt that a message names, perhaps with a sub-agent's suffix. One shape of tool calls names none. */
export function promptIdOf(frame: PromptFrame): string | undefined {
  if (frame.type === "prompt-response" || frame.type === "message-cost-response") return frame.promptId;
  return frame.userInputId ?? undefined;
}

/** What a message says of a sub-agent's work for a prompt: something to look at, never the prompt's own text or end. */
export function subagentEvent(state: PromptState, frame: PromptFrame): CodebuffEvent {
  if (frame.type === "message-cost-response") addCost(state, frame);
  return frame.type === "response-chunk"
    ? { type: "response-chunk", userInputId: frame.userInputId, chunk: frame.chunk, text: "" }
    : frame;
}

/** One message of a running prompt. Pure but for the decoder and the error that `state` carries along. */
export function stepPrompt(state: PromptState, message: PromptMessage): PromptStep {
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

/** The agent's own output may be an error; the prompt-error that says so again comes too late to tell. */
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

/** The prompt is over: what an unfinished chunk still held is part of the answer. */
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

/** An error that the stream told of; the message that ends the prompt after it is no success. */
function streamFailure({ promptId, streamError, redact }: PromptState): CodebuffTurnError | undefined {
  if (!streamError) return undefined;
  const message = redact(streamError.message);
  return new CodebuffTurnError(promptId, { origin: "stream", ...streamError, message });
}

function serverError(promptId: string, data: PromptError | ActionError): CodebuffTurnError {
  const { type: kind, message, error, remainingBalance } = data;
  return new CodebuffTurnError(promptId, { origin: "action", kind, message, error, remainingBalance });
}

/** The published proxy runs prompts one after the other, so an answer to anything later proves that this one is over. */
function silentEnd(promptId: string): CodebuffTurnError {
  const message = "the prompt ended without a terminal message; its backend may not stream";
  return new CodebuffTurnError(promptId, { origin: "silent-end", kind: "silent-end", message });
}

export function toResult(
  { promptId, sessionState, toolCalls, toolResults, output }: PromptResponse,
  state: PromptState,
  text: Pick<TurnResult, "text" | "truncated">,
): CodebuffResult {
  const cost = costOf(state);
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
