import { ConnectError, ConnectionLostError } from "agentwire";
import { expect, test } from "vitest";
import type { FakeState } from "../helpers/fake-source.ts";
import { Rig } from "./support/rig.ts";

const lost = (): ConnectionLostError => new ConnectionLostError("the connection ended");

test("`connection` shows the status, the attempt, the time of the next attempt and the reason", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  expect(rig.now.connection).toEqual({ status: "idle", attempt: 0, contextLost: false });
  agent.is("ready");
  agent.loses(lost());
  agent.is("reconnecting");
  agent.emit("reconnecting", { attempt: 2, delay: 1_500, error: lost() });
  expect(rig.now.connection).toEqual({
    status: "reconnecting",
    attempt: 2,
    retryAt: rig.clock.wallTime() + 1_500,
    reason: expect.objectContaining({ code: "connection-lost" }),
    contextLost: false,
  });
  agent.is("connecting");
  expect(rig.now.connection).toMatchObject({ status: "connecting", attempt: 2 });
  expect(rig.now.connection.retryAt).toBeUndefined();
  agent.is("ready");
  expect(rig.now.connection).toEqual({ status: "ready", attempt: 0, contextLost: false });
});

test("the connection's `reason` mentions no message, even after the client gives up", () => {
  const rig = new Rig();
  const { agent } = rig.source;
  agent.is("ready");
  agent.loses(new ConnectError("cannot connect"));
  expect(rig.now.connection.reason?.detail).toBe("Check your network, and whether the server is running.");
  agent.emit("reconnecting", { attempt: 1, delay: 10, error: new ConnectError("cannot connect") });
  agent.givesUp(new ConnectError("cannot connect"));
  expect(rig.now.connection).toMatchObject({ status: "closed", reason: { code: "connect-failed" } });
  expect(rig.now.connection.reason?.detail).not.toMatch(/message/);
});

test("after a final close the next prompt makes a new client, which continues from the last state", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  const first = rig.source.agent;
  first.givesUp(lost());
  expect(rig.now.connection).toMatchObject({ status: "closed", contextLost: false });
  expect(rig.source.agents).toHaveLength(1);
  await rig.talk("More", "Yes");
  expect(rig.source.agents).toHaveLength(2);
  expect(rig.source.conversation.from).toMatchObject({ said: ["Hello"] } satisfies Partial<FakeState>);
  expect(rig.lines.slice(-2)).toEqual(["user sent: More", "assistant completed: Yes"]);
  expect(first.listeners.size).toBe(0);
});

test("when the client gives up, prompts that were not sent fail, and a retry is safe", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.chat.send("Three");
  rig.source.agent.givesUp(lost());
  await rig.settle();
  expect(rig.lines.slice(-2)).toEqual(["user failed: Two", "user failed: Three"]);
  expect(rig.now.messages.at(-1)?.error).toMatchObject({ retry: "safe" });
  expect(rig.source.agents).toHaveLength(1);
  expect(rig.now).toMatchObject({ busy: false, queue: { length: 0 } });
});

test("a client that closed without an event is replaced once, and the new client sends the prompt", () => {
  const rig = new Rig();
  rig.source.agent.status = "closed";
  rig.chat.send("Hello");
  expect(rig.source.agents).toHaveLength(2);
  expect(rig.prompts).toEqual(["user sent: Hello"]);
});

test("a conversation that refuses with `closed` gets one new client, and a second refusal is final", () => {
  const rig = new Rig();
  const make = rig.source.client.bind(rig.source);
  rig.source.client = () => {
    const agent = make();
    void agent.close();
    return agent;
  };
  void rig.source.agent.close();
  expect(rig.chat.send("Hello")).toMatchObject({ ok: false, error: { code: "closed" } });
  expect(rig.source.agents).toHaveLength(2);
  expect(rig.lines).toEqual(["user failed: Hello"]);
});

test("after a session has ended, the same client starts a new conversation", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  rig.source.turn.stream.emit("session.ended", { reason: "error", terminated_by: "daemon" });
  await rig.talk("More", "Yes");
  expect(rig.source.agents).toHaveLength(1);
  expect(rig.source.agent.conversations).toHaveLength(2);
  expect(rig.source.conversation.from).toMatchObject({ said: ["Hello"] });
  expect(rig.now.connection.contextLost).toBe(false);
});

test("a chat that never connected has no context to lose", async () => {
  const rig = new Rig({}, { sendsAtOnce: false, goesOn: false, capabilities: { survivesReconnect: false } });
  rig.chat.send("Hello");
  rig.source.agent.givesUp(lost());
  await rig.settle();
  expect(rig.now.connection.contextLost).toBe(false);
  expect(rig.chat.retry("m1").ok).toBe(true);
  rig.source.turn.send();
  expect(rig.prompts).toEqual(["user failed: Hello", "user sent: Hello"]);
});

test("`capabilities` stays the same object until a capability changes", () => {
  const capabilities = { images: true };
  const rig = new Rig({}, { capabilities });
  const before = rig.now.capabilities;
  rig.source.agent.is("ready");
  expect(rig.now.capabilities).toBe(before);
  capabilities.images = false;
  rig.source.agent.is("draining");
  expect(rig.now.capabilities?.images).toBe(false);
});
