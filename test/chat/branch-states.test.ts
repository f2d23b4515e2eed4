import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/chat/store/store.ts";
import { UnsupportedError } from "../../src/core/errors.ts";
import type { FakeOptions } from "../helpers/fake-source.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { lineOf, Rig, throughJson } from "./support/rig.ts";

const idOf = (rig: Rig, text: string): string =>
  rig.now.messages.toArray().find((message) => lineOf(message).endsWith(`: ${text}`))?.id ??
  "no such message";

const branchesOf = (rig: Rig, text: string): readonly string[] =>
  rig.now.messages.toArray().find((message) => lineOf(message).endsWith(`: ${text}`))?.branches?.ids ?? [];

async function answers(rig: Rig, text: string): Promise<void> {
  rig.source.turn.says(text);
  rig.source.turn.completes();
  await rig.settle();
}

/** Three prompts and their answers. */
async function talk(options = {}, fake: FakeOptions = {}): Promise<Rig> {
  const rig = new Rig(options, fake);
  await rig.settle();
  for (const [prompt, answer] of [
    ["One", "1"],
    ["Two", "2"],
    ["Three", "3"],
  ] as const) {
    rig.chat.send(prompt);
    if (fake.sendsAtOnce === false) rig.source.turn.send();
    rig.source.turn.says(answer);
    rig.source.turn.completes();
    await rig.settle();
  }
  return rig;
}

const WHOLE = [
  "user sent: One",
  "assistant completed: 1",
  "user sent: Two",
  "assistant completed: 2",
  "user sent: Three",
  "assistant completed: 3",
];

describe("`saved` while a prompt of a new branch is not sent yet", () => {
  test.each(["regenerate", "edit"] as const)(
    "keeps all messages and the last state while %s waits for the running turn to stop",
    async (name) => {
      const rig = await talk({}, { stopsAtOnce: false });
      rig.chat.send("Four");
      if (name === "edit") rig.chat.edit(idOf(rig, "One"), "Uno");
      else rig.chat.regenerate(idOf(rig, "1"));
      const loaded = new Rig({ from: throughJson(rig.now.saved), newId: () => "new" });
      expect(loaded.lines.slice(0, 6)).toEqual(WHOLE);
      expect(loaded.now.state).toMatchObject({ said: ["One", "Two", "Three"] });
    },
  );

  test("keeps all messages and the last state until the client sends the prompt, and after `close()`", async () => {
    const rig = await talk({}, { sendsAtOnce: false });
    rig.chat.regenerate(idOf(rig, "1"));
    for (const act of ["waits", "closes"]) {
      if (act === "closes") await rig.chat.close();
      const loaded = new Rig({ from: throughJson(rig.now.saved), newId: () => "new" });
      expect(loaded.lines).toEqual(WHOLE);
      expect(loaded.now.state).toMatchObject({ said: ["One", "Two", "Three"] });
    }
  });
});

describe("the backend's conversation for a branch", () => {
  test("`regenerate` right after `selectBranch` uses the history of the selected branch", async () => {
    const rig = await talk();
    rig.chat.edit(idOf(rig, "One"), "Uno");
    await answers(rig, "1b");
    rig.chat.selectBranch(branchesOf(rig, "Uno")[0] ?? "");
    expect(rig.lines).toEqual(WHOLE);
    expect(rig.chat.regenerate(idOf(rig, "1"))).toMatchObject({ ok: true });
    expect(rig.source.conversation.said).toEqual([]);
  });

  test("`regenerate` sends the transcript again if the first prompt carried it", async () => {
    const rig = await talk({}, { capabilities: { survivesReconnect: false } });
    rig.source.agent.loses(new UnsupportedError("lost", "x"));
    await rig.settle();
    expect(rig.now.connection.contextLost).toBe(true);
    rig.chat.resume("with-transcript");
    await rig.talk("Four", "4");
    const before = rig.source.turn.text;
    expect(before).toContain("Assistant: 3");
    rig.chat.regenerate(idOf(rig, "4"));
    expect(rig.source.turn.text).toBe(before);
  });

  test("context lost before the regenerated prompt is sent: the old branch shows, the next prompt waits", async () => {
    const rig = await talk({}, { sendsAtOnce: false, capabilities: { survivesReconnect: false } });
    rig.chat.regenerate(idOf(rig, "1"));
    rig.source.agent.loses(new UnsupportedError("lost", "x"));
    await rig.settle();
    expect(rig.lines).toEqual(WHOLE);
    expect(rig.now.connection.contextLost).toBe(true);
    expect(rig.now.state).toBeUndefined();
    rig.chat.send("Four");
    expect(rig.now.queue).toHaveLength(1);
  });

  test("a prompt that waits because the context is lost is sent after a branch with context is selected", async () => {
    const rig = await talk({}, { capabilities: { survivesReconnect: false } });
    rig.chat.edit(idOf(rig, "Two"), "Zwei");
    await answers(rig, "2b");
    rig.source.agent.loses(new UnsupportedError("lost", "x"));
    await rig.settle();
    rig.chat.send("Four");
    expect(rig.now.queue).toHaveLength(1);
    rig.chat.selectBranch(branchesOf(rig, "Zwei")[0] ?? "");
    await rig.settle();
    expect(rig.now.connection.contextLost).toBe(false);
    expect(rig.source.turn.text).toBe("Four");
  });
});

describe("a stored chat", () => {
  test("shows the selected branch again after a crash during a turn", async () => {
    const store = new MemoryStore();
    const first = await talk({ store, id: "chat" });
    first.chat.edit(idOf(first, "Two"), "Zwei");
    await answers(first, "2b");
    first.chat.send("Four");
    first.source.turn.says("4");
    await first.settle();
    const crashed = new MemoryStore(store.events);
    const second = new Rig({ store: crashed, id: "chat", newId: () => "n1" });
    await second.settle();
    expect(second.chat.selectBranch(branchesOf(second, "Zwei")[0] ?? "")).toEqual({ ok: true });
    await second.settle();
    const third = new Rig({ store: crashed, id: "chat", newId: () => "n2" });
    await third.settle();
    expect(third.lines).toEqual(second.lines);
  });

  test("has no branches at a prompt that was never sent: `edit` and `regenerate` refuse it", async () => {
    const store = memoryStore();
    const first = new Rig({ store, id: "chat" });
    await first.settle();
    await first.talk("One", "1");
    first.chat.send("Two");
    first.chat.send("Never");
    first.chat.unqueue("m3");
    await answers(first, "2");
    await first.talk("Three", "3");
    for (const outcome of [first.chat.edit("m3", "Zwei"), first.chat.regenerate("m3")])
      expect(outcome).toMatchObject({ ok: false, error: { code: "invalid-input" } });
    const second = new Rig({ store, id: "chat", newId: () => "n1" });
    await second.settle();
    expect(second.lines).toEqual(first.lines.filter((line) => !line.includes("Never")));
  });
});
