// #region ai-sdk-approvals-route
// app/api/chat/route.ts
import { AgentwireChatTransport } from "agentwire/ai-sdk";
import { createChat } from "agentwire/chat";
import { codebuff } from "agentwire/codebuff";
import { createUIMessageStreamResponse } from "ai";

const source = codebuff({
  url: process.env["AGENT_URL"] ?? "ws://127.0.0.1:4242/ws",
  tools: { get_time: () => [{ type: "json", value: { time: new Date().toISOString() } }] },
  onToolApproval: "manual",
});
export const transports = new Map<string, AgentwireChatTransport>();

export async function POST(request: Request): Promise<Response> {
  const { id, messages, trigger, messageId } = await request.json(); // may this user use this chat? check it here
  const transport = transports.get(id) ?? new AgentwireChatTransport(createChat(source));
  transports.set(id, transport);
  const options = { chatId: id, messages, trigger, messageId, abortSignal: request.signal };
  return createUIMessageStreamResponse({ stream: await transport.sendMessages(options) });
}
// #endregion
