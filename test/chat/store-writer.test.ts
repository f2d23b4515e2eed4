import { expect, test } from "vitest";
import { MAX_STORE_WAIT, MAX_UNSAVED_EVENTS, STORE_RETRY_DELAY } from "../../src/chat/store/chat-log.ts";
import { ChatStoreError } from "../../src/universal/words/store-error.ts";
import { FakeSource } from "../helpers/fake-source.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { Rig } from "./support/rig.ts";

async function stored(store = new MemoryStore(), source = new FakeSource()): Promise<Rig> {
  const rig = new Rig({ store, id: "chat" }, source);
  await rig.settle();
  return rig;
}

const sequences = ({ events }: MemoryStore): readonly number[] => events.map(({ sequence }) => sequence);
const count = (length: number): readonly number[] => Array.from({ length }, (_, n) => n + 1);

test("events are appended in order, one append per tick", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  rig.chat.send("Hello");
  for (let n = 0; n < 1_000; n++) rig.source.turn.says("x");
  await rig.settle();
  rig.source.turn.completes();
  await rig.settle();
  expect(store.batches).toHaveLength(2);
  expect(sequences(store)).toEqual(count(store.events.length));
});

test("a stored chat shows its messages again, and prompts wait until the store has loaded", async () => {
  const store = new MemoryStore();
  const first = await stored(store);
  await first.talk("Hello", "Good day");
  await first.chat.close();

  store.hold();
  const rig = new Rig({ store, id: "chat", newId: () => "new" });
  expect(rig.now.loading).toBe(true);
  expect(rig.chat.send("And now?")).toEqual({ ok: true, id: "new" });
  expect(rig.lines).toEqual(["user queued: And now?"]);
  store.release();
  await rig.settle();
  expect(rig.now.loading).toBe(false);
  const shown = ["user sent: Hello", "assistant completed: Good day", "user queued: And now?"];
  expect(rig.lines).toEqual(shown);
  expect(rig.now.connection.contextLost).toBe(true); // the store has the events, not the state of the backend
  rig.chat.resume("without-context");
  await rig.settle();
  expect(rig.lines).toEqual([...shown.slice(0, 2), "user sent: And now?", "assistant open: "]);
});

test("an answer that was open at the end of the stored events shows as failed", async () => {
  const store = new MemoryStore();
  const first = await stored(store);
  first.chat.send("Hello");
  first.source.turn.says("Good");
  await first.settle();
  const rig = await stored(new MemoryStore(store.events));
  expect(rig.lines).toEqual(["user sent: Hello", "assistant failed: Good"]);
  expect(rig.now.messages.at(1)?.error?.retry).toBe("ask");
});

test("a store that fails to load sets `problem`, and the chat works", async () => {
  const store = new MemoryStore();
  store.failure = new Error("the disk is gone");
  const rig = await stored(store);
  expect(rig.now.problem).toMatchObject({ code: "store-failed" });
  store.failure = undefined;
  await rig.talk("Hello", "Hi");
  expect(rig.lines).toEqual(["user sent: Hello", "assistant completed: Hi"]);
  expect(sequences(store)).toEqual(count(store.events.length));
});

test("a store that fails sets `problem` until it works again, and then has all events", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  store.failure = new Error("the disk is full");
  await rig.talk("Hello", "Hi");
  expect(rig.now.problem).toMatchObject({ code: "store-failed" });
  expect(rig.lines).toEqual(["user sent: Hello", "assistant completed: Hi"]);
  expect(store.batches).toHaveLength(1); // no try for each event
  store.failure = undefined;
  await rig.clock.advance(STORE_RETRY_DELAY);
  expect(rig.now.problem).toBeUndefined();
  expect(sequences(store)).toEqual(count(store.events.length));
  await rig.chat.close();
  expect(store.events.at(-1)?.type).toBe("session.ended");
  expect(rig.clock.pending).toBe(0);
});

test("a store that throws synchronously is handled like one that rejects", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  store.append = () => {
    throw new Error("no");
  };
  rig.chat.send("Hello");
  await rig.settle();
  expect(rig.now.problem?.code).toBe("store-failed");
  await rig.chat.close();
  expect(rig.clock.pending).toBe(0);
});

test("a slow store gets one append at a time", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  store.hold();
  rig.chat.send("Hello");
  await rig.settle();
  rig.source.turn.says("Good ");
  await rig.settle();
  rig.source.turn.says("day");
  await rig.settle();
  expect(store.batches).toHaveLength(1);
  store.release();
  await rig.settle();
  expect(store.batches).toHaveLength(2);
  expect(sequences(store)).toEqual(count(store.events.length));
});

test("`close()` waits for a slow store, up to a limit", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  store.hold();
  rig.chat.send("Hello");
  let isClosed = false;
  void rig.chat.close().then(() => {
    isClosed = true;
  });
  await rig.settle();
  expect(isClosed).toBe(false);
  await rig.clock.advance(MAX_STORE_WAIT);
  expect(isClosed).toBe(true);
  expect(rig.now.problem?.code).toBe("store-failed");
  expect(rig.clock.pending).toBe(0);
});

test("a store that falls too far behind gets no more events, and its events have no gap", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  rig.chat.send("Hello");
  await rig.settle();
  const { length } = store.events;
  store.hold();
  for (let n = 0; n <= MAX_UNSAVED_EVENTS; n++) rig.source.turn.says("x");
  expect(rig.now.problem?.code).toBe("store-failed");
  store.release();
  rig.source.turn.completes();
  await rig.chat.close();
  expect(sequences(store)).toEqual(count(length));
});

test("`from` takes precedence over the store, which gets only the new events", async () => {
  const first = new Rig();
  await first.talk("Hello", "Hi");
  const store = new MemoryStore();
  const rig = new Rig({ from: first.now.saved, store, id: "chat", newId: () => "new" });
  await rig.talk("More", "Yes");
  expect(rig.lines[0]).toBe("user sent: Hello");
  expect(JSON.stringify(store.events)).not.toContain("Hello");
});

const fenced = new ChatStoreError("another program has this chat", { operation: "append", fatal: true });

test("a fatal error of the store stops writing at once, and closes the chat and its client", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  rig.chat.send("Hello");
  await rig.settle();
  const batches = store.batches.length;
  store.failure = fenced;
  rig.source.turn.says("late");
  await rig.settle();
  store.failure = undefined;
  await rig.clock.advance(2 * STORE_RETRY_DELAY);
  expect(store.batches).toHaveLength(batches + 1);
  expect(rig.source.agent.status).toBe("closed");
  expect(rig.now.connection.status).toBe("closed");
  expect(rig.now.problem?.error).toBe(fenced);
  expect(rig.chat.send("And now?")).toMatchObject({ ok: false, error: { code: "closed" } });
  expect(rig.clock.pending).toBe(0);
});

test("`close()` of a chat whose store failed fatally returns the closing under way", async () => {
  const store = new MemoryStore();
  const rig = await stored(store);
  store.failure = fenced;
  rig.chat.send("Hello");
  await rig.settle();
  await rig.chat.close();
  expect(rig.now.problem?.error).toBe(fenced);
});
