import fc from "fast-check";
import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import type { ChatOptions } from "../../src/chat/options.ts";
import { FakeSource } from "../helpers/fake-source.ts";
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

test("no function of a chat throws, whatever it is called with, in any order", async () => {
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
    { numRuns: 200 },
  );
});

test.each([
  ["a number", 5],
  ["nothing", undefined],
  ["a blank text", " \n"],
  ["an object without text", {}],
  ["an unknown field", { text: "Hello", txt: 1 }],
  ["an image that is none", { text: "Hello", images: [5] }],
  ["an image without bytes", { text: "Hello", images: [{ data: new Uint8Array() }] }],
  ["an image of an unknown type", { text: "Hello", images: [{ data: "AAAA" }] }],
  ["an image that is no base64", { text: "Hello", images: [{ data: "ä" }] }],
])("send refuses %s, and says so", (_, input) => {
  const rig = new Rig();
  expect(rig.chat.send(input as never)).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.now.problem).toMatchObject({ code: "invalid-input" });
  expect(rig.now.messages.length).toBe(0);
});

test("an input whose getters throw is refused, with what they threw as the cause", () => {
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

test("a prompt is copied: what the caller changes later is not sent", async () => {
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

test("the functions need no `this`", () => {
  const { chat } = new Rig();
  const { send, getSnapshot, subscribe, cancel } = chat;
  subscribe(() => {})();
  send("Hello");
  cancel();
  expect(getSnapshot().messages.at(0)?.status).toBe("sent");
});

test("a client that throws what is no error makes no throw here", async () => {
  const rig = new Rig();
  rig.source.conversation.refusal = "just a text";
  expect(rig.chat.send("Hello")).toMatchObject({ ok: false, error: { cause: "just a text" } });
  rig.source.agent.decide = () => {
    throw null;
  };
  expect(rig.chat.decide("c1", "once").ok).toBe(false);
  rig.source.refusal = Object.create(null);
  rig.source.agent.is("closed");
  expect(rig.chat.send("Hello").ok).toBe(false);
  await rig.chat.close();
});

test.each<[string, object]>([
  ["an option that does not exist", { whenbusy: "queue" }],
  ["a wrong choice", { whenBusy: "wait" }],
  ["a store without a name of the chat", { store: { load() {}, append() {} } }],
  ["a name without a store", { id: "chat" }],
  ["a store that is none", { store: {}, id: "chat" }],
  ["no limit", { maxQueued: 0 }],
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
