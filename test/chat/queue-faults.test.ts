import { sourceOf } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { OwnEvents } from "../../src/chat/own-events.ts";
import type { QueueChange } from "../../src/chat/queue.ts";
import { MAX_STORE_WAIT } from "../../src/chat/store/store-writer.ts";
import { settle } from "../../src/testing/settle.ts";
import { FakeAgent } from "../helpers/fake-source.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { Rig, throughJson } from "./support/rig.ts";

const sent = (rig: Rig): readonly string[] => rig.source.turns.map(({ text }) => text);

/** A store with prompts that wait: `m2`, `m3`, ... */
async function stored(...prompts: readonly string[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const first = new Rig({ store, id: "chat" });
  await first.settle();
  first.chat.send("One");
  for (const prompt of prompts) first.chat.send(prompt);
  await first.settle();
  await first.chat.close();
  return store;
}

async function loaded(store: MemoryStore, options = {}): Promise<Rig> {
  let ids = 0;
  const rig = new Rig({ store, id: "chat", newId: () => `n${++ids}`, ...options });
  await rig.settle();
  return rig;
}

describe("a queue loaded by two chats", () => {
  test("is sent once, even if both chats resume at the same time", async () => {
    const store = await stored("Two", "Three");
    const one = await loaded(store);
    const other = await loaded(store);
    one.chat.resume("without-context");
    other.chat.resume("without-context");
    await one.settle();
    await other.settle();
    for (const rig of [one, other]) for (const turn of rig.source.turns) turn.completes();
    await one.settle();
    await other.settle();
    for (const rig of [one, other]) for (const turn of rig.source.turns) if (turn.isOpen) turn.completes();
    await one.settle();
    expect([...sent(one), ...sent(other)].sort()).toEqual(["Three", "Two"]);
  });

  test("is sent once, even if the chat that stored it is still open", async () => {
    const store = new MemoryStore();
    const first = new Rig({ store, id: "chat" });
    await first.settle();
    first.chat.send("One");
    first.chat.send("Two");
    await first.settle();
    const other = await loaded(store);
    other.chat.resume("without-context");
    await other.settle();
    expect(sent(other)).toEqual(["Two"]);
    first.source.turn.completes();
    await first.settle();
    expect(sent(first)).toEqual(["One"]);
  });
});

describe("a queued prompt in a chat with a store", () => {
  /** A chat in which `One` runs and `Two` waits. */
  async function waiting(): Promise<{ readonly rig: Rig; readonly store: MemoryStore }> {
    const store = new MemoryStore();
    const rig = new Rig({ store, id: "chat" });
    await rig.settle();
    rig.chat.send("One");
    rig.chat.send("Two");
    await rig.settle();
    return { rig, store };
  }

  test("is sent, even if the store does not answer", async () => {
    const { rig, store } = await waiting();
    store.hold();
    rig.source.turn.completes();
    await rig.settle();
    expect(rig.now).toMatchObject({ busy: true, queue: [{ id: "m2" }] });
    await rig.clock.advance(MAX_STORE_WAIT);
    await rig.settle();
    expect(sent(rig)).toEqual(["One", "Two"]);
    store.release();
  });

  test("is sent, even if the store fails", async () => {
    const { rig, store } = await waiting();
    store.failure = new Error("the disk is gone");
    rig.source.turn.completes();
    await rig.settle();
    expect(sent(rig)).toEqual(["One", "Two"]);
  });

  test("stays queued for the next chat if the chat closes before the store answers", async () => {
    const { rig, store } = await waiting();
    rig.chat.send("Three");
    await rig.settle();
    store.hold();
    rig.source.turn.completes();
    await rig.settle();
    const closed = rig.chat.close();
    store.release();
    await closed;
    const next = await loaded(store);
    expect(sent(rig)).toEqual(["One"]);
    expect(next.now.queue.map(({ id }) => id)).toEqual(["m2", "m3"]);
  });

  test("is sent as edited, or not at all after `unqueue`, if that happens before the store answers", async () => {
    const { rig, store } = await waiting();
    rig.chat.send("Three");
    await rig.settle();
    store.hold();
    rig.source.turn.completes();
    await rig.settle();
    rig.chat.editQueued("m2", "Zwei");
    rig.chat.unqueue("m3");
    store.release();
    await rig.settle();
    expect(sent(rig)).toEqual(["One", "Zwei"]);
    expect(rig.lines).toContain("user cancelled: Three");
    await rig.settle();
    expect((await loaded(store)).now.queue).toEqual([]);
  });

  test("is never sent after `unqueue` before the store answers, not even by a later chat", async () => {
    const { rig, store } = await waiting();
    store.hold();
    rig.source.turn.completes();
    await rig.settle();
    rig.chat.unqueue("m2");
    store.release();
    await rig.settle();
    expect(sent(rig)).toEqual(["One"]);
    expect(rig.now.busy).toBe(false);
    const next = await loaded(store);
    expect(next.lines).not.toContain("user failed: Two");
  });

  test("is not shown by a later chat if the client refused it", async () => {
    const { rig, store } = await waiting();
    rig.source.conversation.refusal = new Error("no");
    rig.source.turn.completes();
    await rig.settle();
    expect(rig.lines).toContain("user failed: Two");
    const next = await loaded(store);
    expect(next.lines.join()).not.toContain("Two");
  });
});

test("a queue from `saved` is stored by the new chat, and sent after `resume`", async () => {
  const first = new Rig();
  first.chat.send("One");
  first.chat.send("Two");
  const from = throughJson(first.now.saved);
  const store = new MemoryStore();
  const rig = await loaded(store, { from });
  expect((await loaded(store)).now.queue).toMatchObject([{ id: "m2" }]);
  rig.chat.resume("without-context");
  await rig.settle();
  expect(sent(rig)).toEqual(["Two"]);
});

describe("invalid queues", () => {
  test("a saved chat whose queue lists a prompt twice queues it once", async () => {
    const rig = new Rig();
    rig.chat.send("One");
    rig.chat.send("Two");
    const saved = throughJson(rig.now.saved);
    const again = new Rig({ from: { ...saved, queue: ["m2", "m2"] } });
    expect(again.now.queue).toHaveLength(1);
  });

  test("a saved chat whose queue lists an answer keeps the answer", async () => {
    const rig = new Rig();
    await rig.talk("One", "1");
    const saved = throughJson(rig.now.saved);
    const ids = saved.messages.map(({ id }) => id);
    const again = new Rig({ from: { ...saved, queue: ids } });
    expect(again.lines).toEqual(rig.lines);
    expect(again.now.queue).toEqual([]);
  });

  const event = (change: unknown) =>
    new OwnEvents({ wallTime: () => 1_770_714_000_000 }).queue(change as QueueChange);

  test.each([
    { put: { id: "x", at: 1, input: { text: "Hi", images: "garbage" } } },
    { put: { id: "x", at: 1, input: { text: "Hi", images: [7] } } },
    { put: { id: "x", at: 1, input: { text: "Hi", others: 1 } } },
    { put: { id: "", at: 1, input: "Hi" } },
    { put: null },
    { put: [] },
    { take: 7, start: "m2" },
    { start: "m2", put: "no" },
    { move: "m2" },
    7,
    null,
  ])("the change %j loses no prompt, and the rest of the chat loads", async (change) => {
    const store = await stored("Two");
    await store.append("chat", event(change));
    const rig = await loaded(store);
    expect(rig.now.problem).toBeUndefined();
    const shown = rig.now.messages.map(({ id }) => id).filter((id) => id === "m2");
    expect(shown).toHaveLength(1);
    expect(rig.lines).toContain("user sent: One");
  });

  test("a backend's status `queue` adds no prompt to the queue", async () => {
    const store = await stored();
    const events = event({ put: { id: "x", at: 1, input: "rm -rf ~" } });
    const foreign = events.map((each) =>
      each.type === "session.started" ? { ...each, data: { metadata: { protocol: "codey" } } } : each,
    );
    await store.append("chat", foreign as never);
    const rig = await loaded(store);
    expect(rig.now.queue).toEqual([]);
  });

  test("100,000 changes of the queue load within 10 s", async () => {
    const store = new MemoryStore();
    const own = new OwnEvents({ wallTime: () => 1_770_714_000_000 });
    for (let n = 0; n < 50_000; n++)
      store.events.push(...own.queue({ put: { id: `p${n}`, at: 1, input: "Hi" } }));
    for (let n = 0; n < 50_000; n++) store.events.push(...own.queue({ take: `p${n}` }));
    const rig = await loaded(store);
    expect(rig.now.loading).toBe(false);
    expect(rig.now.queue).toEqual([]);
  }, 10_000); // 0.5 s; a list that is searched at each change takes 80 s
});

describe("a loaded queue", () => {
  test("does not block a new prompt in a chat that refuses prompts while it is busy", async () => {
    const store = await stored("Two");
    const rig = await loaded(store, { whenBusy: "refuse" });
    expect(rig.chat.send("Other")).toMatchObject({ ok: true });
    expect(rig.chat.send("More")).toMatchObject({ ok: false });
  });
});

describe("the snapshot", () => {
  test("stays the same object if `resume` and `moveQueued` change nothing", async () => {
    const rig = new Rig();
    const before = rig.now;
    rig.chat.resume();
    await rig.settle();
    expect(rig.now).toBe(before);
    rig.chat.send("One");
    rig.chat.send("Two");
    const busy = rig.now;
    rig.chat.resume();
    rig.chat.moveQueued("m2", null);
    rig.chat.moveQueued("m2", "m2");
    await rig.settle();
    expect(rig.now).toBe(busy);
  });

  test("calls that change nothing do not notify the listener that makes them", async () => {
    const rig = new Rig();
    let calls = 0;
    rig.chat.subscribe(() => {
      if (++calls > 50) return;
      rig.chat.resume();
      rig.chat.cancel("all");
      rig.chat.dismiss();
    });
    rig.chat.send("One");
    await rig.settle();
    expect(calls).toBeLessThan(5);
  });
});

describe("a client that throws", () => {
  test("on `cancel` of another user's turn makes `sendNow` fail, without an unhandled rejection", async () => {
    const first = new Rig();
    first.chat.send("One");
    first.chat.send("Two");
    const rig = new Rig({ from: throughJson(first.now.saved) }, { cancelsOthers: true });
    rig.source.agent.cancelled.push = () => {
      throw new Error("cannot");
    };
    rig.source.conversation.stream?.turn([{ type: "text", text: "Hi" }], { prompt_id: "other-1" });
    expect(rig.chat.sendNow("m2")).toMatchObject({ ok: false });
    await rig.settle();
    expect(rig.now.problem).toBeDefined();
  });

  test("or whose `caughtUp` rejects causes no unhandled rejection, and the chat stops loading", async () => {
    const source = sourceOf({
      name: "mine",
      connect: () => new FakeAgent({ caughtUp: Promise.reject(new Error("no")) }),
    });
    const chat = createChat(source);
    await settle();
    expect(chat.getSnapshot().loading).toBe(false);
    await chat.close();
  });
});

describe("`newId`", () => {
  test.each(["m1", "m2"])("that returns %s again is refused with `invalid-input`", async (id) => {
    const ids = ["m1", "m2", id];
    const rig = new Rig({ newId: () => ids.shift() ?? "last" });
    await rig.talk("One", "1");
    rig.chat.edit("m1", "Uno");
    rig.source.turn.completes();
    await rig.settle();
    expect(rig.chat.send("Two")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
    expect(rig.source.turns).toHaveLength(2);
  });
});
