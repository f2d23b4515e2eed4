import { expect, test } from "vitest";
import { MAX_STORE_WAIT } from "../../src/chat/store/store-writer.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { Rig } from "./support/rig.ts";

/** Nothing of the chat is left anywhere. */
function expectNothingLeft({ source, clock }: Rig): void {
  expect(clock.pending).toBe(0);
  for (const { listeners, conversations, status } of source.agents) {
    expect(listeners.size).toBe(0);
    expect(status).toBe("closed");
    for (const { stream } of conversations) expect(stream?.listeners.size ?? 0).toBe(0);
  }
}

test.each([
  ["before anything was sent", () => {}],
  ["while a prompt waits for the connection", (rig: Rig) => rig.chat.send("Hello")],
  [
    "while an answer streams, with prompts that wait",
    (rig: Rig) => {
      rig.chat.send("One");
      rig.source.turn.send();
      rig.source.turn.says("Hi");
      rig.chat.send("Two");
    },
  ],
  [
    "while a turn is being stopped",
    (rig: Rig) => {
      rig.chat.send("One");
      rig.source.turn.send();
      rig.chat.cancel();
    },
  ],
])("close %s ends everything, and leaves no timer or listener", async (_, arrange) => {
  const store = new MemoryStore();
  const rig = new Rig({ store, id: "chat" }, { sendsAtOnce: false, stopsAtOnce: false });
  await rig.settle();
  arrange(rig);
  await rig.chat.close();
  expectNothingLeft(rig);
  const { busy, queue, connection, pending } = rig.now;
  expect({ busy, queue, pending }).toEqual({ busy: false, queue: [], pending: [] });
  expect(connection.status).toBe("closed");
  expect(rig.lines.filter((line) => /queued|open/.test(line))).toEqual([]);
});

test("close fails the prompts that were not sent, which `retry` may safely send", async () => {
  const rig = new Rig();
  rig.chat.send("One");
  rig.chat.send("Two");
  await rig.chat.close();
  expect(rig.lines).toEqual(["user sent: One", "assistant failed: ", "user failed: Two"]);
  expect(rig.now.messages.at(-1)?.error).toMatchObject({ code: "closed", retry: "safe" });
});

test("close is idempotent, and a closed chat refuses prompts without a throw", async () => {
  const rig = new Rig();
  const first = rig.chat.close();
  expect(rig.chat.close()).toBe(first);
  await first;
  expect(rig.source.agent.closes).toBe(1);
  const closed = { ok: false, error: { code: "closed" } };
  expect(rig.chat.send("Hello")).toMatchObject(closed);
  expect(rig.chat.decide("ses_1.1", "once")).toEqual({ ok: true });
  expect(rig.chat.answer("ses_1.2", "yes")).toEqual({ ok: true });
  expect(rig.chat.resume("without-context")).toMatchObject(closed);
  expect(rig.now.problem?.code).toBe("closed");
  expect(rig.chat.cancel()).toEqual({ ok: true });
});

test("if the client fails to close, the snapshot shows a problem, and `close()` still resolves", async () => {
  const rig = new Rig();
  rig.source.agent.close = () => Promise.reject(new Error("no"));
  await rig.chat.close();
  expect(rig.now.problem?.code).toBe("unknown");
  expect(rig.source.agent.listeners.size).toBe(0);
});

test("close resolves before the store has loaded, and the chat ignores what it loads later", async () => {
  const store = new MemoryStore();
  store.hold();
  const rig = new Rig({ store, id: "chat" });
  rig.chat.send("Hello");
  const closing = rig.chat.close();
  await rig.settle();
  rig.clock.advance(MAX_STORE_WAIT); // the store takes no record of the prompt that waits
  await closing;
  store.release();
  await rig.settle();
  expect(rig.source.agent.status).toBe("closed");
  expect(rig.source.agent.conversations).toEqual([]);
  expect(rig.lines).toEqual(["user failed: Hello"]);
  expect(rig.now.loading).toBe(false);
});

test("listeners are notified of the close, and of changes after it", async () => {
  const rig = new Rig();
  const seen: unknown[] = [];
  rig.chat.subscribe(() => seen.push([rig.now.connection.status, rig.now.problem?.code]));
  await rig.chat.close();
  await rig.settle();
  expect(seen.at(-1)).toEqual(["closed", undefined]);
  rig.chat.send("Hello");
  await rig.settle();
  expect(seen.at(-1)).toEqual(["closed", "closed"]);
});

test("a thousand closed chats leave no listener and no timer", async () => {
  const shared = new Rig();
  for (let n = 0; n < 1_000; n++) {
    const rig = new Rig({ clock: shared.clock }, shared.source);
    rig.chat.send("Hello");
    await rig.chat.close();
  }
  await shared.chat.close();
  expectNothingLeft(shared);
});
