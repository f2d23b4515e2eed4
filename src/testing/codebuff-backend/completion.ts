// The answer to a chat request without streaming.
import { argumentsOf, type ChunkHead, finishOf, idOf, partsOf, usageOf } from "./chunks.ts";
import type { BackendAnswer } from "./script.ts";
import type { BackendSse } from "./switches.ts";

/**
 * The answer to a request without `stream: true`: one `chat.completion`.
 * @param n how many texts are asked for: the content is then the JSON of an array of them
 */
export function completionOf(
  answer: BackendAnswer,
  head: ChunkHead,
  sse: BackendSse,
  n: number | null,
): object {
  const parts = partsOf(answer);
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const reasoning = parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : []));
  const calls = parts.flatMap((part) => (part.kind === "call" ? [part] : []));
  const toolCalls = calls.map(({ call, index }) => ({
    id: idOf(call, index, sse),
    type: "function",
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const message = {
    role: "assistant",
    content: n === null ? texts.join("") : JSON.stringify(repeated(texts, n)),
    ...(reasoning.length > 0 && { reasoning: reasoning.join("") }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  return {
    id: head.id,
    provider: "Mock",
    model: head.model,
    object: "chat.completion",
    created: head.created,
    choices: [{ index: 0, message, finish_reason: finishOf(answer, parts), logprobs: null }],
    ...(!sse.noUsage && { usage: usageOf(answer.usage) }),
  };
}

/** So many texts; where there are fewer, they begin anew. */
function repeated(texts: readonly string[], n: number): readonly string[] {
  return Array.from({ length: n }, (_, place) => texts[place % texts.length] ?? "");
}
