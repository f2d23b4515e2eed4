import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { FakeSource } from "../helpers/fake-source.ts";
import { Rig, throughJson } from "./support/rig.ts";

test("a saved chat shows the same messages after JSON, and continues from the backend's state", async () => {
  const first = new Rig();
  await first.talk("Hello", "Hi");
  first.chat.send({ text: "And this?", images: [{ data: "data:image/png;base64,iVBORw0KGgo=" }] });
  first.source.turn.completes({ usage: { output_tokens: 5 } });
  await first.settle();
  const saved = throughJson(first.now.saved);
  const rig = new Rig({ from: saved, newId: () => "new" });
  expect(JSON.stringify(rig.now.messages)).toBe(JSON.stringify(first.now.messages));
  expect(rig.now.usage).toEqual({ output_tokens: 5 });
  expect(rig.now.connection.contextLost).toBe(false);
  expect(rig.source.conversation.from).toMatchObject({ said: ["Hello", "And this?"] });
  await rig.talk("More", "Yes");
  const ids = rig.now.messages.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(throughJson(rig.now.saved).messages).toHaveLength(ids.length);
});

test("a chat saved during a turn shows that turn as failed, and holds the queued prompt", async () => {
  const first = new Rig();
  await first.talk("Hello", "Hi");
  first.chat.send("More");
  first.source.turn.says("Wel");
  first.chat.send("And more");
  const rig = new Rig({ from: throughJson(first.now.saved) });
  expect(rig.lines).toEqual([
    "user sent: Hello",
    "assistant completed: Hi",
    "user sent: More",
    "assistant failed: Wel",
    "user queued: And more",
  ]);
  expect(rig.now.messages.at(3)?.error?.retry).toBe("ask");
  expect(rig.now.connection.contextLost).toBe(false);
  expect(rig.now).toMatchObject({ busy: false, queue: [{ input: "And more", held: true }] });
});

test("`saved` is made at its first read, and later ones share the unchanged parts", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  const before = rig.now.saved;
  expect(rig.now.saved).toBe(before);
  rig.chat.send("More");
  expect(rig.now.saved.messages[1]).toBe(before.messages[1]);
  expect(before.messages).toHaveLength(2);
});

test("`saved` has the state of its own snapshot, even after later turns", async () => {
  const rig = new Rig();
  await rig.talk("Hello", "Hi");
  const snapshot = rig.now;
  await rig.talk("More", "Yes");
  expect(snapshot.saved.state).toMatchObject({ said: ["Hello"] });
});

test.each([
  ["another version", { version: 2 }],
  ["no source", { source: 5 }],
  ["invalid messages", { messages: [{ id: "a" }] }],
  [
    "a part without a type",
    { messages: [{ id: "a", role: "user", status: "sent", startedAt: 1, parts: [{ id: "b" }] }] },
  ],
  [
    "a part whose type is a name of Object.prototype",
    {
      messages: [
        { id: "a", role: "user", status: "sent", startedAt: 1, parts: [{ id: "b", type: "toString" }] },
      ],
    },
  ],
  ["a state that is not an object", { state: "x" }],
])("a `from` with %s is refused", (_, change) => {
  const from = { ...throughJson(new Rig().now.saved), ...change };
  const make = () => createChat(new FakeSource(), { from: from as never });
  expect(make).toThrow(expect.objectContaining({ code: "invalid-input" }));
});

test("a `from` that is nested too deeply is refused without a stack overflow", () => {
  let parts: object[] = [];
  for (let depth = 0; depth < 50_000; depth++)
    parts = [{ id: "s", type: "subagent", agentType: "a", name: "a", state: "done", parts }];
  const message = { id: "a", role: "assistant", status: "completed", startedAt: 1, parts };
  const from = { ...throughJson(new Rig().now.saved), messages: [message] };
  const make = () => createChat(new FakeSource(), { from: from as never });
  expect(make).toThrow(expect.objectContaining({ code: "invalid-input" }));
});
