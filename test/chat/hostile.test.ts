import fc from "fast-check";
import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import type { ChatOptions } from "../../src/chat/options.ts";
import {
  ClosedError,
  ConnectError,
  ConnectionLostError,
  InvalidInputError,
  PayloadTooLargeError,
  QueueFullError,
  UnsupportedError,
} from "../../src/core/errors.ts";
import { type FakeAgent, FakeSource } from "../helpers/fake-source.ts";
import { runs } from "../helpers/runs.ts";
import { Rig } from "./support/rig.ts";

const NAMES = [
  "send",
  "cancel",
  "retry",
  "decide",
  "answer",
  "resume",
  "subscribe",
  "dismiss",
  "getSnapshot",
] as const;

test("no function of a chat throws, whatever its arguments and in whatever order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.constantFrom(...NAMES, "close" as const), fc.array(fc.anything(), { maxLength: 2 })),
      ),
      async (calls) => {
        const rig = new Rig();
        const results: unknown[] = [];
        for (const [name, values] of calls) results.push(Reflect.apply(rig.chat[name], undefined, values));
        await Promise.all(results);
        await rig.settle();
        await rig.chat.close();
      },
    ),
    runs(200),
  );
});

test.each([
  ["a number", 5],
  ["nothing", undefined],
  ["a blank text", " \n"],
  ["an object without text", {}],
  ["an unknown field", { text: "Hello", txt: 1 }],
  ["an invalid image", { text: "Hello", images: [5] }],
  ["an image without bytes", { text: "Hello", images: [{ data: new Uint8Array() }] }],
  ["an image of an unknown type", { text: "Hello", images: [{ data: "AAAA" }] }],
  ["an image that is not base64", { text: "Hello", images: [{ data: "ä" }] }],
])("`send` refuses %s, and sets `problem`", (_, input) => {
  const rig = new Rig();
  expect(rig.chat.send(input as never)).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.now.problem).toMatchObject({ code: "invalid-input" });
  expect(rig.now.messages.length).toBe(0);
});

test("an input whose getter throws is refused, with the thrown error as its cause", () => {
  const rig = new Rig();
  const cause = new Error("mine");
  const input = Object.defineProperty({}, "text", {
    enumerable: true,
    get() {
      throw cause;
    },
  });
  expect(rig.chat.send(input as never)).toMatchObject({ ok: false, error: { code: "invalid-input", cause } });
});

test("a prompt is copied: later changes by the caller are not sent", async () => {
  const rig = new Rig();
  rig.chat.send("One");
  const input = { text: "Two", images: [{ data: new Uint8Array([0xff, 0xd8, 0xff]) }] };
  rig.chat.send(input);
  input.text = "Three";
  input.images[0]?.data.fill(0);
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.source.turn.input).toEqual({
    text: "Two",
    images: [{ data: "data:image/jpeg;base64,/9j/", mediaType: "image/jpeg" }],
  });
});

test("the chat's functions work without `this`", () => {
  const { chat } = new Rig();
  const { send, getSnapshot, subscribe, cancel } = chat;
  subscribe(() => {})();
  send("Hello");
  cancel();
  expect(getSnapshot().messages.at(0)?.status).toBe("sent");
});

test("a client that throws a value other than an error makes no chat function throw", async () => {
  const rig = new Rig();
  rig.source.conversation.refusal = "just a text";
  expect(rig.chat.send("Hello")).toMatchObject({ ok: false, error: { cause: "just a text" } });
  const { agent } = rig.source;
  agent.decide = () => {
    throw null;
  };
  const id = agent.asks({
    type: "approval",
    id: "c1",
    call: { id: "c1", name: "shell", input: {}, raw: null },
  });
  expect(rig.chat.decide(id, "once").ok).toBe(false);
  rig.source.refusal = Object.create(null);
  rig.source.agent.is("closed");
  expect(rig.chat.send("Hello").ok).toBe(false);
  await rig.chat.close();
});

test.each<[string, object]>([
  ["an option that does not exist", { whenbusy: "queue" }],
  ["a wrong choice", { whenBusy: "wait" }],
  ["a store without an `id`", { store: { load() {}, append() {} } }],
  ["an `id` without a store", { id: "chat" }],
  ["an invalid store", { store: {}, id: "chat" }],
  ["a limit of 0", { maxQueued: 0 }],
])("createChat refuses %s", (_, options) => {
  const make = () => createChat(new FakeSource(), options as ChatOptions);
  expect(make).toThrow(expect.objectContaining({ code: "invalid-input" }));
});

test.each([undefined, null, {}, { name: "x" }, new FakeSource().client()])(
  "createChat refuses %o as a source",
  (source) => {
    expect(() => createChat(source as never)).toThrow(expect.objectContaining({ code: "invalid-input" }));
  },
);

test("a client that still seems open but refuses with `closed` is replaced, and the new client sends the prompt", async () => {
  const rig = new Rig();
  const { agent, conversation } = rig.source;
  conversation.refusal = new ClosedError("this client was closed", { delivery: "not-sent" });
  expect(rig.chat.send("Hello").ok).toBe(true);
  await rig.settle();
  expect(rig.source.agents).toHaveLength(2);
  expect(agent.status).toBe("closed");
  expect(agent.listeners.size).toBe(0);
  expect(rig.now.connection.status).not.toBe("closed");
  expect(rig.prompts).toEqual(["user sent: Hello"]);
});

test.each<[string, unknown]>([
  ["a number", 5],
  ["an empty text", ""],
  ["the id of a prompt that waits", "m1"],
])("%s from `newId` is refused, and no prompt is lost", (_, id) => {
  const ids = ["m0", "m1", id];
  const rig = new Rig({ newId: () => ids.shift() as string });
  rig.chat.send("One");
  rig.chat.send("Two");
  expect(rig.chat.send("Three")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.prompts).toEqual(["user sent: One", "user queued: Two"]);
});

test.each<[string, (source: FakeSource, agent: FakeAgent) => object]>([
  ["client()", (source) => source],
  ["toUniversal()", (source) => source],
  ["conversation()", (_, agent) => agent],
])(
  "a %s that throws fails the prompt, and the next prompt works once it no longer throws",
  async (name, home) => {
    const source = new FakeSource();
    const agent = source.client();
    source.client = () => agent;
    const broken = home(source, agent);
    const method = name.slice(0, -2);
    const works: unknown = Reflect.get(broken, method);
    Reflect.set(broken, method, () => {
      throw new Error("no");
    });
    const rig = new Rig({}, source);
    expect(rig.now.problem).toBeDefined();
    expect(rig.chat.send("Hello")).toMatchObject({ ok: false, error: { cause: new Error("no") } });
    Reflect.set(broken, method, works);
    expect(rig.chat.send("Again").ok).toBe(true);
    expect(rig.prompts).toEqual(["user failed: Hello", "user sent: Again"]);
    await rig.chat.close();
    expect(agent.listeners.size).toBe(0);
  },
);

test.each([
  new InvalidInputError("no", "Change it."),
  new UnsupportedError("no", "Leave it."),
  new QueueFullError("turns", 2, 1),
  new PayloadTooLargeError("no", { bytes: 9 }),
  new ConnectionLostError("no", { delivery: "not-sent" }),
  new ConnectError("no"),
])("a prompt that the client refuses with %o fails, and the chat is ready again", async (error) => {
  const rig = new Rig();
  rig.chat.send("One");
  rig.chat.send("Two");
  rig.source.conversation.refusal = error;
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.prompts).toEqual(["user sent: One", "user failed: Two"]);
  expect(rig.now.messages.at(-1)?.error?.code).toBe(error.code);
  expect(rig.now).toMatchObject({ busy: false, queue: { length: 0 }, connection: { contextLost: false } });
});

test("if a client closes for good during `prompt()`, a new client sends the prompt", async () => {
  const rig = new Rig();
  const { agent, conversation } = rig.source;
  conversation.prompt = () => {
    agent.givesUp(new ConnectionLostError("the link ended"));
    throw new ClosedError("this client was closed", { delivery: "not-sent" });
  };
  rig.chat.send("One");
  await rig.settle();
  rig.source.turn.completes();
  await rig.settle();
  expect(rig.chat.send("Two").ok).toBe(true);
  expect(rig.prompts).toEqual(["user sent: One", "user sent: Two"]);
  expect(agent.listeners.size).toBe(0);
});

test("two chats on one source have their own clients, and cannot decide each other's requests", async () => {
  const one = new Rig();
  const two = new Rig({}, one.source);
  const [first, second] = one.source.agents;
  const request = {
    type: "approval",
    id: "c1",
    call: { id: "c1", name: "shell", input: {}, raw: null },
  } as const;
  const ids = [first?.asks(request) ?? "", second?.asks(request) ?? ""];
  expect([...one.now.pending, ...two.now.pending].map(({ id }) => id)).toEqual(ids);
  for (const id of ["c1", ids[0] ?? ""]) expect(two.chat.decide(id, "once")).toEqual({ ok: true });
  expect(second?.decided).toEqual([]);
  expect([one.now.pending.length, two.now.pending.length]).toEqual([1, 1]);
  await one.chat.close();
  expect([first?.status, second?.status]).toEqual(["closed", "idle"]);
  expect(two.chat.send("Hello").ok).toBe(true);
});
