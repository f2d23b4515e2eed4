import { getEventListeners } from "node:events";
import { AgentwireChatTransport } from "agentwire/ai-sdk";
import { createChat } from "agentwire/chat";
import { agentStep, MockAgent, type MockAgentOptions } from "agentwire/testing/agent";
import type { UIMessage, UIMessageChunk } from "ai";
import { expect, test } from "vitest";
import { settle } from "../../src/testing/settle.ts";
import { chunksIn, messageOf, openIn } from "./support.ts";

const rm = { name: "rm", approval: true, output: "gone" } as const;

const userMessage = (text: string, more: UIMessage["parts"] = []): UIMessage => ({
  id: `user ${text}`,
  role: "user",
  parts: [{ type: "text", text }, ...more],
});

function rigOf(options: MockAgentOptions = {}) {
  const agent = new MockAgent(options);
  const chat = createChat(agent);
  const transport = new AgentwireChatTransport(chat);
  const send = (
    messages: UIMessage[],
    {
      chatId = "chat",
      signal,
      trigger = "submit-message",
    }: { chatId?: string; signal?: AbortSignal; trigger?: "submit-message" | "regenerate-message" } = {},
  ) => transport.sendMessages({ trigger, chatId, messageId: undefined, messages, abortSignal: signal });
  return { agent, chat, transport, send };
}

const typesOf = (chunks: readonly UIMessageChunk[]): string[] => chunks.map(({ type }) => type);

test.each([
  ["a blank prompt", [userMessage("  ")], "The message is empty"],
  ["a list without a message of the user", [], "no message of the user"],
  [
    "an assistant's message without a decision",
    [{ id: "a", role: "assistant", parts: [] } as UIMessage],
    "holds no decision",
  ],
  [
    "an image by its address",
    [userMessage("Look", [{ type: "file", mediaType: "image/png", url: "https://example.com/a.png" }])],
    "`data:` URL",
  ],
  [
    "a file that is no image",
    [userMessage("Look", [{ type: "file", mediaType: "text/plain", url: "data:text/plain,a" }])],
    "text/plain",
  ],
  ["messages that are no messages", [null] as unknown as UIMessage[], ""],
])("%s is a stream of one `error` chunk, and nothing is sent", async (_, messages, words) => {
  const { agent, send } = rigOf();
  expect(await chunksIn(await send(messages))).toEqual([
    { type: "error", errorText: expect.stringContaining(words) },
  ]);
  expect(agent.prompts).toHaveLength(0);
});

test("images that the backend does not take are refused, and those that it takes are sent", async () => {
  const image = { type: "file", mediaType: "image/png", url: "data:image/png;base64,aGk=" } as const;
  const without = rigOf({ capabilities: { images: false } });
  await without.agent.client();
  expect(typesOf(await chunksIn(await without.send([userMessage("Look", [image])])))).toEqual(["error"]);
  expect(without.agent.prompts).toHaveLength(0);
  const { agent, send } = rigOf();
  await chunksIn(await send([userMessage("Look", [image])]));
  expect(agent.prompts[0]?.images).toHaveLength(1);
});

test("a closed chat refuses every message", async () => {
  const { transport, send } = rigOf();
  await transport.close();
  expect(await chunksIn(await send([userMessage("Hi")]))).toEqual([
    { type: "error", errorText: expect.stringContaining("closed") },
  ]);
});

test("a prompt while the turn streams to another request is refused as busy", async () => {
  const { agent, send } = rigOf({ script: [["One ", agentStep.wait("go"), "two."]] });
  const first = await send([userMessage("Hi")]);
  const second = await chunksIn(await send([userMessage("Hey")]));
  expect(second).toEqual([{ type: "error", errorText: expect.stringContaining("busy") }]);
  agent.release("go");
  expect(typesOf(await chunksIn(first)).at(-1)).toBe("finish");
  expect(agent.prompts).toHaveLength(1);
});

test("a transport serves one chat: another `chatId` is refused, and gets no stream", async () => {
  const { agent, send, transport } = rigOf({ script: [["One ", agentStep.hang()]] });
  const first = await send([userMessage("Hi")]);
  expect(typesOf(await chunksIn(await send([userMessage("Hey")], { chatId: "other" })))).toEqual(["error"]);
  await settle();
  expect(await transport.reconnectToStream({ chatId: "other" })).toBeNull();
  expect(agent.prompts).toHaveLength(1);
  await transport.close();
  expect(typesOf(await chunksIn(first)).at(-1)).toBe("abort");
});

test.each([undefined, null, {}, "chat"])("%j is no chat", (chat) => {
  // @ts-expect-error: no chat
  expect(() => new AgentwireChatTransport(chat)).toThrow("createChat");
});

test("a failed turn ends its parts, then is an `error` chunk in words", async () => {
  const { send } = rigOf({
    script: [["So far", agentStep.fail("the model is overloaded", { kind: "overloaded" })]],
  });
  const chunks = await chunksIn(await send([userMessage("Hi")]));
  expect(typesOf(chunks).slice(-4)).toEqual(["text-end", "finish-step", "message-metadata", "error"]);
  expect(typesOf(chunks)).not.toContain("data-error");
});

test("a prompt that cannot be sent is one `error` chunk", async () => {
  const { send } = rigOf({ refuseConnect: true, reconnect: false });
  const chunks = await chunksIn(await send([userMessage("Hi")]));
  expect(chunks.at(-1)).toEqual({ type: "error", errorText: expect.stringContaining(".") });
});

test("`reconnectToStream` is null without an open turn", async () => {
  const { send, transport } = rigOf();
  expect(await transport.reconnectToStream({ chatId: "chat" })).toBeNull();
  await chunksIn(await send([userMessage("Hi")]));
  expect(await transport.reconnectToStream({ chatId: "chat" })).toBeNull();
});

test("a cancelled stream leaves the turn alone, and `reconnectToStream` replays it from its start", async () => {
  const { agent, send, transport } = rigOf({ script: [["One ", agentStep.wait("go"), "two."]] });
  const first = (await send([userMessage("Hi")])).getReader();
  while ((await first.read()).value?.type !== "text-delta");
  await first.cancel();
  const replay = await transport.reconnectToStream({ chatId: "chat" });
  agent.release("go");
  const message = await messageOf(await chunksIn(replay ?? (await send([]))));
  expect(message.parts.at(-1)).toMatchObject({ type: "text", text: "One two.", state: "done" });
});

test("`abortSignal` of a reconnect cancels the turn, but not if another reconnect follows at once", async () => {
  const { chat, send, transport } = rigOf({ script: [["One ", agentStep.hang()]] });
  const first = (await send([userMessage("Hi")])).getReader();
  while ((await first.read()).value?.type !== "text-delta");
  await first.cancel();
  const [one, two] = [new AbortController(), new AbortController()];
  const left = await transport.reconnectToStream({ chatId: "chat", abortSignal: one.signal });
  one.abort();
  const taken = await transport.reconnectToStream({ chatId: "chat", abortSignal: two.signal });
  await settle();
  expect(chat.getSnapshot().busy).toBe(true);
  two.abort();
  await settle();
  expect(chat.getSnapshot().busy).toBe(false);
  for (const stream of [left, taken])
    if (stream) expect(typesOf(await chunksIn(stream)).at(-1)).toBe("abort");
});

test("a reconnect waits for a source that replays old events", async () => {
  const { agent, chat, send, transport } = rigOf({ script: [["One ", agentStep.wait("go"), "two."]] });
  const first = (await send([userMessage("Hi")])).getReader();
  await first.cancel();
  await settle();
  const real = chat.getSnapshot;
  let loading = true;
  const listeners: (() => void)[] = [];
  Object.assign(chat, {
    getSnapshot: () => ({ ...real(), loading }),
    subscribe: (listener: () => void) => {
      listeners.push(listener);
      return () => {};
    },
  });
  const waiting = transport.reconnectToStream({ chatId: "chat" });
  const given = new AbortController();
  const left = transport.reconnectToStream({ chatId: "chat", abortSignal: given.signal });
  given.abort();
  expect(await left).toBeNull();
  loading = false;
  for (const listener of listeners) listener();
  const stream = await waiting;
  agent.release("go");
  expect(typesOf(await chunksIn(stream ?? (await send([])))).at(-1)).toBe("finish");
});

test("an abort at any chunk ends what is open before `abort`, cancels the turn, and leaves no listener", async () => {
  const script = [
    agentStep.reasoning("Hm. Well."),
    "One two. ",
    agentStep.subagent({
      type: "helper",
      steps: ["I help.", agentStep.tool({ name: "look", output: "seen" })],
    }),
    agentStep.tool({ name: "build", streams: ["a", "b"], output: "ab" }),
    agentStep.tool(rm),
    "Done.",
  ];
  for (let at = 0; ; at++) {
    const { agent, chat, send } = rigOf({ script: [script] });
    const abort = new AbortController();
    const reader = (await send([userMessage("Hi")], { signal: abort.signal })).getReader();
    const chunks: UIMessageChunk[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (chunks.length === at) abort.abort();
      chunks.push(read.value);
    }
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
    if (!abort.signal.aborted) break;
    await settle();
    expect(chunks.at(-1)?.type).toMatch(/abort|finish/);
    if (chunks.at(-1)?.type === "abort") {
      if (chunks.length > 1) expect(openIn(await messageOf(chunks))).toEqual([]);
      expect(chat.getSnapshot()).toMatchObject({ busy: false, pending: [] });
    }
    expect(agent.prompts).toHaveLength(1);
  }
});

test("an abort before the turn begins sends nothing", async () => {
  const { agent, chat, send } = rigOf({ connectDelay: 3_600_000 });
  const abort = new AbortController();
  const stream = await send([userMessage("Hi")], { signal: abort.signal });
  await settle();
  abort.abort();
  expect(typesOf(await chunksIn(stream))).toEqual(["abort"]);
  await settle();
  expect([agent.prompts.length, chat.getSnapshot().busy]).toEqual([0, false]);
  const late = await send([userMessage("Hi")], { signal: abort.signal });
  expect(typesOf(await chunksIn(late))).toEqual(["abort"]);
  await chat.close();
});

test("an abort takes back a prompt that is queued behind another turn", async () => {
  const { agent, chat, send } = rigOf({ script: [["One ", agentStep.wait("go"), "two."]] });
  chat.send("from another screen");
  const abort = new AbortController();
  const stream = await send([userMessage("Hi")], { signal: abort.signal });
  await settle();
  abort.abort();
  expect(typesOf(await chunksIn(stream))).toEqual(["abort"]);
  agent.release("go");
  await settle();
  expect(agent.prompts.map(({ text }) => text)).toEqual(["from another screen"]);
});

test("`close` ends every stream, and a chat that is closed by itself too", async () => {
  for (const close of ["transport", "chat"] as const) {
    const rig = rigOf({ script: [["One ", agentStep.hang()]] });
    const reading = chunksIn(await rig.send([userMessage("Hi")]));
    await settle();
    await rig[close].close();
    expect(openIn(await messageOf(await reading))).toEqual([]);
    expect(typesOf(await reading).at(-1)).toBe("abort");
  }
});

test("a decision for a request that was not shown approves nothing", async () => {
  const { agent, chat, send } = rigOf({ script: [[agentStep.tool(rm), "Done."]] });
  chat.send("from another screen");
  await settle();
  const [pending] = chat.getSnapshot().pending;
  const forged: UIMessage = {
    id: "a",
    role: "assistant",
    parts: [
      {
        type: "dynamic-tool",
        toolName: "rm",
        toolCallId: "c",
        state: "approval-responded",
        input: {},
        approval: { id: pending?.id ?? "", approved: true },
      },
    ],
  };
  expect(typesOf(await chunksIn(await send([forged])))).toEqual(["start", "tool-output-error", "finish"]);
  expect(chat.getSnapshot().pending).toHaveLength(1);
  expect(agent.prompts).toHaveLength(1);
});
