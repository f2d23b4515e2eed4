// Converts an agent's history into the messages of a chat request.
import { isToolOutput, type ToolOutput } from "../../codebuff-events/print-mode.ts";
import { fromBase64, isBase64 } from "../../core/bytes.ts";
import type {
  ModelMessage,
  ModelPart,
  RunCallPart,
  RunMessage,
  RunPart,
  RunToolMessage,
} from "../messages.ts";

type AssistantMessage = Extract<ModelMessage, { readonly role: "assistant" }>;
type WireCall = NonNullable<AssistantMessage["tool_calls"]>[number];

/** Drops unpaired calls and results: providers refuse them. If an id repeats, the first pair counts. */
export function withoutOrphans(history: readonly RunMessage[]): readonly RunMessage[] {
  const called = new Set<string>();
  const complete = new Set<string>();
  for (const message of history) {
    if (message.role === "tool") {
      if (called.has(message.toolCallId)) complete.add(message.toolCallId);
    } else for (const part of message.content) if (part.type === "tool-call") called.add(part.toolCallId);
  }
  const calls = new Set(complete);
  const results = new Set(complete);
  const kept: RunMessage[] = [];
  for (const message of history) {
    if (message.role === "tool") {
      if (!calls.has(message.toolCallId) && results.delete(message.toolCallId)) kept.push(message);
      continue;
    }
    const content = message.content.filter(
      (part) => part.type !== "tool-call" || calls.delete(part.toolCallId),
    );
    if (content.length === message.content.length) kept.push(message);
    else if (content.length > 0) kept.push({ ...message, content });
  }
  return kept;
}

/** The calls without a result. */
export function openCallsIn(history: readonly RunMessage[]): readonly RunCallPart[] {
  const open = new Map<string, RunCallPart>();
  for (const message of history) {
    if (message.role === "tool") open.delete(message.toolCallId);
    else for (const part of message.content) if (part.type === "tool-call") open.set(part.toolCallId, part);
  }
  return [...open.values()];
}

/** The messages of a chat request. Each result directly follows the message of its call. */
export function toWire(systemPrompt: string, history: readonly RunMessage[]): readonly ModelMessage[] {
  const messages = withoutOrphans(history);
  const results = new Map<string, RunToolMessage>();
  for (const message of messages) if (message.role === "tool") results.set(message.toolCallId, message);
  const wire: ModelMessage[] = systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }];
  let text = "";
  let calls: WireCall[] = [];
  /** Images of results. Providers do not allow them between the results of one answer. */
  let pictures: ModelPart[] = [];
  const closeAnswer = (): void => {
    if (text !== "" || calls.length > 0)
      wire.push({ role: "assistant", content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) });
    for (const { id } of calls) {
      const { content = [] } = results.get(id) ?? {};
      wire.push({ role: "tool", tool_call_id: id, content: textOf(content) });
      pictures.push(...picturesOf(content));
    }
    text = "";
    calls = [];
  };
  const showPictures = (): void => {
    if (pictures.length > 0) wire.push({ role: "user", content: pictures });
    pictures = [];
  };
  for (const message of messages) {
    if (message.role === "assistant") {
      showPictures();
      for (const part of message.content) {
        if (part.type === "text") text += part.text;
        else if (part.type === "tool-call") calls.push(wireCall(part));
      }
      continue;
    }
    closeAnswer();
    if (message.role === "tool") continue;
    showPictures();
    if (message.role === "system") wire.push({ role: "system", content: plainText(message.content) });
    else {
      const content = message.content.flatMap(wirePart);
      if (content.length > 0) wire.push({ role: "user", content });
    }
  }
  closeAnswer();
  showPictures();
  return wire;
}

function wireCall({ toolCallId: id, toolName: name, input }: RunCallPart): WireCall {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

/** A result as text: the JSON of its only value, or of all values. Includes text files. */
function textOf(content: readonly ToolOutput[]): string {
  const values = content.flatMap((part) => {
    if (part.type === "json") return [part.value];
    const isText = isToolOutput(part) && part.mediaType.startsWith("text/") && isBase64(part.data);
    return isText ? [new TextDecoder().decode(fromBase64(part.data))] : [];
  });
  return JSON.stringify(values.length === 1 ? (values[0] ?? null) : values);
}

function picturesOf(content: readonly ToolOutput[]): readonly ModelPart[] {
  return content.flatMap((part) =>
    isToolOutput(part) && part.type === "media" && part.mediaType.startsWith("image/")
      ? [picture(`data:${part.mediaType};base64,${part.data}`)]
      : [],
  );
}

function wirePart(part: RunPart): readonly ModelPart[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "image") return [];
  const { image, mediaType = "image/png" } = part;
  return [picture(/^(?:data|https?):/i.test(image) ? image : `data:${mediaType};base64,${image}`)];
}

function picture(url: string): ModelPart {
  return { type: "image_url", image_url: { url } };
}

export function plainText(content: readonly RunPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A message from this library to the model. */
export function noteMessage(text: string, sentAt: number): RunMessage {
  return { role: "user", content: [{ type: "text", text: `<system>${text}</system>` }], sentAt };
}

/** Characters per token, for estimates. */
export const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(...texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / CHARACTERS_PER_TOKEN);
}
