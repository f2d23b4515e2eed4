import { ConnectionLostError } from "agentwire";
import { expect, test } from "vitest";
import { Script } from "../universal/build.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { Rig } from "./support/rig.ts";

test("cancel stops the turn and keeps its text so far", async () => {
  const rig = new Rig();
  rig.chat.send("Hello");
  rig.source.turn.says("Go");
  expect(rig.chat.cancel()).toEqual({ ok: true });
  await rig.settle();
  expect(rig.lines).toEqual(["user sent: Hello", "assistant cancelled: Go"]);
  expect(rig.now.busy).toBe(false);
});

test("after a cancel, queued prompts are sent in order once the turn has stopped", async () => {
  const rig = new Rig({}, { stopsAtOnce: false });
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.chat.cancel();
  await rig.settle();
  expect(rig.source.turns).toHaveLength(1);
  expect(rig.now).toMatchObject({ busy: true, queue: { length: 1 } });
  rig.source.turn.stopped();
  await rig.settle();
  expect(rig.source.turns.map(({ text }) => text)).toEqual(["One", "Two"]);
});

test("`cancel` with `all` also cancels queued prompts, and `retry` can send one of them", async () => {
  const rig = new Rig();
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.chat.send("Three");
  rig.chat.cancel("all");
  await rig.settle();
  expect(rig.prompts).toEqual(["user sent: One", "user cancelled: Two", "user cancelled: Three"]);
  expect(rig.now).toMatchObject({ busy: false, queue: { length: 0 } });
  expect(rig.chat.retry("m3").ok).toBe(true);
  expect(rig.source.turn.text).toBe("Three");
});

test("a prompt that is cancelled before it is sent shows as cancelled", async () => {
  const rig = new Rig({}, { sendsAtOnce: false });
  rig.chat.send("Hello");
  rig.chat.cancel();
  await rig.settle();
  expect(rig.lines).toEqual(["user cancelled: Hello"]);
});

test("cancel is ok if nothing runs, and also a second time", async () => {
  const rig = new Rig();
  expect(rig.chat.cancel()).toEqual({ ok: true });
  rig.chat.send("Hello");
  rig.chat.cancel();
  rig.chat.cancel();
  await rig.settle();
  expect(rig.chat.cancel("all")).toEqual({ ok: true });
  expect(rig.now.problem).toBeUndefined();
});

test("a cancel during the client's `prompt()` call cancels that turn", async () => {
  const rig = new Rig();
  const { conversation } = rig.source;
  const prompt = conversation.prompt.bind(conversation);
  conversation.prompt = (...values) => {
    rig.chat.cancel();
    return prompt(...values);
  };
  rig.chat.send("Hello");
  await rig.settle();
  expect(rig.source.turn.cancels).toBe(1);
  expect(rig.now.busy).toBe(false);
});

test("`retry` sends a message's text and pictures again as a new prompt", async () => {
  const rig = new Rig();
  const data = "data:image/png;base64,iVBORw0KGgo=";
  rig.chat.send({ text: "What is this?", images: [{ data }] });
  rig.source.turn.says("A cat");
  rig.source.turn.completes();
  await rig.settle();
  const answer = rig.now.messages.at(1)?.id ?? "";
  for (const id of ["m1", answer]) {
    expect(rig.chat.retry(id).ok).toBe(true);
    expect(rig.source.turn.input).toMatchObject({ text: "What is this?", images: [{ data }] });
    rig.source.turn.completes();
    await rig.settle();
  }
  expect(rig.now.messages.map(({ id }) => id).filter((id) => id.startsWith("m"))).toEqual(["m1", "m2", "m3"]);
});

test("`retry` refuses a queued message and an unknown id", () => {
  const rig = new Rig();
  rig.chat.send("One");
  rig.chat.send("Two");
  expect(rig.chat.retry("m2")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.chat.retry("m9")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.prompts).toEqual(["user sent: One", "user queued: Two"]);
});

test("prompts keep their order even if a later prompt ends first", async () => {
  const rig = new Rig({}, { sendsAtOnce: false, stopsAtOnce: false });
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.chat.cancel("all");
  expect(rig.lines).toEqual(["user queued: One", "user cancelled: Two"]);
  rig.chat.send("Three");
  rig.source.turn.stopped();
  await rig.settle();
  rig.source.turn.send();
  expect(rig.prompts).toEqual(["user cancelled: One", "user cancelled: Two", "user sent: Three"]);
  expect(rig.chat.retry("m2").ok).toBe(true);
});

test("a prompt that is cancelled while the store loads shows after the stored messages", async () => {
  const store = new MemoryStore(new Script().session().turn("Before").turnEnded().events);
  store.hold();
  const rig = new Rig({ store, id: "chat" });
  rig.chat.send("Hello");
  rig.chat.cancel("all");
  store.release();
  await rig.settle();
  expect(rig.lines).toEqual(["user sent: Before", "assistant completed: ", "user cancelled: Hello"]);
});

test("cancelling prompts that wait for `resume` updates the snapshot and notifies listeners", async () => {
  const rig = new Rig({}, { goesOn: false, capabilities: { survivesReconnect: false } });
  await rig.talk("Hello", "Hi");
  rig.source.agent.loses(new ConnectionLostError("the connection ended"));
  rig.chat.send("More");
  await rig.settle();
  expect(rig.now).toMatchObject({ busy: false, queue: { length: 1 }, connection: { contextLost: true } });
  let changes = 0;
  rig.chat.subscribe(() => changes++);
  expect(rig.chat.cancel("all")).toEqual({ ok: true });
  await rig.settle();
  expect(changes).toBe(1);
  expect(rig.now.queue.length).toBe(0);
  expect(rig.prompts).toEqual(["user sent: Hello", "user cancelled: More"]);
  rig.chat.resume("without-context");
  expect(rig.source.turns).toHaveLength(1);
});

test("cancelling prompts that wait for the store updates the snapshot at once", async () => {
  const store = new MemoryStore();
  store.hold();
  const rig = new Rig({ store, id: "chat" });
  rig.chat.send("Hello");
  expect(rig.now.queue.length).toBe(1);
  rig.chat.cancel("all");
  expect(rig.now.queue.length).toBe(0);
  expect(rig.lines).toEqual(["user cancelled: Hello"]);
});
