import { ConnectError, ConnectionLostError } from "agentwire";
import { MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { deferred } from "../../src/core/deferred.ts";
import { settle } from "../../src/testing/settle.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { Rig } from "./support/rig.ts";

/** A backend that forgets with its connection, and cannot go on. */
const FORGETFUL = { goesOn: false, capabilities: { survivesReconnect: false } };

const lost = (): ConnectionLostError => new ConnectionLostError("the connection ended");

test("`connect` ends the wait for the next attempt, and sends no prompt", async () => {
  const agent = new MockAgent({ reconnect: { maxAttempts: 3, delay: 3_600_000 }, script: ["Hi"] });
  await using chat = createChat(agent);
  chat.send("Hello");
  await settle();
  agent.disconnect();
  await settle();
  expect(chat.getSnapshot().connection).toMatchObject({ status: "reconnecting", attempt: 1 });
  expect(chat.connect()).toEqual({ ok: true });
  await settle();
  expect(chat.getSnapshot().connection).toMatchObject({ status: "ready", attempt: 0 });
  expect(agent.prompts).toHaveLength(1);
});

test("`connect` makes a new client after a final close, and prompts still wait for `resume`", async () => {
  const rig = new Rig({}, FORGETFUL);
  await rig.talk("Hello", "Hi");
  rig.source.agent.givesUp(lost());
  rig.chat.send("More");
  expect(rig.chat.connect()).toEqual({ ok: true });
  expect(rig.source.agents).toHaveLength(2);
  expect(rig.now).toMatchObject({ queue: { length: 1 }, connection: { status: "ready", contextLost: true } });
  expect(rig.prompts).toEqual(["user sent: Hello", "user queued: More"]);
});

test("a failed connection sets the connection's `reason`, not `problem`", async () => {
  const rig = new Rig();
  rig.source.agent.connect = async () => {
    throw new ConnectError("cannot connect");
  };
  expect(rig.chat.connect()).toEqual({ ok: true });
  await rig.settle();
  expect(rig.now.problem).toBeUndefined();
  expect(rig.now.connection).toMatchObject({
    status: "idle",
    reason: { code: "connect-failed", detail: "Check your network, and whether the server is running." },
  });
});

test("the failure of a closed or replaced client is ignored", async () => {
  const rig = new Rig();
  const first = deferred<void>();
  rig.source.agent.connect = () => first.promise;
  rig.chat.connect();
  rig.source.agent.status = "closed";
  rig.chat.send("Hello");
  const second = deferred<void>();
  rig.source.agent.connect = () => second.promise;
  rig.chat.connect();
  first.reject(lost());
  await rig.settle();
  expect(rig.now.connection.reason).toBeUndefined();
  await rig.chat.close();
  second.reject(lost());
  await rig.settle();
  expect(rig.now.connection.reason).toBeUndefined();
});

test("`connect` waits for the store, and a closed chat refuses it", async () => {
  const store = new MemoryStore();
  store.hold();
  const rig = new Rig({ store, id: "chat" });
  expect(rig.chat.connect()).toEqual({ ok: true });
  await rig.settle();
  expect(rig.source.agent.status).toBe("idle");
  store.release();
  await rig.settle();
  expect(rig.now.connection.status).toBe("ready");
  await rig.chat.close();
  expect(rig.chat.connect()).toMatchObject({ ok: false, error: { code: "closed" } });
});

test("a source that cannot make a client sets `problem`, and `connect` tries again", async () => {
  const rig = new Rig();
  rig.source.agent.givesUp(lost());
  rig.source.refusal = new ConnectError("no");
  expect(rig.chat.connect()).toMatchObject({ ok: false, error: { code: "connect-failed" } });
  expect(rig.now.problem?.code).toBe("connect-failed");
  rig.source.refusal = undefined;
  expect(rig.chat.connect()).toEqual({ ok: true });
  expect(rig.now.problem).toBeUndefined();
});
