// Pure: builds one model answer from its chunks, within limits.
import { GrowingText } from "../../core/text.ts";
import type { Usage } from "../../core/values.ts";
import { CodebuffRunError } from "../errors.ts";
import type { ChatChunk, ChatUsage, ProviderCall, RunPart, ToolCallDelta } from "../messages.ts";

/** Characters of one call's arguments. The longest real arguments are whole files. */
const MAX_ARGUMENTS = 4 * 1_048_576;

/** Characters of text and reasoning in one answer. Real answers are far shorter. */
const MAX_TEXT = 16 * 1_048_576;

/** A character takes at most three bytes. */
const MAX_BYTES = 3 * MAX_TEXT;

/** Calls in one answer. Real answers have a few dozen. */
const MAX_CALLS = 1_000;

/** What a chunk adds to an answer. `block`: a complete block of text. */
export type AnswerPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "block"; readonly text: string }
  | ArgumentsPiece
  | { readonly type: "provider-call"; readonly call: ProviderCall };

/** A piece of a call's arguments. */
interface ArgumentsPiece {
  readonly type: "arguments";
  readonly call: WrittenCall;
  readonly text: string;
}

export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  /** Unparsed JSON. */
  readonly arguments: string;
  /** Whether pieces of the arguments were told: more than one has come. */
  readonly isTold: boolean;
}

type Fragments = { -readonly [Field in keyof WrittenCall]: WrittenCall[Field] };

/**
 * One model answer, built from its chunks.
 *
 *     text, reasoning ──▶ blocks, in order
 *     tool fragments  ──▶ calls, by index, complete at the end of the answer
 */
export class AnswerBuilder {
  /** The closed blocks. */
  readonly parts: RunPart[] = [];
  readonly #calls = new Map<number, Fragments>();
  #open: { readonly type: "text" | "reasoning"; readonly text: GrowingText } | undefined;
  #length = 0;
  #hasProviderCalls = false;
  #usage: ChatUsage | undefined;
  /** The id of the first chunk. */
  messageId: string | undefined;
  finishReason: string | undefined;
  isDone = false;
  readonly #arrived: () => void;
  readonly #newId: () => string;

  constructor(arrived: () => void = () => {}, newId: () => string = () => "") {
    this.#arrived = arrived;
    this.#newId = newId;
  }

  get hasBegun(): boolean {
    return this.#length > 0 || this.#calls.size > 0 || this.#hasProviderCalls;
  }

  /** Whether the answer ended properly. If not, the stream broke off. */
  get isComplete(): boolean {
    return this.isDone || this.finishReason !== undefined;
  }

  get calls(): readonly WrittenCall[] {
    return [...this.#calls].sort(([one], [other]) => one - other).map(([, call]) => call);
  }

  /** In dollars. */
  get cost(): number {
    const { cost = 0, cost_details } = this.#usage ?? {};
    return cost + (cost_details?.upstream_inference_cost ?? 0);
  }

  get usage(): Usage | undefined {
    const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = this.#usage ?? {};
    if (typeof inputTokens !== "number" && typeof outputTokens !== "number") return undefined;
    return {
      ...(typeof inputTokens === "number" ? { inputTokens } : {}),
      ...(typeof outputTokens === "number" ? { outputTokens } : {}),
    };
  }

  /** @throws CodebuffRunError `protocol_error` if the answer exceeds a limit */
  add(chunk: ChatChunk, tell: (piece: AnswerPiece) => void): void {
    this.#arrived();
    this.messageId ??= chunk.id ?? undefined;
    if (chunk.usage) this.#usage = chunk.usage;
    const choice = mainChoice(chunk.choices);
    if (!choice) return;
    const { content, reasoning, reasoning_content, tool_calls, provider_calls } = choice.delta ?? {};
    const thought = reasoning || reasoning_content; // two names for one field; some servers send both
    if (thought) this.#grow("reasoning", thought, tell);
    if (content) this.#grow("text", content, tell);
    if (tool_calls) for (const fragment of tool_calls) this.#fragment(fragment, tell);
    if (provider_calls) for (const call of provider_calls) this.#provide(call, tell);
    if (choice.finish_reason) this.finishReason = choice.finish_reason;
  }

  /** Drops all calls. Call for an answer that broke off: its calls may be incomplete. */
  dropCalls(): void {
    this.#calls.clear();
  }

  #grow(type: "text" | "reasoning", text: string, tell: (piece: AnswerPiece) => void): void {
    if (this.#open?.type !== type) {
      this.end(tell);
      this.#open = { type, text: new GrowingText(MAX_BYTES) };
    }
    this.#length += text.length;
    if (this.#length > MAX_TEXT) throw tooMuch(`the answer is longer than ${MAX_TEXT} characters`);
    this.#open.text.add(text);
    tell({ type, text });
  }

  #provide(call: ProviderCall, tell: (piece: AnswerPiece) => void): void {
    this.end(tell);
    this.#hasProviderCalls = true;
    tell({ type: "provider-call", call });
  }

  /** Closes the open block. */
  end(tell: (piece: AnswerPiece) => void): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const text = open.text.value;
    this.parts.push({ type: open.type, text });
    if (open.type === "text") tell({ type: "block", text });
  }

  #fragment({ index = 0, function: part }: ToolCallDelta, tell: (piece: AnswerPiece) => void): void {
    this.end(tell);
    let call = this.#calls.get(index);
    if (!call) {
      if (this.#calls.size === MAX_CALLS) throw tooMuch(`the answer has more than ${MAX_CALLS} tool calls`);
      call = { id: this.#newId(), name: "", arguments: "", isTold: false };
      this.#calls.set(index, call);
    }
    if (part?.name && call.name === "") call.name = part.name;
    if (!part?.arguments) return;
    const isFirst = call.arguments === "";
    call.arguments += part.arguments;
    if (call.arguments.length > MAX_ARGUMENTS)
      throw tooMuch(`the arguments of a tool call are longer than ${MAX_ARGUMENTS} characters`);
    if (call.isTold) tell({ type: "arguments", call, text: part.arguments });
    else if (!isFirst && call.name !== "") {
      call.isTold = true;
      tell({ type: "arguments", call, text: call.arguments });
    }
  }
}

/** The choice with index 0. Other choices are unrequested drafts. */
function mainChoice(
  choices: ChatChunk["choices"] = [],
): NonNullable<ChatChunk["choices"]>[number] | undefined {
  for (const choice of choices ?? []) if ((choice.index ?? 0) === 0) return choice;
  return undefined;
}

function tooMuch(message: string): CodebuffRunError {
  return new CodebuffRunError({ kind: "protocol_error", message });
}

/** Credits of a step, by the server's billing formula. */
export function creditsOf(dollars: number): number {
  const credits = Math.round(dollars * 1.055 * 100);
  return Number.isFinite(credits) && credits > 0 ? credits : 0; // the backend rejects other numbers
}

/** Converts a non-streamed answer (one JSON object) into one chunk. */
export function chunkOfCompletion(completion: unknown): unknown {
  if (typeof completion !== "object" || completion === null) return completion;
  const { choices, ...rest } = completion as { readonly choices?: unknown };
  if (!Array.isArray(choices)) return completion;
  return { ...rest, choices: choices.map(streamed) };
}

function streamed(choice: unknown): unknown {
  if (typeof choice !== "object" || choice === null) return choice;
  const { message, ...rest } = choice as { readonly message?: unknown };
  if (typeof message !== "object" || message === null) return rest;
  const { tool_calls } = message as { readonly tool_calls?: unknown };
  if (!Array.isArray(tool_calls)) return { ...rest, delta: message };
  const numbered = tool_calls.map((call: unknown, index) =>
    typeof call === "object" && call !== null ? { index, ...call } : call,
  );
  return { ...rest, delta: { ...message, tool_calls: numbered } };
}
