// Reads streams of chunks as the AI SDK does.
import { type AgentwireUIMessage, toUIMessageStream } from "agentwire/ai-sdk";
import {
  asSchema,
  readUIMessageStream,
  safeValidateUIMessages,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { expect } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";

/** All chunks of a stream, each accepted by the SDK's own schema, as a page gets them over HTTP. */
export async function chunksIn(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) {
    const sent: unknown = JSON.parse(JSON.stringify(chunk));
    const read = await asSchema(uiMessageChunkSchema).validate?.(sent);
    if (!read?.success)
      throw new Error(`the schema refuses ${JSON.stringify(chunk)}`, { cause: read?.error });
    chunks.push(read.value);
  }
  return chunks;
}

/** The message that the SDK makes of chunks. Fails if the SDK reports an error other than an `error` chunk. */
export async function messageOf(
  chunks: readonly UIMessageChunk[],
  message?: AgentwireUIMessage,
): Promise<AgentwireUIMessage> {
  const told = chunks.flatMap((chunk) => (chunk.type === "error" ? [chunk.errorText] : []));
  const errors: string[] = [];
  let last: AgentwireUIMessage | undefined = message;
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of structuredClone(chunks)) controller.enqueue(chunk); // the SDK makes parts of them
      controller.close();
    },
  });
  const messages = readUIMessageStream<AgentwireUIMessage>({
    stream,
    ...(message ? { message } : {}),
    onError: (error) => errors.push(error instanceof Error ? error.message : String(error)),
  });
  for await (const next of messages) last = next;
  expect(errors).toEqual(told);
  if (!last) throw new Error("the stream has no message");
  const kept: unknown = JSON.parse(JSON.stringify([last]));
  if (last.parts.length > 0)
    expect(await safeValidateUIMessages({ messages: kept })).toMatchObject({ success: true });
  return last;
}

async function* eventsOf(events: readonly UniversalEvent[]): AsyncGenerator<UniversalEvent> {
  yield* events;
}

/** The chunks of the first turn of these events. */
export const chunksOf = (events: readonly UniversalEvent[]): Promise<UIMessageChunk[]> =>
  chunksIn(toUIMessageStream(eventsOf(events)));

/** What is not in its last state: a text that streams, a call without an outcome. */
export function openIn({ parts }: AgentwireUIMessage): string[] {
  return parts.flatMap((part) => {
    if (part.type === "text" || part.type === "reasoning")
      return part.state === "streaming" ? [part.type] : [];
    if (part.type === "data-subagent") return part.data.status === "running" ? [part.type] : [];
    if (part.type !== "dynamic-tool") return [];
    const isOver =
      (part.state === "output-available" && !part.preliminary) ||
      part.state === "output-error" ||
      part.state === "output-denied";
    return isOver ? [] : [`${part.toolName} ${part.state}`];
  });
}

/** The text of a message, and of each sub-agent in it. */
export function textsOf({ parts }: AgentwireUIMessage): { readonly text: string; readonly agents: string[] } {
  return {
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    agents: parts.flatMap((part) => (part.type === "data-subagent" ? [part.data.text] : [])),
  };
}
