import { ConnectError, PayloadTooLargeError, TurnError } from "agentwire";
import { expect, test } from "vitest";
import { FakeSource } from "../helpers/fake-source.ts";
import { Rig } from "./support/rig.ts";

test("a prompt and its answer are two messages, and the answer grows with its text", async () => {
  const rig = new Rig();
  expect(rig.chat.send("Hello")).toEqual({ ok: true, id: "m1" });
  rig.source.turn.says("Good ");
  expect(rig.lines).toEqual(["user sent: Hello", "assistant open: Good "]);
  rig.source.turn.says("day");
  expect(rig.lines).toEqual(["user sent: Hello", "assistant open: Good day"]);
  expect(rig.now.busy).toBe(true);
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.lines).toEqual(["user sent: Hello", "assistant completed: Good day"]);
  expect(rig.now.busy).toBe(false);
});

test("the chat's turns do not buffer events for a reader", () => {
  const { chat, source } = new Rig();
  chat.send("Hello");
  expect(source.turn.options).toEqual({ read: false, key: "m1" });
});

test("a prompt shows as queued until the connection is ready, and keeps its id and place", () => {
  const rig = new Rig({}, { sendsAtOnce: false });
  rig.chat.send("Hello");
  rig.chat.send("And then?");
  expect(rig.lines).toEqual(["user queued: Hello", "user queued: And then?"]);
  expect(rig.now).toMatchObject({ busy: true, queue: { length: 1 } }); // the client has the first one
  rig.source.turn.send();
  rig.source.turn.says("Hi");
  expect(rig.lines).toEqual(["user sent: Hello", "assistant open: Hi", "user queued: And then?"]);
  expect(rig.now.messages.map(({ id }) => id)).toEqual(["m1", expect.any(String), "m2"]);
  expect(rig.now.queue.length).toBe(1);
});

test("a prompt sent during a turn waits in the chat, and goes to the client after the turn", async () => {
  const rig = new Rig();
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.chat.send("Three");
  expect(rig.source.turns).toHaveLength(1);
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.source.turns.map(({ text }) => text)).toEqual(["One", "Two"]);
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.source.turns.map(({ text }) => text)).toEqual(["One", "Two", "Three"]);
  expect(rig.now.messages.map(({ id }) => id).filter((id) => id.startsWith("m"))).toEqual(["m1", "m2", "m3"]);
  expect(rig.now.queue.length).toBe(0);
});

test("a full queue refuses the next prompt, and sets `problem`", () => {
  const rig = new Rig({ maxQueued: 1 });
  rig.chat.send("One");
  rig.chat.send("Two");
  expect(rig.chat.send("Three")).toMatchObject({ ok: false, error: { code: "queue-full", limit: 1 } });
  expect(rig.now.problem).toMatchObject({ code: "queue-full", retry: "safe" });
  expect(rig.prompts).toEqual(["user sent: One", "user queued: Two"]);
});

test("with `whenBusy` set to `refuse`, a prompt during a turn is refused without a message", async () => {
  const rig = new Rig({ whenBusy: "refuse" });
  rig.chat.send("One");
  expect(rig.chat.send("Two")).toMatchObject({ ok: false, error: { code: "queue-full" } });
  expect(rig.prompts).toEqual(["user sent: One"]);
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.chat.send("Two").ok).toBe(true);
});

test("`problem` ends with the next successful call or with `dismiss`", () => {
  const rig = new Rig();
  rig.chat.send(" ");
  expect(rig.now.problem?.code).toBe("invalid-input");
  rig.chat.send("Hello");
  expect(rig.now.problem).toBeUndefined();
  rig.chat.send("");
  rig.chat.dismiss();
  expect(rig.now.problem).toBeUndefined();
});

test("a prompt that the client refuses shows as a failed message", () => {
  const rig = new Rig();
  rig.source.conversation.refusal = new PayloadTooLargeError("too large", { bytes: 9 });
  expect(rig.chat.send("Much")).toMatchObject({ ok: false, id: "m1", error: { code: "payload-too-large" } });
  expect(rig.lines).toEqual(["user failed: Much"]);
  expect(rig.now.messages.at(0)?.error).toMatchObject({ code: "payload-too-large" });
});

test("prompts after a refused queued prompt are tried as well", async () => {
  const rig = new Rig();
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.chat.send("Three");
  rig.source.conversation.refusal = new PayloadTooLargeError("too large", { bytes: 9 });
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.prompts).toEqual(["user sent: One", "user failed: Two", "user failed: Three"]);
  rig.source.conversation.refusal = undefined;
  expect(rig.chat.send("Four").ok).toBe(true);
});

test("a prompt that was not sent fails, and its error says that a retry is safe", async () => {
  const rig = new Rig({}, { sendsAtOnce: false });
  rig.chat.send("Hello");
  rig.source.turn.fails(new ConnectError("cannot connect"));
  await rig.settle();
  expect(rig.lines).toEqual(["user failed: Hello"]);
  expect(rig.now.messages.at(0)?.error).toMatchObject({ code: "connect-failed", retry: "safe" });
  expect(rig.now.busy).toBe(false);
});

test("after a failed turn the chat is ready for the next prompt", async () => {
  const rig = new Rig();
  rig.chat.send("Hello");
  rig.source.turn.fails(new TurnError({ origin: "fake", kind: "odd", serverMessage: "no luck" }));
  await rig.settle();
  expect(rig.now.busy).toBe(false);
  expect(rig.now.messages.at(0)).toMatchObject({ id: "m1", status: "sent" });
  expect(rig.chat.send("Again").ok).toBe(true);
});

test("a source that cannot make a client sets `problem`, and each `send` tries again", async () => {
  const source = new FakeSource();
  source.refusal = new ConnectError("no such program", { retryable: false });
  const rig = new Rig({}, source);
  expect(rig.now.problem?.code).toBe("connect-failed");
  expect(rig.now.capabilities).toBeUndefined();
  expect(rig.chat.send("Hello")).toMatchObject({ ok: false, id: "m1", error: { code: "connect-failed" } });
  source.refusal = undefined;
  expect(rig.chat.send("Hello?").ok).toBe(true);
  expect(rig.prompts).toEqual(["user failed: Hello", "user sent: Hello?"]);
  expect(rig.now.problem).toBeUndefined();
  expect(rig.now.capabilities?.images).toBe(true);
});

test("two chats on one source have two clients", () => {
  const source = new FakeSource();
  const one = new Rig({}, source);
  const two = new Rig({}, source);
  one.chat.send("One");
  two.chat.send("Two");
  expect(source.agents.map(({ conversations }) => conversations[0]?.turns[0]?.text)).toEqual(["One", "Two"]);
});

test("pictures go with the prompt and show as files, or are refused if the backend takes none", () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const rig = new Rig();
  rig.chat.send({ text: "What is this?", images: [{ data: png }] });
  expect(rig.source.turn.input).toEqual({
    text: "What is this?",
    images: [{ data: "data:image/png;base64,iVBORw0KGgo=", mediaType: "image/png" }],
  });
  expect(rig.prompts).toEqual(["user sent: What is this?(file)"]);
  const blind = new Rig({}, { capabilities: { images: false } });
  expect(blind.chat.send({ text: "And this?", images: [{ data: png }] })).toMatchObject({
    ok: false,
    error: { code: "unsupported" },
  });
  expect(blind.lines).toEqual([]);
});

test("`usage` adds up all turns, and `cost` adds up by currency", async () => {
  const rig = new Rig();
  for (const total of [1, 2]) {
    rig.chat.send("Hello");
    rig.source.turn.completes({
      usage: { input_tokens: 10, output_tokens: 5, context_tokens: 100 * total },
      cost: { total, currency: "credits" },
    });
    await rig.settle();
  }
  expect(rig.now.usage).toEqual({ input_tokens: 20, output_tokens: 10, context_tokens: 200 });
  expect(rig.now.cost).toEqual([{ total: 3, currency: "credits" }]);
});

test("`retry` of an answer sends its prompt again, and `retry` of any other message is refused", async () => {
  const rig = new Rig();
  await rig.talk("One", "Yes");
  await rig.talk("Two", "No");
  const [, answer] = rig.now.messages;
  expect(rig.chat.retry(answer?.id ?? "").ok).toBe(true);
  expect(rig.source.turn.text).toBe("One");
  rig.source.turn.completes();
  await rig.settle();
  rig.source.conversation.stream?.error("a problem between turns", "fake.odd");
  const problem = rig.now.messages.at(-1);
  expect(problem?.role).toBe("system");
  expect(rig.chat.retry(problem?.id ?? "")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
});
