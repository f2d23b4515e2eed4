// The chunks of a streamed answer, and the unstreamed answer.

import type { BackendAnswer, BackendGate, BackendSse, BackendToolCall, BackendUsage } from "./script.ts";

type StreamItem =
  | { readonly kind: "chunk"; readonly json: object }
  | { readonly kind: "gate"; readonly gate: BackendGate };

export interface ChunkHead {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
}

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly call: BackendToolCall; readonly index: number }
  | { readonly kind: "gate"; readonly gate: BackendGate };

const ROLE = { role: "assistant", content: "" };

export function chunkParts(answer: BackendAnswer): readonly Part[] {
  const parts: Part[] = [];
  let calls = 0;
  const add = (kind: "text" | "reasoning", pieces: BackendAnswer["text"]) => {
    for (const piece of typeof pieces === "string" ? [pieces] : (pieces ?? []))
      parts.push(typeof piece === "string" ? { kind, text: piece } : { kind: "gate", gate: piece });
  };
  add("reasoning", answer.reasoning);
  add("text", answer.text);
  for (const call of answer.toolCalls ?? [])
    parts.push(isGate(call) ? { kind: "gate", gate: call } : { kind: "call", call, index: calls++ });
  for (const part of answer.parts ?? []) {
    if (isGate(part)) parts.push({ kind: "gate", gate: part });
    else if ("text" in part) parts.push({ kind: "text", text: part.text });
    else if ("reasoning" in part) parts.push({ kind: "reasoning", text: part.reasoning });
    else parts.push({ kind: "call", call: part.toolCall, index: calls++ });
  }
  return parts;
}

/** The chunks of an answer, without `[DONE]`. */
export function* chunksOf(answer: BackendAnswer, head: ChunkHead, sse: BackendSse): Iterable<StreamItem> {
  const chunk = (delta: object, more: object = {}): StreamItem => ({
    kind: "chunk",
    json: { ...common(head), choices: [choice(0, delta)], ...more },
  });
  const parts = chunkParts(answer);
  yield chunk(ROLE);
  if (sse.emptyChoices) yield { kind: "chunk", json: { ...common(head), choices: [] } };
  for (const part of parts) {
    if (part.kind === "gate") yield part;
    else if (part.kind === "reasoning") yield chunk(reasoningDelta(part.text));
    else if (part.kind === "call") for (const delta of callDeltas(part, sse)) yield chunk(delta);
    else {
      yield chunk({ content: part.text });
      if (sse.extraChoice)
        yield {
          kind: "chunk",
          json: { ...common(head), choices: [choice(1, { content: "Another choice." })] },
        };
    }
  }
  const usage = usageOf(answer.usage);
  if (!sse.noFinish) {
    const finish = { ...choice(0, { content: "" }), finish_reason: finishOf(answer, parts) };
    const withUsage = sse.usageOnFinish && !sse.noUsage ? { usage } : {};
    yield { kind: "chunk", json: { ...common(head), choices: [finish], ...withUsage } };
  }
  if (!sse.noUsage && (!sse.usageOnFinish || sse.noFinish)) yield chunk(ROLE, { usage });
}

/**
 * The answer to a request without `stream: true`: one `chat.completion`.
 * @param n the number of requested texts: the content is then a JSON array of texts. If the script has fewer texts,
 * they repeat.
 */
export function completionOf(
  answer: BackendAnswer,
  head: ChunkHead,
  sse: BackendSse,
  n: number | null,
): object {
  const parts = chunkParts(answer);
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const reasoning = parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : []));
  const toolCalls = parts.flatMap((part) => {
    if (part.kind !== "call") return [];
    const called = { name: part.call.name, arguments: argumentsOf(part.call) };
    return [{ id: idOf(part.call, part.index, sse), type: "function", function: called }];
  });
  const repeated = Array.from({ length: n ?? 0 }, (_, place) => texts[place % texts.length] ?? "");
  const message = {
    role: "assistant",
    content: n === null ? texts.join("") : JSON.stringify(repeated),
    ...(reasoning.length > 0 && { reasoning: reasoning.join("") }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  return {
    ...common(head),
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finishOf(answer, parts), logprobs: null }],
    ...(!sse.noUsage && { usage: usageOf(answer.usage) }),
  };
}

function finishOf(answer: BackendAnswer, parts: readonly Part[]): string {
  return answer.finish ?? (parts.some(({ kind }) => kind === "call") ? "tool_calls" : "stop");
}

function usageOf(usage: BackendUsage = {}): object {
  const { prompt_tokens = 100, completion_tokens = 20, cost = 0, upstream_inference_cost = 0 } = usage;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    cost,
    cost_details: { upstream_inference_cost },
    prompt_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
  };
}

function argumentsOf({ rawArguments, arguments: given = {} }: BackendToolCall): string {
  return rawArguments ?? JSON.stringify(given);
}

/** The id of a call; undefined without one. */
function idOf(call: BackendToolCall, index: number, sse: BackendSse): string | undefined {
  if (sse.noToolIds) return undefined;
  return sse.repeatToolIds ? "call_0" : (call.id ?? `call_${index}`);
}

export function isGate(value: object): value is BackendGate {
  return typeof value === "function" || "then" in value;
}

function common({ id, model, created }: ChunkHead): object {
  return { id, provider: "Mock", model, object: "chat.completion.chunk", created };
}

function choice(index: number, delta: object): object {
  return { index, delta, finish_reason: null, logprobs: null };
}

function reasoningDelta(text: string): object {
  return {
    ...ROLE,
    reasoning: text,
    reasoning_details: [{ type: "reasoning.text", text, format: "unknown", index: 0 }],
  };
}

/** The name first, then the arguments. */
function* callDeltas({ call, index }: Part & { kind: "call" }, sse: BackendSse): Iterable<object> {
  const id = idOf(call, index, sse);
  const opening = { index, ...(id !== undefined && { id }), type: "function" };
  yield { tool_calls: [{ ...opening, function: { name: call.name, arguments: "" } }] };
  for (const piece of split(argumentsOf(call), call.fragments ?? 1))
    yield { tool_calls: [{ index, function: { arguments: piece } }] };
}

/** Splits a text into pieces of similar length. Returns no piece for an empty text. */
function split(text: string, pieces: number): readonly string[] {
  const size = Math.ceil(text.length / pieces);
  const result: string[] = [];
  for (let at = 0; at < text.length; at += size) result.push(text.slice(at, at + size));
  return result;
}
