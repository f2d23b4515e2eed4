import { TurnError } from "../core/errors.ts";
import type { TurnResult } from "../core/turn.ts";
import type { ChunkDecoder, StreamError } from "./chunks.ts";
import type { ActionError, PromptError, PromptResponse, ResponseChunk } from "./messages.ts";

/** A piece of the answer: the frame as it came, and the text that it adds. */
export interface ResponseChunkEvent extends ResponseChunk {
  /** What the chunk adds to `turn.text`; empty for chunks that are not text. */
  readonly text: string;
  /** The parsed server-sent events, where the chunk held some. */
  readonly parsed?: readonly unknown[];
}

/** What a Codebuff turn yields: the server's frames for this prompt, in order. */
export type CodebuffEvent = ResponseChunkEvent | PromptResponse;

/** What a Codebuff turn ends with. */
export interface CodebuffResult extends TurnResult {
  readonly promptId: string;
  /** What the server returned: on the published proxy what it was sent, on the original server the new state. */
  readonly sessionState: Readonly<Record<string, unknown>>;
  readonly toolCalls: NonNullable<PromptResponse["toolCalls"]>;
  readonly toolResults: NonNullable<PromptResponse["toolResults"]>;
  readonly output: PromptResponse["output"] | null;
}

/** The server ended a prompt with an error. `message` of the frame is kept as it came in `serverMessage`. */
export class CodebuffTurnError extends TurnError {
  override readonly name = "CodebuffTurnError";
  declare readonly promptId: string;
  declare readonly origin: CodebuffFailureOrigin;
  /** The frame's `error` field: a detail, or a code-like text. */
  declare readonly serverError?: string;

  constructor(promptId: string, failure: CodebuffFailure) {
    const { message: serverMessage, error, remainingBalance, ...details } = failure;
    const balance = remainingBalance ?? undefined;
    super({ ...details, serverMessage, balance }, { promptId, serverError: error ?? undefined });
  }
}

/** What a failed prompt's error is made of. */
export interface CodebuffFailure {
  readonly origin: CodebuffFailureOrigin;
  readonly kind: string;
  readonly message: string;
  readonly error?: string | null | undefined;
  readonly remainingBalance?: number | null | undefined;
  readonly status?: number | undefined;
  readonly retryable?: boolean;
}

/** Where a failed prompt's error showed: in an action, inside the stream of chunks, or nowhere at all. */
export type CodebuffFailureOrigin = "action" | "stream" | "silent-end";

/** What is known of one prompt while it runs. */
export interface PromptState {
  readonly promptId: string;
  readonly decoder: ChunkDecoder;
  /** An error seen inside the stream; the prompt-response that follows it is no success. */
  streamError: StreamError | undefined;
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
  | { readonly type: "silent-end" };

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
  }
}

function onChunk(state: PromptState, data: ResponseChunk): PromptStep {
  const { userInputId, chunk } = data;
  const decoded = state.decoder.decode(chunk);
  state.streamError ??= decoded.error;
  const { text, parsed, oddity } = decoded;
  const event: ResponseChunkEvent = parsed
    ? { type: "response-chunk", userInputId, chunk, text, parsed }
    : { type: "response-chunk", userInputId, chunk, text };
  return oddity === undefined ? { event } : { event, oddity };
}

function onResponse(state: PromptState, response: PromptResponse): PromptStep {
  const rest = leftover(state);
  const error = streamFailure(state);
  return error ? { ...rest, end: { error } } : { ...rest, event: response, end: { response } };
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
function streamFailure({ promptId, streamError }: PromptState): CodebuffTurnError | undefined {
  return streamError && new CodebuffTurnError(promptId, { origin: "stream", ...streamError });
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
