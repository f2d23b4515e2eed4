import { checkTranscript } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/chat/store/store.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { Rig, throughJson } from "./support/rig.ts";

/** A chat in which a turn runs, and these prompts wait: `m2`, `m3`, ... */
function waiting(...prompts: readonly string[]): Rig {
  const rig = new Rig();
  rig.chat.send("First");
  for (const prompt of prompts) rig.chat.send(prompt);
  return rig;
}

const inputs = (rig: Rig): readonly unknown[] => rig.now.queue.map(({ input }) => input);
const ids = (rig: Rig): readonly string[] => rig.now.queue.map(({ id }) => id);
const sent = (rig: Rig): readonly string[] => rig.source.turns.map(({ text }) => text);

describe("the queue of a chat", () => {
  test("lists the queued prompts with input and time, in sending order", () => {
    const rig = waiting("Two", "Three");
    expect(rig.now.queue).toEqual([
      { id: "m2", input: "Two", at: rig.clock.wallTime() },
      { id: "m3", input: "Three", at: rig.clock.wallTime() },
    ]);
    expect(rig.now.queue).toBe(rig.now.queue);
  });

  test("`unqueue` cancels a prompt so that it is not sent, and `retry` sends it", async () => {
    const rig = waiting("Two", "Three");
    expect(rig.chat.unqueue("m2")).toEqual({ ok: true });
    expect(inputs(rig)).toEqual(["Three"]);
    rig.source.turn.completes();
    await rig.settle();
    expect(sent(rig)).toEqual(["First", "Three"]);
    expect(rig.lines).toContain("user cancelled: Two");
    rig.source.turn.completes();
    await rig.settle();
    expect(rig.chat.retry("m2").ok).toBe(true);
    expect(sent(rig)).toEqual(["First", "Three", "Two"]);
  });

  test("`editQueued` changes the prompt that is sent and its message", async () => {
    const rig = waiting("Two");
    expect(
      rig.chat.editQueued("m2", { text: "Two, please", images: [{ data: "data:image/png;base64,aGk=" }] }),
    ).toEqual({
      ok: true,
    });
    expect(rig.lines.at(-1)).toBe("user queued: Two, please(file)");
    rig.source.turn.completes();
    await rig.settle();
    expect(rig.source.turn.input).toMatchObject({
      text: "Two, please",
      images: [{ mediaType: "image/png" }],
    });
  });

  test("`moveQueued` moves a prompt before another or to the end, and the messages show the order", async () => {
    const rig = waiting("Two", "Three", "Four");
    expect(rig.chat.moveQueued("m4", "m2")).toEqual({ ok: true });
    expect(inputs(rig)).toEqual(["Four", "Two", "Three"]);
    expect(rig.chat.moveQueued("m2", null)).toEqual({ ok: true });
    expect(inputs(rig)).toEqual(["Four", "Three", "Two"]);
    expect(rig.prompts.slice(1)).toEqual(["user queued: Four", "user queued: Three", "user queued: Two"]);
    for (let n = 0; n < 3; n++) {
      rig.source.turn.completes();
      await rig.settle();
    }
    expect(sent(rig)).toEqual(["First", "Four", "Three", "Two"]);
  });

  test("`sendNow` cancels the running turn, and sends its prompt before all others", async () => {
    const rig = waiting("Two", "Three");
    expect(rig.chat.sendNow("m3")).toEqual({ ok: true });
    await rig.settle();
    expect(rig.source.turns[0]?.status).toBe("cancelled");
    expect(sent(rig)).toEqual(["First", "Three"]);
    expect(inputs(rig)).toEqual(["Two"]);
  });

  test("`sendNow` waits until the running turn has stopped", async () => {
    const rig = new Rig({}, { stopsAtOnce: false });
    rig.chat.send("First");
    rig.chat.send("Two");
    rig.chat.sendNow("m2");
    await rig.settle();
    expect(sent(rig)).toEqual(["First"]);
    rig.source.turn.stopped();
    await rig.settle();
    expect(sent(rig)).toEqual(["First", "Two"]);
  });

  test.each(["unqueue", "editQueued", "moveQueued", "sendNow"] as const)(
    "%s refuses an unknown id and changes nothing",
    async (name) => {
      const rig = waiting("Two");
      for (const id of ["m1", "m9", "", 7 as unknown as string]) {
        const { chat } = rig;
        const calls = {
          unqueue: () => chat.unqueue(id),
          editQueued: () => chat.editQueued(id, "Other"),
          moveQueued: () => chat.moveQueued(id, null),
          sendNow: () => chat.sendNow(id),
        };
        expect(calls[name]()).toMatchObject({ ok: false, error: { code: "invalid-input" } });
      }
      expect(inputs(rig)).toEqual(["Two"]);
      expect(rig.source.turn.status).toBe("sent");
    },
  );

  test("a prompt stays unchanged after an edit to a blank prompt or a move to an unknown place", () => {
    const rig = waiting("Two", "Three");
    expect(rig.chat.editQueued("m2", " ").ok).toBe(false);
    expect(rig.chat.moveQueued("m2", "m9").ok).toBe(false);
    expect(rig.chat.moveQueued("m2", undefined as unknown as null).ok).toBe(false);
    expect(rig.chat.moveQueued("m2", "m2").ok).toBe(true);
    expect(inputs(rig)).toEqual(["Two", "Three"]);
  });
});

describe("a loaded queue", () => {
  /** A chat that has talked, in which a turn runs, and these prompts wait: `m3`, `m4`, ... */
  async function talking(...prompts: readonly string[]): Promise<Rig> {
    const rig = new Rig();
    await rig.talk("Hello", "Hi");
    for (const prompt of ["First", ...prompts]) rig.chat.send(prompt);
    return rig;
  }

  test("from `saved` is held: `resume` sends its prompts in order", async () => {
    const first = await talking("Two", "Three");
    first.chat.moveQueued("m4", "m3");
    const rig = new Rig({ from: throughJson(first.now.saved) });
    await rig.settle();
    expect(rig.now.queue).toMatchObject([
      { id: "m4", input: "Three", held: true },
      { id: "m3", input: "Two", held: true },
    ]);
    expect(sent(rig)).toEqual([]);
    expect(rig.chat.resume()).toEqual({ ok: true });
    expect(sent(rig)).toEqual(["Three"]);
    rig.source.turn.completes();
    await rig.settle();
    expect(sent(rig)).toEqual(["Three", "Two"]);
  });

  test("lets a new prompt pass, and `sendNow` sends one held prompt alone", async () => {
    const first = await talking("Two", "Three");
    const rig = new Rig({ from: throughJson(first.now.saved), newId: () => "new" });
    rig.chat.send("Other");
    expect(sent(rig)).toEqual(["Other"]);
    rig.source.turn.completes();
    await rig.settle();
    expect(sent(rig)).toEqual(["Other"]);
    rig.chat.sendNow("m4");
    rig.source.turn.completes();
    await rig.settle();
    expect(sent(rig)).toEqual(["Other", "Three"]);
    expect(rig.now.queue).toMatchObject([{ id: "m3", held: true }]);
  });

  test("comes from `saved` of a closed chat too", async () => {
    const first = await talking("Two");
    await first.chat.close();
    expect(first.lines).toContain("user failed: Two");
    expect(first.now.queue).toEqual([]);
    const rig = new Rig({ from: throughJson(first.now.saved) });
    expect(inputs(rig)).toEqual(["Two"]);
  });

  test("from a store has the edits and moves, without sent or removed prompts", async () => {
    const store = memoryStore();
    const first = new Rig({ store, id: "chat" });
    await first.settle();
    for (const text of ["One", "Two", "Three", "Four", "Five"]) first.chat.send(text);
    first.chat.editQueued("m3", "Drei");
    first.chat.moveQueued("m5", "m3");
    first.chat.unqueue("m4");
    first.source.turn.completes();
    await first.settle();
    const rig = new Rig({ store, id: "chat", newId: () => "n1" });
    await rig.settle();
    expect(inputs(rig)).toEqual(["Five", "Drei"]);
    expect(rig.prompts).toEqual([
      "user sent: One",
      "user sent: Two",
      "user queued: Five",
      "user queued: Drei",
    ]);
    expect(rig.source.turns).toEqual([]);
  });

  test("from a store cut anywhere loses no prompt, and sends none whose turn began", async () => {
    const store = new MemoryStore();
    const first = new Rig({ store, id: "chat" });
    await first.settle();
    const texts = ["One", "Two", "Three"];
    for (const text of texts) first.chat.send(text);
    await first.settle();
    const acked = store.events.length;
    first.source.turn.completes();
    await first.settle();
    first.chat.editQueued("m3", "Drei");
    first.chat.moveQueued("m3", null);
    first.source.turn.completes();
    await first.settle();
    const own = store.events.filter(({ session_id }) => session_id.startsWith("chat"));
    expect(own.length).toBeGreaterThan(10);
    expect(checkTranscript(own, { live: true })).toEqual([]);
    for (let cut = acked; cut <= store.events.length; cut++) {
      const rig = new Rig({
        store: new MemoryStore(store.events.slice(0, cut)),
        id: "chat",
        newId: () => "n1",
      });
      await rig.settle();
      const shown = rig.now.messages.map(({ id }) => id).filter((id) => /^m\d$/.test(id));
      expect(new Set(shown)).toEqual(new Set(["m1", "m2", "m3"]));
      expect(shown).toHaveLength(3);
      expect(rig.source.turns).toEqual([]);
      const begun = store.events
        .slice(0, cut)
        .flatMap(({ type, data }) => (type === "turn.started" ? (data.metadata?.prompt_id ?? []) : []));
      expect(ids(rig).filter((id) => begun.includes(id))).toEqual([]);
      await rig.chat.close();
    }
  });

  test("of two chats on one store sends no prompt twice", async () => {
    const store = memoryStore();
    const first = new Rig({ store, id: "chat" });
    await first.settle();
    first.chat.send("One");
    first.chat.send("Two");
    first.chat.send("Three");
    await first.settle();
    const second = new Rig({ store, id: "chat", newId: () => "n1" });
    await second.settle();
    expect(inputs(second)).toEqual(["Two", "Three"]);
    first.source.turn.completes();
    await first.settle();
    expect(sent(first)).toEqual(["One", "Two"]);
    second.chat.resume("without-context");
    await second.settle();
    expect(sent(second)).toEqual(["Three"]);
    expect(second.lines).toContain("user cancelled: Two");
  });

  test("stays held while the store cannot report what was sent", async () => {
    const store = new MemoryStore();
    const first = new Rig({ store, id: "chat" });
    await first.settle();
    first.chat.send("One");
    first.chat.send("Two");
    await first.settle();
    const rig = new Rig({ store, id: "chat", newId: () => "n1" });
    await rig.settle();
    store.failure = new Error("the disk is gone");
    rig.chat.resume("without-context");
    await rig.settle();
    expect(rig.now.problem?.code).toBe("store-failed");
    expect(rig.now.queue).toMatchObject([{ id: "m2", held: true }]);
    expect(rig.source.turns).toEqual([]);
  });
});
