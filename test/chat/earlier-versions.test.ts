import { readFile } from "node:fs/promises";
import { checkTranscript, readJsonl } from "agentwire/universal";
import { expect, test } from "vitest";
import type { SavedChat } from "../../src/chat/saving/saved.ts";
import { MemoryStore } from "./support/memory-store.ts";
import { lineOf, Rig } from "./support/rig.ts";

/** Chats that were kept by the version before there were branches and held queues. They must load for ever. */
const fixture = (name: string): Promise<string> =>
  readFile(new URL(`../fixtures/chats/${name}`, import.meta.url), "utf8");

const saved = async (): Promise<SavedChat> =>
  JSON.parse(await fixture("saved-before-branches.json")) as SavedChat;

/** Behind each message: what of it was still open when the chat was kept has failed. */
const LINES = [
  "user sent: hello",
  "assistant completed: You said hello. ",
  "user sent: tools",
  "assistant completed: You said tools. (tool)(tool)(question)It is this.",
  "user sent: agents",
  "assistant completed: You said agents. (subagent)",
  "user sent: fail",
  "assistant failed: You said fail. ",
  "user sent: a picture(file)",
  "assistant completed: You said a picture. ",
  "user sent: tools",
  "assistant failed: You said tools. (tool)",
];

test("a saved chat from before branches loads completely, and its queued prompt fails as not sent", async () => {
  const rig = new Rig({ from: { ...(await saved()), source: "fake" } });
  expect(rig.lines).toEqual([...LINES, "user failed: later"]);
  expect(rig.now.messages.at(-1)?.error).toMatchObject({ title: "Not sent", retry: "safe" });
  const tools = rig.now.messages.at(3)?.parts.map((part) => (part.type === "tool" ? part.state : part.type));
  expect(tools).toEqual(["text", "done", "denied", "question", "text"]);
  expect(rig.now.queue).toEqual([]);
  expect(rig.now.saved.branches).toBeUndefined();
  expect(rig.now.state).toBeDefined();
});

test("a stored chat from before branches loads completely, and its messages can be edited", async () => {
  const { events, problems } = readJsonl(await fixture("store-before-branches.jsonl"));
  expect(problems).toEqual([]);
  expect(checkTranscript(events, { live: true })).toEqual([]);
  const rig = new Rig({ store: new MemoryStore(events), id: "old" });
  await rig.settle();
  expect(rig.lines).toEqual(LINES);
  expect(rig.now.queue).toEqual([]);
  expect(rig.now.connection.contextLost).toBe(true); // stores keep events, and no state of the backend
  expect(rig.chat.resume("without-context")).toEqual({ ok: true });
  await rig.talk("on", "and on");
  expect(rig.chat.edit(rig.now.messages.at(-2)?.id ?? "", "off").ok).toBe(true);
});

test("a chat saved by a newer version is refused with a message that this library is older", async () => {
  const from = { ...(await saved()), version: 2 } as unknown as SavedChat;
  expect(() => new Rig({ from })).toThrow(/newer version of this library \(2, and this one reads 1\)/);
});

test.each([
  ["branches that are not a list", { branches: {} }],
  ["a branch without messages", { branches: [{ state: {} }] }],
  ["a queue of objects", { queue: [{}] }],
])("a saved chat with %s is refused", async (_, change) => {
  const from = { ...(await saved()), ...change } as unknown as SavedChat;
  expect(() => new Rig({ from })).toThrow(/not a saved chat/);
});

test("branches that refer to each other in a circle do not hang the chat", async () => {
  const { messages, ...rest } = await saved();
  const hidden = ["a", "b"].map((id) => ({
    messages: messages
      .slice(0, 1)
      .map((message) => ({ ...message, id, branches: { at: 1, of: 2, ids: ["a", "b"] } })),
  }));
  const rig = new Rig({ from: { ...rest, source: "fake", messages, branches: hidden } });
  expect(rig.chat.selectBranch("a")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.lines.map((line) => line)).toContain(lineOf(rig.now.messages.at(0) ?? expect.fail()));
});
