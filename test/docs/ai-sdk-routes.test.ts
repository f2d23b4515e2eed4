// The route with approvals of docs/ai-sdk.md, and a page that speaks HTTP with it.
import { Chat } from "@ai-sdk/react";
import { type AgentwireUIMessage, lastMessageIsDecided } from "agentwire/ai-sdk";
import { MockCodebuffServer, step } from "agentwire/testing";
import { DefaultChatTransport } from "ai";
import { expect, test, vi } from "vitest";

type Routes = Readonly<Record<string, (request: Request) => Promise<Response>>>;

/** By a variable, because the snippet compiles with the DOM, and the tests do not. */
const ROUTE: string = "../../docs/snippets/web/ai-sdk-approvals-route.ts";

/** A page of the route. Its requests go to the handlers without a network. */
function pageOf(routes: Routes): Chat<AgentwireUIMessage> {
  return new Chat<AgentwireUIMessage>({
    id: "page",
    transport: new DefaultChatTransport({
      api: "http://page.test/api/chat",
      prepareReconnectToStreamRequest: ({ id }) => ({ api: `http://page.test/api/chat?id=${id}` }),
      fetch: async (url, init) => {
        const request = new Request(url, init);
        const response = await routes[request.method]?.(request);
        return response ?? new Response(null, { status: 405 });
      },
    }),
    sendAutomaticallyWhen: lastMessageIsDecided,
  });
}

test("a page that reloads finds its turn and its approval again, and DELETE or an hour without a request ends the chat", async () => {
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    *answer() {
      if (server.prompts.length > 1) return;
      yield "Let me look. ";
      yield* step.toolCall({ toolName: "get_time", input: {} });
      yield "It is late.";
    },
  });
  vi.stubEnv("AGENT_URL", server.url);
  const timers = vi.spyOn(globalThis, "setTimeout");
  const routes: Routes = await import(ROUTE);
  const remove = () =>
    routes["DELETE"]?.(new Request("http://page.test/api/chat?id=page", { method: "DELETE" }));
  const states = () => server.connections.map(({ state }) => state);

  const first = pageOf(routes);
  await first.resumeStream(); // nothing runs
  expect(first.messages).toEqual([]);
  await first.sendMessage({ text: "What time is it?" });
  const page = pageOf(routes);
  page.messages = structuredClone(first.messages);
  await page.resumeStream();
  expect(page.messages).toHaveLength(2);
  const part = page.lastMessage?.parts.at(-1);
  if (part?.type !== "dynamic-tool" || part.state !== "approval-requested")
    throw new Error(JSON.stringify(page.lastMessage));
  await page.addToolApprovalResponse({ id: part.approval.id, approved: true });
  await vi.waitFor(() => expect(page.lastMessage?.parts.at(-1)).toMatchObject({ text: "It is late." }));
  await remove();
  await vi.waitFor(() => expect(states()).toEqual(["closed"]));

  await page.sendMessage({ text: "And now?" });
  const [expiry] = timers.mock.calls.findLast(([, delay]) => delay === 3_600_000) ?? [];
  expiry?.();
  await vi.waitFor(() => expect(states()).toEqual(["closed", "closed"]));
  await page.resumeStream();
  expect(page.messages).toHaveLength(4);
});
