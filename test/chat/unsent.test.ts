import { codey } from "agentwire/codey";
import { agentStep, MockAgent, MockCodeyServer } from "agentwire/testing";
import type { AgentSource } from "agentwire/universal";
import { expect, test, vi } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import { memoryStore } from "../../src/chat/store/store.ts";

const shownBy = (chat: Chat) =>
  chat.getSnapshot().messages.map(({ role, status, error }) => ({ role, status, error }));

const refusing = async (status: number) => {
  const server = await MockCodeyServer.start();
  server.refuseUpgrades(status);
  const source = codey({ url: server.url });
  return { source, [Symbol.asyncDispose]: () => server.stop() };
};

const mock = async () => ({
  source: new MockAgent({ refuseConnect: true }),
  [Symbol.asyncDispose]: async () => {},
});

type Made = Promise<AsyncDisposable & { readonly source: AgentSource }>;

test.each<readonly [title: string, says: string, make: () => Made]>([
  ["no connection", "The server cannot be reached", mock],
  ["HTTP 401", "You are not signed in", () => refusing(401)],
  ["HTTP 404", "The server cannot be reached", () => refusing(404)],
  ["HTTP 503", "The server is busy", () => refusing(503)],
])(
  "a prompt that was not sent shows the same error after a reload from the store: %s",
  async (_title, says, make) => {
    await using made = await make();
    const store = memoryStore();
    await using chat = createChat(made.source, { store, id: "a" });
    chat.send("Hello");
    await vi.waitFor(() => expect(chat.getSnapshot().messages.at(0)?.status).toBe("failed"));
    await chat.close();
    const shown = shownBy(chat);
    expect(shown).toMatchObject([
      { role: "user", status: "failed", error: { title: says, code: "connect-failed" } },
    ]);
    await using again = createChat(made.source, { store, id: "a" });
    await vi.waitFor(() => expect(again.getSnapshot().loading).toBe(false));
    expect(shownBy(again)).toEqual(shown);
    expect(again.getSnapshot().connection.contextLost).toBe(false); // the agent was never told anything
  },
);

test("a prompt with a partial answer shows as sent, also after a reload from the store", async () => {
  const store = memoryStore();
  const agent = new MockAgent({ script: [["Wait", agentStep.lose({ forGood: true })]] });
  await using chat = createChat(agent, { store, id: "a" });
  chat.send("Hello");
  await vi.waitFor(() => expect(chat.getSnapshot().messages.at(1)?.status).toBe("failed"));
  await chat.close();
  await using again = createChat(agent, { store, id: "a" });
  await vi.waitFor(() => expect(again.getSnapshot().loading).toBe(false));
  expect(shownBy(again)).toEqual(shownBy(chat));
  expect(shownBy(again)).toMatchObject([{ status: "sent" }, { role: "assistant", status: "failed" }]);
});
