import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { type Block, blockOf, TEXTS } from "./frames.ts";
import { pour } from "./pour.ts";

/** A chunk with every field that the real server sends. */
const chunk = (delta: object, more: object = {}): object => ({
  id: "gen-1773482400-0123456789abcdef",
  provider: "Bench",
  model: "openai/gpt-5-mini",
  object: "chat.completion.chunk",
  created: 1_773_482_400,
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});

const event = (data: string): string => `data: ${data}\n\n`;

/** Chunks in a block: some 100 kB, so that a reader never waits. */
const BLOCK = 512;

const CHUNKS: Block = blockOf(
  Array.from({ length: BLOCK }, (_, at) =>
    Buffer.from(event(JSON.stringify(chunk({ role: "assistant", content: TEXTS[at % TEXTS.length] })))),
  ),
);

const END = `${event(JSON.stringify(chunk({ role: "assistant", content: "" }, { finish_reason: "stop" })))}${event("[DONE]")}`;

/** The part of the HTTP backend that a run of one step needs. The path begins with the number of chunks: `/run/1000/api/v1/...` */
export async function serveRun(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, , count, ...rest] = (request.url ?? "").split("/");
  const path = rest.join("/");
  const body = request.method === "POST" ? await json(request) : undefined;
  if (path === "api/v1/chat/completions") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    await pour(response, CHUNKS, Number(count));
    response.end(END);
    return;
  }
  const isStart = (body as { readonly action?: string } | undefined)?.action === "START";
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify(isStart ? { runId: "run-1" } : { id: "user-1", inputTokens: 1, success: true }),
  );
}
