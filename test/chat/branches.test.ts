import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/chat/store/store.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { lineOf, Rig, throughJson } from "./support/rig.ts";

/** The id of the message with this text. */
const idOf = (rig: Rig, text: string): string =>
  rig.now.messages.toArray().find((message) => lineOf(message).endsWith(`: ${text}`))?.id ??
  "no such message";

const branchesOf = (rig: Rig, text: string) =>
  rig.now.messages.toArray().find((message) => lineOf(message).endsWith(`: ${text}`))?.branches;

/** What the backend remembers in the newest conversation, before its next turn. */
const remembered = (rig: Rig): readonly string[] => rig.source.conversation.said;

/** A chat with three prompts and their answers: `One`/`1`, `Two`/`2`, `Three`/`3`. */
async function talk(options = {}): Promise<Rig> {
  const rig = new Rig(options);
  await rig.settle();
  await rig.talk("One", "1");
  await rig.talk("Two", "2");
  await rig.talk("Three", "3");
  return rig;
}

async function answers(rig: Rig, text: string): Promise<void> {
  rig.source.turn.says(text);
  rig.source.turn.completes();
  await rig.settle();
}

describe("regenerate", () => {
  test("asks again with the history before the answer, and keeps the old answer as a branch", async () => {
    const rig = await talk();
    const old = idOf(rig, "2");
    expect(rig.chat.regenerate(old)).toMatchObject({ ok: true });
    expect(rig.lines).toEqual([
      "user sent: One",
      "assistant completed: 1",
      "user sent: Two",
      "assistant open: ",
    ]);
    expect(rig.source.turn.text).toBe("Two");
    expect(rig.source.turn.options.branchOf).toBe(old);
    expect(remembered(rig)).toEqual(["One"]);
    await answers(rig, "2b");
    const fresh = idOf(rig, "2b");
    expect(branchesOf(rig, "2b")).toEqual({ at: 2, of: 2, ids: [old, fresh] });
    expect(rig.now.state).toMatchObject({ said: ["One", "Two"] });
  });

  test("also takes the id of the prompt, and works on the first answer", async () => {
    const rig = await talk();
    rig.chat.regenerate(idOf(rig, "One"));
    await answers(rig, "1b");
    expect(rig.lines).toEqual(["user sent: One", "assistant completed: 1b"]);
    expect(rig.now.state).toMatchObject({ said: ["One"] });
  });

  test("works a third time, on the newest answer", async () => {
    const rig = await talk();
    rig.chat.regenerate(idOf(rig, "3"));
    await answers(rig, "3b");
    rig.chat.regenerate(idOf(rig, "3b"));
    expect(remembered(rig)).toEqual(["One", "Two"]);
    await answers(rig, "3c");
    expect(branchesOf(rig, "3c")).toMatchObject({ at: 3, of: 3 });
    expect(rig.lines.filter((line) => line === "user sent: Three")).toHaveLength(1);
  });

  test("first cancels the running turn, even if it is the turn to regenerate", async () => {
    const rig = await talk();
    rig.chat.send("Four");
    rig.source.turn.says("4");
    const running = rig.source.turn;
    rig.chat.regenerate(idOf(rig, "4"));
    await rig.settle();
    expect(running.status).toBe("cancelled");
    expect(rig.source.turn.text).toBe("Four");
    expect(remembered(rig)).toEqual(["One", "Two", "Three"]);
    await answers(rig, "4b");
    expect(branchesOf(rig, "4b")).toMatchObject({ at: 2, of: 2 });
  });

  test("goes before queued prompts, which then continue the new branch", async () => {
    const rig = await talk();
    rig.chat.send("Four");
    rig.chat.send("Five");
    rig.chat.regenerate(idOf(rig, "3"));
    await rig.settle();
    await answers(rig, "3b");
    expect(rig.source.turn.text).toBe("Five");
    expect(remembered(rig)).toEqual(["One", "Two", "Three"]);
  });

  test("cancelled before its answer begins, shows the old answer again and continues from it", async () => {
    const rig = await talk();
    rig.chat.regenerate(idOf(rig, "2"));
    rig.chat.cancel();
    await rig.settle();
    expect(rig.lines.at(-1)).toBe("assistant completed: 3");
    expect(branchesOf(rig, "2")).toBeUndefined();
    await rig.talk("Four", "4");
    expect(rig.now.state).toMatchObject({ said: ["One", "Two", "Three", "Four"] });
  });

  test("changes nothing and sets `problem` if the client refuses the prompt", async () => {
    const rig = await talk();
    const before = rig.lines;
    rig.source.agent.refuseNext = new Error("no");
    expect(rig.chat.regenerate(idOf(rig, "2")).ok).toBe(false);
    await rig.settle();
    expect(rig.lines).toEqual(before);
    expect(rig.now.problem).toBeDefined();
    await rig.talk("Four", "4");
    expect(rig.now.state).toMatchObject({ said: ["One", "Two", "Three", "Four"] });
  });

  test.each(["m99", "", 7 as unknown as string])(
    "of the unknown id %j is refused and sends nothing",
    async (id) => {
      const rig = await talk();
      expect(rig.chat.regenerate(id)).toMatchObject({ ok: false, error: { code: "invalid-input" } });
      expect(rig.source.turns).toHaveLength(3);
    },
  );

  test("is unsupported if the backend keeps the history, and the running turn goes on", async () => {
    const rig = new Rig({}, { capabilities: { branches: false } });
    await rig.talk("One", "1");
    rig.chat.send("Two");
    expect(rig.chat.regenerate(idOf(rig, "1"))).toMatchObject({ ok: false, error: { code: "unsupported" } });
    expect(rig.chat.edit(idOf(rig, "One"), "Uno")).toMatchObject({
      ok: false,
      error: { code: "unsupported" },
    });
    expect(rig.chat.selectBranch(idOf(rig, "One"))).toMatchObject({
      ok: false,
      error: { code: "unsupported" },
    });
    expect(rig.source.turn.status).toBe("sent");
  });
});

describe("edit", () => {
  test("sends the new prompt, and keeps the old one with all that follows as a branch", async () => {
    const rig = await talk();
    const old = idOf(rig, "Two");
    const sent = rig.chat.edit(old, "Zwei");
    expect(sent).toMatchObject({ ok: true });
    expect(remembered(rig)).toEqual(["One"]);
    await answers(rig, "2b");
    expect(rig.lines).toEqual([
      "user sent: One",
      "assistant completed: 1",
      "user sent: Zwei",
      "assistant completed: 2b",
    ]);
    expect(branchesOf(rig, "Zwei")).toEqual({ at: 2, of: 2, ids: [old, sent.ok && sent.id] });
  });

  test("of an agent's message, or to a blank prompt, is refused with the reason", async () => {
    const rig = await talk();
    const { error } = rig.chat.edit(idOf(rig, "2"), "Better") as { error: Error };
    expect(error.message).toMatch(/the agent has written/);
    expect(rig.chat.edit(idOf(rig, "Two"), " ")).toMatchObject({
      ok: false,
      error: { code: "invalid-input" },
    });
  });

  test("of a queued prompt is refused with a hint at `editQueued`", async () => {
    const rig = await talk();
    rig.chat.send("Four");
    rig.chat.send("Five");
    const { error } = rig.chat.edit(idOf(rig, "Five"), "Fünf") as { error: Error };
    expect(error.message).toMatch(/editQueued/);
  });

  test("whose prompt cannot be sent shows a failed message after the old branch", async () => {
    const rig = await talk();
    rig.source.agent.refuseNext = new Error("no");
    expect(rig.chat.edit(idOf(rig, "Two"), "Zwei").ok).toBe(false);
    await rig.settle();
    expect(rig.lines.slice(-2)).toEqual(["assistant completed: 3", "user failed: Zwei"]);
    expect(rig.now.state).toMatchObject({ said: ["One", "Two", "Three"] });
  });
});

describe("selectBranch", () => {
  /** Two branches: `Two`, `Three`, and `Zwei`, `Drei`. The second one is shown. */
  async function branched(options = {}): Promise<Rig> {
    const rig = await talk(options);
    rig.chat.edit(idOf(rig, "Two"), "Zwei");
    await answers(rig, "2b");
    await rig.talk("Drei", "3b");
    return rig;
  }

  test("shows the whole other branch, and the next prompt continues it", async () => {
    const rig = await branched();
    const [first = ""] = branchesOf(rig, "Zwei")?.ids ?? [];
    expect(rig.chat.selectBranch(first)).toEqual({ ok: true });
    expect(rig.lines).toContain("assistant completed: 3");
    expect(rig.lines).not.toContain("user sent: Zwei");
    expect(rig.now.state).toMatchObject({ said: ["One", "Two", "Three"] });
    await rig.talk("Four", "4");
    expect(rig.now.state).toMatchObject({ said: ["One", "Two", "Three", "Four"] });
    const [, second = ""] = branchesOf(rig, "Two")?.ids ?? [];
    rig.chat.selectBranch(second);
    expect(rig.lines.at(-1)).toBe("assistant completed: 3b");
    expect(rig.now.state).toMatchObject({ said: ["One", "Zwei", "Drei"] });
  });

  test("finds a branch within a hidden branch", async () => {
    const rig = await branched();
    rig.chat.regenerate(idOf(rig, "3b"));
    await answers(rig, "3c");
    const inner = branchesOf(rig, "3c")?.ids[0] ?? "";
    rig.chat.selectBranch(branchesOf(rig, "Zwei")?.ids[0] ?? "");
    expect(rig.lines.at(-1)).toBe("assistant completed: 3");
    expect(rig.chat.selectBranch(inner)).toEqual({ ok: true });
    expect(rig.lines.at(-1)).toBe("assistant completed: 3b");
    expect(rig.now.state).toMatchObject({ said: ["One", "Zwei", "Drei"] });
  });

  test("is refused during a turn and for an unknown id, and does nothing for the shown branch", async () => {
    const rig = await branched();
    const shown = rig.now;
    expect(rig.chat.selectBranch(idOf(rig, "3b"))).toEqual({ ok: true });
    expect(rig.now).toBe(shown);
    expect(rig.chat.selectBranch("gone")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
    rig.chat.send("More");
    const [first = ""] = branchesOf(rig, "Zwei")?.ids ?? [];
    expect(rig.chat.selectBranch(first)).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  });

  test("works on branches from `saved`, with their states", async () => {
    const rig = new Rig({ from: throughJson((await branched()).now.saved), newId: () => "new" });
    const [first = ""] = branchesOf(rig, "Zwei")?.ids ?? [];
    expect(rig.chat.selectBranch(first)).toEqual({ ok: true });
    await rig.talk("Four", "4");
    expect(rig.now.state).toMatchObject({ said: ["One", "Two", "Three", "Four"] });
    expect(rig.now.connection.contextLost).toBe(false);
  });

  test("works on an old snapshot's `saved`, which a later selection does not change", async () => {
    const first = await branched();
    const { lines, now } = first;
    const [hidden = ""] = branchesOf(first, "Zwei")?.ids ?? [];
    first.chat.selectBranch(hidden);
    const rig = new Rig({ from: throughJson(now.saved), newId: () => "new" });
    expect(rig.lines).toEqual(lines);
    rig.chat.selectBranch(hidden);
    expect(rig.now.state).toMatchObject({ said: ["One", "Two", "Three"] });
    expect(rig.now.connection.contextLost).toBe(false);
  });

  test("shows branches after a change of backend, and reports their context as lost", async () => {
    const saved = { ...throughJson((await branched()).now.saved), source: "another" };
    const rig = new Rig({ from: saved, newId: () => "new" });
    const [first = ""] = branchesOf(rig, "Zwei")?.ids ?? [];
    expect(rig.chat.selectBranch(first)).toEqual({ ok: true });
    expect(rig.lines.at(-1)).toBe("assistant completed: 3");
    expect(rig.now.connection.contextLost).toBe(true);
    expect(rig.source.turns).toEqual([]);
  });

  test("works on branches from a store, which also keeps which branch is shown", async () => {
    const store = memoryStore();
    const first = await branched({ store, id: "chat" });
    first.chat.selectBranch(branchesOf(first, "Zwei")?.ids[0] ?? "");
    await first.settle();
    const rig = new Rig({ store, id: "chat", newId: () => "new" });
    await rig.settle();
    expect(rig.lines).toEqual(first.lines);
    expect(rig.now.messages.map(({ branches }) => branches)).toEqual(
      first.now.messages.map(({ branches }) => branches),
    );
    rig.chat.selectBranch(branchesOf(rig, "Two")?.ids[1] ?? "");
    expect(rig.lines.at(-1)).toBe("assistant completed: 3b");
  });

  test("loses no earlier message, wherever a crash cuts the store's events", async () => {
    const store = new MemoryStore();
    const rig = await talk({ store, id: "chat" });
    await rig.settle();
    const from = store.events.length;
    rig.chat.edit(idOf(rig, "Two"), "Zwei");
    await answers(rig, "2b");
    rig.chat.regenerate(idOf(rig, "2b"));
    await answers(rig, "2c");
    rig.chat.selectBranch(branchesOf(rig, "Zwei")?.ids[0] ?? "");
    await rig.settle();
    for (let cut = from; cut <= store.events.length; cut++) {
      const loaded = new Rig({
        store: new MemoryStore(store.events.slice(0, cut)),
        id: "chat",
        newId: () => "new",
      });
      await loaded.settle();
      const shown = loaded.lines;
      expect(shown.slice(0, 2)).toEqual(["user sent: One", "assistant completed: 1"]);
      const hidden = loaded.now.saved.branches?.flatMap(({ messages }) => messages) ?? [];
      const all = [...loaded.now.saved.messages, ...hidden].map(({ id }) => id);
      expect(new Set(all).size).toBe(all.length);
      for (const text of ["Two", "2", "Three", "3"])
        expect([...shown, ...hidden.map((message) => JSON.stringify(message))].join("\n")).toContain(text);
      await loaded.chat.close();
    }
  });
});
