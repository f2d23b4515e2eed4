// The recap: the newest messages as text, for a backend that has lost the conversation.
import type { List } from "../../universal/transcript/list.ts";
import type { ChatMessage, ChatPart } from "../../universal/transcript/message.ts";

/** The longest recap in UTF-16 code units: about 8,000 tokens, and far below every frame limit. */
export const MAX_RECAP_LENGTH = 32_000;

const START = "[The conversation so far, repeated because you no longer have it:]";
const END = "[End of the conversation so far. The user now writes:]";
const CUT = "[...] ";

/**
 * The newest messages as text, to put in front of the next prompt. Contains text and the names of the tools that ran,
 * but no reasoning and no tool output. The oldest text is cut to fit.
 *
 *     [The conversation so far, repeated because you no longer have it:]
 *
 *     User: ...
 *
 *     Assistant: ...
 *
 *     [End of the conversation so far. The user now writes:]
 */
export function recapOf(messages: List<ChatMessage>, limit = MAX_RECAP_LENGTH): string {
  const entries: string[] = [];
  let left = limit;
  for (let at = messages.length - 1; at >= 0 && left > 0; at--) {
    const message = messages.at(at);
    if (!message || !wasSaid(message)) continue;
    const said = lastOf(message.parts, left);
    if (said === "") continue;
    entries.push(`${message.role === "user" ? "User" : "Assistant"}: ${said}`);
    left -= said.length;
  }
  return entries.length === 0 ? "" : [START, ...entries.reverse(), END, ""].join("\n\n");
}

/** Whether the message belongs to the conversation. An unsent prompt does not. */
export function wasSaid({ role, status }: ChatMessage): boolean {
  if (role === "system") return false;
  return role === "assistant" || status === "sent" || status === "completed";
}

/** The text of the last parts, cut at the front to `limit`. Reads only as many parts as fit. */
function lastOf(parts: List<ChatPart>, limit: number): string {
  const texts: string[] = [];
  let left = limit;
  for (let at = parts.length - 1; at >= 0 && left > 0; at--) {
    const part = parts.at(at);
    const text =
      part?.type === "text" ? part.text : part?.type === "tool" ? `[used the tool ${part.name}]` : "";
    if (text.trim() === "") continue;
    texts.push(text.length <= left ? text : CUT + tailOf(text, left));
    left -= text.length;
  }
  return texts.reverse().join("\n");
}

/** The end of a text, never starting inside a surrogate pair. */
function tailOf(text: string, length: number): string {
  const tail = text.slice(text.length - length);
  const first = tail.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? tail.slice(1) : tail;
}
