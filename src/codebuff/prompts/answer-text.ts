// The text of an answer that was not streamed, from the message that ends its prompt.
import { isObject } from "../../core/checks.ts";
import type { PromptResponse } from "../messages.ts";

/**
 * The text of the answer in the message that ends a prompt, for an answer that was not streamed: in `output`, otherwise in the last
 * messages of the new state. `undefined` without a text, and on the published proxy: its state is the prompt's own, so the last answer in it
 * is an older one.
 */
export function answerText({ output, sessionState, toolCalls }: PromptResponse): string | undefined {
  const isOriginal = output != null || toolCalls != null;
  if (!isOriginal || output?.["type"] === "error") return undefined;
  const { mainAgentState } = sessionState;
  const history = isObject(mainAgentState) ? mainAgentState["messageHistory"] : undefined;
  return textOf(output?.["value"]) ?? textOf(history);
}

/** A text, or the text of the assistant's messages after the user's last one. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (!Array.isArray(value)) return undefined;
  let text = "";
  for (let at = value.length - 1; at >= 0; at--) {
    const message: unknown = value[at];
    if (!isObject(message)) continue;
    if (message["role"] === "user") break;
    if (message["role"] === "assistant") text = contentText(message["content"]) + text;
  }
  return text === "" ? undefined : text;
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => (isObject(part) && part["type"] === "text" ? part["text"] : undefined))
    .filter((text) => typeof text === "string")
    .join("");
}
