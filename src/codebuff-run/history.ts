import type { ToolOutput } from "../codebuff-events/print-mode.ts";
import type { ChatMessage, ChatPart, RunMessage, RunPart, RunToolMessage } from "./messages.ts";

type AssistantMessage = Extract<ChatMessage, { readonly role: "assistant" }>;
type WireCall = NonNullable<AssistantMessage["tool_calls"]>[number];

/**
 * The history without tool calls that have no result, and without results that have no call. Providers refuse both. A call and its result
 * belong together by their id; of several with one id the first counts.
 */
export function withoutOrphans(history: readonly RunMessage[]): readonly RunMessage[] {
  const results = new Set<string>();
  for (const message of history) if (message.role === "tool") results.add(message.toolCallId);
  const called = new Set<string>();
  const answered = new Set<string>();
  const kept: RunMessage[] = [];
  for (const message of history) {
    if (message.role === "tool") {
      const { toolCallId } = message;
      if (!called.has(toolCallId) || answered.has(toolCallId)) continue;
      answered.add(toolCallId);
      kept.push(message);
      continue;
    }
    const content = message.content.filter((part) => {
      if (part.type !== "tool-call") return true;
      const isNew = results.has(part.toolCallId) && !called.has(part.toolCallId);
      called.add(part.toolCallId);
      return isNew;
    });
    if (content.length === message.content.length) kept.push(message);
    else if (content.length > 0) kept.push({ ...message, content });
  }
  return kept;
}

/** The messages of a chat request. */
export function toWire(systemPrompt: string, history: readonly RunMessage[]): readonly ChatMessage[] {
  const wire: ChatMessage[] = systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }];
  let open: { text: string; readonly calls: WireCall[] } | undefined;
  /** Pictures of tool results: they may not stand between the results of one answer. */
  let pictures: ChatPart[] = [];
  const close = (): void => {
    if (open) {
      const { text: content, calls } = open;
      wire.push({ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) });
    }
    open = undefined;
  };
  const show = (): void => {
    if (pictures.length > 0) wire.push({ role: "user", content: pictures });
    pictures = [];
  };
  for (const message of withoutOrphans(history)) {
    if (message.role === "assistant") {
      show();
      open ??= { text: "", calls: [] };
      for (const part of message.content) {
        if (part.type === "text") open.text += part.text;
        else if (part.type === "tool-call") open.calls.push(wireCall(part));
      }
      continue;
    }
    close();
    if (message.role === "tool") {
      wire.push({ role: "tool", tool_call_id: message.toolCallId, content: textOf(message.content) });
      pictures.push(...picturesOf(message));
      continue;
    }
    show();
    if (message.role === "system") wire.push({ role: "system", content: plainText(message.content) });
    else wire.push({ role: "user", content: message.content.flatMap(wirePart) });
  }
  close();
  show();
  return wire;
}

function wireCall({
  toolCallId: id,
  toolName: name,
  input,
}: Extract<RunPart, { readonly type: "tool-call" }>): WireCall {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

/** The text of a result: the JSON of its only value, or of the list of its values. */
function textOf(content: readonly ToolOutput[]): string {
  const values = content.flatMap((part) => (part.type === "json" ? [part.value] : []));
  return JSON.stringify(values.length === 1 ? values[0] : values);
}

function picturesOf({ content }: RunToolMessage): readonly ChatPart[] {
  return content.flatMap((part) =>
    part.type === "media" && part.mediaType.startsWith("image/")
      ? [picture(`data:${part.mediaType};base64,${part.data}`)]
      : [],
  );
}

function wirePart(part: RunPart): readonly ChatPart[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "image") return [];
  const { image, mediaType = "image/png" } = part;
  return [picture(/^(?:data|https?):/i.test(image) ? image : `data:${mediaType};base64,${image}`)];
}

function picture(url: string): ChatPart {
  return { type: "image_url", image_url: { url } };
}

export function plainText(content: readonly RunPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A note of this library to the model. */
export function note(text: string, sentAt: number): RunMessage {
  return { role: "user", content: [{ type: "text", text: `<system>${text}</system>` }], sentAt };
}

/** Characters for a token, in an estimate. */
const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(...texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / CHARACTERS_PER_TOKEN);
}
