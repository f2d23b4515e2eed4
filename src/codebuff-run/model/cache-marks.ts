// Marks for the caches of models: `cache_control` on the system prompt and on two messages of the history.
import type { CacheControl, ModelMessage } from "../messages.ts";

const MARK: CacheControl = { type: "ephemeral" };

/**
 * Marks the system prompt, the last message, and the message before the last answer, which was the last message of the
 * request before: what that request stored is found again. Codebuff's SDK sets the same marks.
 */
export function withCacheMarks(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const last = messages.length - 1;
  const answer = messages.map(({ role }) => role).lastIndexOf("assistant");
  const places = new Set([messages[0]?.role === "system" ? 0 : last, answer - 1, last]);
  return messages.map((message, place) => (places.has(place) ? withMark(message) : message));
}

/** Anthropic refuses marks on empty texts. */
function withMark(message: ModelMessage): ModelMessage {
  if (message.role !== "user") return message.content === "" ? message : { ...message, cache_control: MARK };
  const part = message.content.at(-1);
  if (!part || (part.type === "text" && part.text === "")) return message;
  return { ...message, content: [...message.content.slice(0, -1), { ...part, cache_control: MARK }] };
}

export function unmarked(message: ModelMessage): ModelMessage {
  if (!cacheMarkOf(message)) return message;
  if (message.role !== "user") {
    const { cache_control: _, ...plain } = message;
    return plain;
  }
  return { ...message, content: message.content.map(({ cache_control: _, ...part }) => part) };
}

export function cacheMarkOf(message: ModelMessage): CacheControl | undefined {
  return message.role === "user" ? message.content.at(-1)?.cache_control : message.cache_control;
}

/** Whether a model's name is one of Anthropic's: the other vendors cache without marks. */
export function readsMarks(model: string): boolean {
  return /claude|anthropic/i.test(model);
}

/**
 * A message with its text as a list of parts, for Anthropic models behind OpenAI's API: there the parts have the marks. A
 * message without a mark has the same form, so that requests differ in their marks alone.
 */
export function inParts(message: ModelMessage): object {
  if (message.role === "user" || message.content === "") return message;
  const { cache_control, content: text, ...rest } = message;
  return { ...rest, content: [{ type: "text", text, ...(cache_control ? { cache_control } : {}) }] };
}
