import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { directoryStore } from "../../src/chat/store/directory-store.node.ts";
import { type ChatStore, memoryStore } from "../../src/chat/store/store.ts";
import { InvalidInputError } from "../../src/core/errors.ts";
import { delta, deltas } from "../universal/support/events.ts";
import { temporaryFolder } from "./support/stores.ts";

interface Made extends AsyncDisposable {
  readonly store: ChatStore;
}

const STORES: Readonly<Record<string, () => Promise<Made>>> = {
  memoryStore: async () => ({ store: memoryStore(), [Symbol.asyncDispose]: async () => {} }),
  directoryStore: async () => {
    const folder = await temporaryFolder();
    const store = directoryStore(join(folder.path, "a", "b"));
    return { store, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  },
  "directoryStore, durable": async () => {
    const folder = await temporaryFolder();
    const store = directoryStore(folder.path, { durable: true });
    return { store, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  },
};

/** Ids that a file system, a shell or a path would take for something else. */
const ODD_IDS: readonly string[] = [
  "..",
  ".",
  "../up",
  "/etc/passwd",
  "a/b",
  "a\\b",
  "C:\\x",
  "con",
  "CON",
  "nul.txt",
  "aux",
  "name.",
  "name ",
  " ",
  "-rf",
  ".hidden",
  "A",
  "a",
  "É",
  "é",
  "e\u0301",
  "日本語",
  "😀",
  "\ud83d",
  "\ude00",
  "a\u0000b",
  "line\nfeed",
  "%41",
  "%u0041",
  "chat-a.jsonl",
  "__proto__",
  "x".repeat(199),
  "x".repeat(200),
  "x".repeat(201),
  "X".repeat(300),
  "長".repeat(5_000),
];

describe.each(Object.entries(STORES))("%s", (_name, make) => {
  test("has no events of an unknown chat, and does not list it", async () => {
    await using made = await make();
    expect(await made.store.load("nobody")).toEqual([]);
    expect(await made.store.list()).toEqual([]);
  });

  test("loads the appended events in order", async () => {
    await using made = await make();
    await made.store.append("a", deltas(1, 3));
    await made.store.append("b", deltas(1, 1, "ses_b"));
    await made.store.append("a", deltas(4, 5));
    expect(await made.store.load("a")).toEqual(deltas(1, 5));
    expect(await made.store.load("b")).toEqual(deltas(1, 1, "ses_b"));
    expect(await made.store.list()).toEqual(["a", "b"]);
  });

  test("keeps the order of appends that are not awaited, and `load` returns all of them", async () => {
    await using made = await make();
    const appends = deltas(1, 50).map((event) => made.store.append("a", [event]));
    expect(await made.store.load("a")).toEqual(deltas(1, 50));
    await Promise.all(appends);
  });

  test("loads an event once that was appended twice", async () => {
    await using made = await make();
    await made.store.append("a", deltas(1, 4));
    await made.store.append("a", deltas(3, 6));
    expect(await made.store.load("a")).toEqual(deltas(1, 6));
  });

  test("does not change an array that it has returned", async () => {
    await using made = await make();
    await made.store.append("a", deltas(1, 1));
    const before = await made.store.load("a");
    await made.store.append("a", deltas(2, 2));
    expect(before).toEqual(deltas(1, 1));
  });

  test("creates no chat for an empty append", async () => {
    await using made = await make();
    await made.store.append("a", []);
    expect(await made.store.list()).toEqual([]);
  });

  test("takes any id, and keeps all ids apart", async () => {
    await using made = await make();
    for (const [at, id] of ODD_IDS.entries()) await made.store.append(id, [delta(1, `of ${at}`)]);
    expect(await made.store.list()).toEqual([...ODD_IDS].sort());
    for (const [at, id] of ODD_IDS.entries())
      expect(await made.store.load(id)).toEqual([delta(1, `of ${at}`)]);
  });

  test("keeps any text", async () => {
    await using made = await make();
    const events = ["\n", "\r\n", "\u2028", "😀", "\ud83d", "\u0000", '"\\'].map((text, at) =>
      delta(at + 1, text),
    );
    await made.store.append("a", events);
    expect(await made.store.load("a")).toEqual(events);
  });

  test.each<[string, (store: ChatStore) => Promise<unknown>, RegExp]>([
    ["an empty id", (store) => store.append("", deltas(1, 1)), /the id of the chat is an empty string/],
    ["an id that is not a string", (store) => store.load(Object(5)), /the id of the chat is an object/],
    ["events that are not a list", (store) => store.append("a", Object("x")), /the events are an object/],
    ["an invalid event", (store) => store.append("a", [delta(1), Object({})]), /no universal event/],
  ])("rejects %s and stores nothing", async (_what, call, message) => {
    await using made = await make();
    const error = await call(made.store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).toMatch(message);
    expect(await made.store.list()).toEqual([]);
  });
});
