// Signals that many requests share, and signals that have aborted already.
import { getEventListeners } from "node:events";
import { AgentwireChatTransport } from "agentwire/ai-sdk";
import { createChat } from "agentwire/chat";
import { agentStep, MockAgent, type MockAgentOptions } from "agentwire/testing/agent";
import type { UIMessage } from "ai";
import { expect, test } from "vitest";
import { settle } from "../../src/testing/settle.ts";
import { Rig } from "../chat/support/rig.ts";
import { chunksIn } from "./support.ts";

class Shared {
  readonly abort = new AbortController();
  readonly agent: MockAgent;
  readonly transport: AgentwireChatTransport;
  #sent = 0;

  constructor(options: MockAgentOptions) {
    this.agent = new MockAgent(options);
    this.transport = new AgentwireChatTransport(createChat(this.agent));
  }

  send(text: string) {
    const message: UIMessage = { id: `u${++this.#sent}`, role: "user", parts: [{ type: "text", text }] };
    return this.transport.sendMessages({
      trigger: "submit-message",
      chatId: "chat",
      messageId: undefined,
      messages: [message],
      abortSignal: this.abort.signal,
    });
  }

  get listeners(): number {
    return getEventListeners(this.abort.signal, "abort").length;
  }
}

const rm = { name: "rm", approval: true, output: "gone" } as const;

test("no request leaves a listener on a shared signal, however its stream ends", async () => {
  const shared = new Shared({
    script: ({ text }) =>
      text === "ask" ? [agentStep.tool(rm)] : text === "fail" ? [agentStep.fail("no")] : ["Yes."],
  });
  for (const text of ["go", "fail", "ask", "go"]) {
    await chunksIn(await shared.send(text));
    expect(shared.listeners, `read: ${text}`).toBe(0);
  }
  await shared.send(" "); // refused, and never read
  expect(shared.listeners, "refused").toBe(0);
  for (let at = 0; at < 5; at++) {
    await (await shared.send("go")).cancel();
    await settle();
    await settle();
    expect(shared.listeners, "cancelled").toBe(0);
  }
});

test("a stream that was cancelled while its turn runs has one listener, until the turn is over", async () => {
  const shared = new Shared({ script: [["One ", agentStep.wait("go"), "two."]] });
  await (await shared.send("go")).cancel();
  await settle();
  for (let at = 0; at < 3; at++) {
    const again = await shared.transport.reconnectToStream({
      chatId: "chat",
      abortSignal: new AbortController().signal,
    });
    await again?.cancel();
  }
  expect(shared.listeners).toBe(1);
  const rest = await shared.transport.reconnectToStream({ chatId: "chat" });
  shared.agent.release("go");
  if (rest) await chunksIn(rest);
  await settle();
  expect(shared.listeners).toBe(0);
});

test("a signal that aborts after its stream was cancelled still cancels the turn", async () => {
  const shared = new Shared({ script: [["One ", agentStep.hang()]] });
  await (await shared.send("go")).cancel();
  await settle();
  shared.abort.abort();
  await settle();
  expect(shared.agent.prompts).toHaveLength(1);
  expect(await shared.transport.reconnectToStream({ chatId: "chat" })).toBeNull();
});

test("`reconnectToStream` with an aborted signal is null at once, cancels nothing, and leaves no listener", async () => {
  const endless = new Promise<void>(() => {});
  for (const options of [{}, { caughtUp: endless }]) {
    const rig = new Rig({}, options);
    rig.chat.send("Hello");
    expect(rig.now.loading).toBe("caughtUp" in options);
    const transport = new AgentwireChatTransport(rig.chat);
    const abortSignal = AbortSignal.abort();
    expect(await transport.reconnectToStream({ chatId: "chat", abortSignal })).toBeNull();
    expect(getEventListeners(abortSignal, "abort")).toEqual([]);
    expect(rig.source.turn.cancels).toBe(0);
  }
});

test("a reconnect whose signal has aborted does not stand in for an earlier one that was left", async () => {
  const shared = new Shared({ script: [["One ", agentStep.hang()]] });
  await (await shared.send("go")).cancel();
  await settle();
  const left = new AbortController();
  await shared.transport.reconnectToStream({ chatId: "chat", abortSignal: left.signal });
  left.abort();
  await shared.transport.reconnectToStream({ chatId: "chat", abortSignal: AbortSignal.abort() });
  await settle();
  expect(await shared.transport.reconnectToStream({ chatId: "chat" })).toBeNull();
});
