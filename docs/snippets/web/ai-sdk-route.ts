// #region ai-sdk-route
// app/api/chat/route.ts
import { toUIMessageStream } from "agentwire/ai-sdk";
import { codebuff } from "agentwire/codebuff";
import { createUIMessageStreamResponse, type UIMessage } from "ai";

const source = codebuff({ url: process.env["AGENT_URL"] ?? "ws://127.0.0.1:4242/ws" });

export async function POST(request: Request): Promise<Response> {
  const { messages }: { readonly messages: readonly UIMessage[] } = await request.json();
  const text = messages.at(-1)?.parts.map((part) => (part.type === "text" ? part.text : "")) ?? [];
  if (text.join("").trim() === "") return new Response("A blank prompt", { status: 400 });
  const client = source.client();
  const turn = client.prompt(text.join("\n"), { read: false, signal: request.signal }); // a closed page cancels the turn
  void turn.outcome.finally(() => client.close());
  return createUIMessageStreamResponse({ stream: toUIMessageStream(source.toUniversal(turn)) });
}
// #endregion
