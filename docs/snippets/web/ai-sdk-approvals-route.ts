// A route of docs/ai-sdk.md, which shows its handlers.
import { AgentwireChatTransport } from "agentwire/ai-sdk";
import { createChat } from "agentwire/chat";
import { codebuff } from "agentwire/codebuff";
import { createUIMessageStreamResponse } from "ai";

const source = codebuff({
  url: process.env["AGENT_URL"] ?? "ws://127.0.0.1:4242/ws",
  tools: { get_time: () => [{ type: "json", value: { time: new Date().toISOString() } }] },
  onToolApproval: "manual",
});
const HOUR = 3_600_000;
const chats = new Map<string, { transport: AgentwireChatTransport; expiry: ReturnType<typeof setTimeout> }>();

/** A chat lives until an hour after its last request, or until DELETE. */
function transportOf(id: string): AgentwireChatTransport {
  const chat = chats.get(id);
  clearTimeout(chat?.expiry);
  const transport = chat?.transport ?? new AgentwireChatTransport(createChat(source));
  chats.set(id, { transport, expiry: setTimeout(() => void remove(id), HOUR) });
  return transport;
}

async function remove(id: string): Promise<void> {
  const chat = chats.get(id);
  clearTimeout(chat?.expiry);
  chats.delete(id);
  await chat?.transport.close(); // ends the turn, and rejects open requests
}

// Each handler: may this user use this chat? Check it first.
const idOf = (request: Request): string => new URL(request.url).searchParams.get("id") ?? "";
const nothing = (): Response => new Response(null, { status: 204 });

// #region ai-sdk-approvals-route
export async function POST(request: Request): Promise<Response> {
  const { id, messages, trigger, messageId } = await request.json();
  const options = { chatId: id, messages, trigger, messageId, abortSignal: undefined };
  return createUIMessageStreamResponse({ stream: await transportOf(id).sendMessages(options) });
}

export async function GET(request: Request): Promise<Response> {
  const id = idOf(request);
  const stream = chats.has(id) && (await transportOf(id).reconnectToStream({ chatId: id }));
  return stream ? createUIMessageStreamResponse({ stream }) : nothing();
}
// #endregion

export async function DELETE(request: Request): Promise<Response> {
  await remove(idOf(request));
  return nothing();
}
