// Pure: the turns of a history, and what compaction makes of them.
import type { ToolOutput } from "../../codebuff-events/print-mode.ts";
import { type RunMessage, USER_PROMPT } from "../messages.ts";
import { plainText } from "./history.ts";

/** Marks the message that stands for the turns that compaction removed. */
const SUMMARY = "SUMMARY";

/** Characters of a result in an old turn. Enough to see what the result was about. */
const MAX_OLD_RESULT = 2_000;

/** The turns of a history: each from a prompt to the next. What comes before the first prompt is one, too. */
export function turnsIn(history: readonly RunMessage[]): readonly (readonly RunMessage[])[] {
  const turns: RunMessage[][] = [];
  for (const message of history) {
    const turn = turns.at(-1);
    if (turn && !isPrompt(message)) turn.push(message);
    else turns.push([message]);
  }
  return turns;
}

/** Whether a message begins a turn. Histories of other programs may have no tags. */
function isPrompt(message: RunMessage): boolean {
  if (message.role !== "user") return false;
  return message.tags?.includes(USER_PROMPT) ?? !plainText(message.content).startsWith("<system>");
}

export function isSummary([message]: readonly RunMessage[]): boolean {
  return message?.role === "user" && message.tags?.includes(SUMMARY) === true;
}

/** The message that stands for removed turns. The model's words stay outside of the tags for this library's words. */
export function summaryMessage(summary: string, sentAt: number): RunMessage {
  return standIn(`<system>Summary of the conversation before this point:</system>\n${summary}`, sentAt);
}

/** The message in place of turns that were removed without a summary. */
export function leftOutMessage(sentAt: number): RunMessage {
  return standIn("<system>The oldest part of this conversation was left out.</system>", sentAt);
}

function standIn(text: string, sentAt: number): RunMessage {
  return { role: "user", content: [{ type: "text", text }], tags: [SUMMARY], sentAt };
}

/** A message of an old turn. Long results are cut. */
export function withShortResult(message: RunMessage): RunMessage {
  if (message.role !== "tool" || JSON.stringify(message.content).length <= MAX_OLD_RESULT) return message;
  return { ...message, content: [{ type: "json", value: shortText(message.content) }] };
}

/** A result as a text: the beginning of a long one, and the types of media. */
function shortText(content: readonly ToolOutput[]): string {
  const text = JSON.stringify(content.map((part) => (part.type === "json" ? part.value : part.mediaType)));
  return text.length <= MAX_OLD_RESULT
    ? text
    : `${text.slice(0, MAX_OLD_RESULT / 2)} [cut: ${text.length} characters]`;
}

/** Turns as a text, for the model that sums them up. */
export function transcriptOf(messages: readonly RunMessage[]): string {
  return messages.flatMap(linesOf).join("\n");
}

function linesOf(message: RunMessage): readonly string[] {
  if (message.role === "tool") return [`Result of ${message.toolName}: ${shortText(message.content)}`];
  const speaker = message.role === "assistant" ? "Agent" : "User";
  return message.content.flatMap((part) => {
    if (part.type === "text") return [`${speaker}: ${part.text}`];
    if (part.type === "image") return [`${speaker}: [an image]`];
    return part.type === "tool-call" ? [`Agent calls ${part.toolName}: ${JSON.stringify(part.input)}`] : [];
  });
}
