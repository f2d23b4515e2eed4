import { setImmediate } from "node:timers/promises";
import { createChat } from "agentwire/chat";
import { MockAgent } from "agentwire/testing/agent";
import { expect, test } from "vitest";
import { collected } from "./support.ts";

test("a snapshot of a chat leads to none of the snapshots before it", async () => {
  const chat = createChat(new MockAgent({ script: ["one two three four five"] }));
  const seen: WeakRef<object>[] = [];
  const off = chat.subscribe(() => void seen.push(new WeakRef(chat.getSnapshot())));
  chat.send("Go");
  while (chat.getSnapshot().busy || chat.getSnapshot().messages.length < 2) await setImmediate();
  const newest = chat.getSnapshot();
  await collected();
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.filter((snapshot) => snapshot.deref() !== undefined).map((each) => each.deref())).toEqual([
    newest,
  ]);
  off();
  await chat.close();
});
