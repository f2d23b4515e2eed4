import type { ChatStore } from "agentwire/chat";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { UniversalEvent } from "../../src/universal/events.ts";
import { Script } from "../universal/build.ts";
import { TabStorage } from "./support/tab-storage.ts";

let disk: Map<string, string>;
let clock: number;

beforeEach(() => {
  disk = new Map();
  clock = 1_770_714_000_000;
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** The store as a page has it that was opened now. */
async function opened(): Promise<{ readonly store: ChatStore; readonly tab: TabStorage }> {
  vi.resetModules(); // a page of its own
  vi.spyOn(Date, "now").mockReturnValue(clock++);
  const tab = new TabStorage(disk);
  const { browserStore } = await import("../../docs/snippets/web/browser-store.ts");
  const inTab = <T>(call: () => Promise<T>): Promise<T> => {
    vi.stubGlobal("localStorage", tab.object); // the calls of the store touch it before their first `await`
    return call();
  };
  const store: ChatStore = {
    load: (id) => inTab(() => browserStore.load(id)),
    append: (id, events) => inTab(() => browserStore.append(id, events)),
    list: () => inTab(() => browserStore.list()),
  };
  return { store, tab };
}

/** The events of one answer, in batches. */
function answer(sessionId: string, words: readonly string[]): readonly (readonly UniversalEvent[])[] {
  const script = new Script(sessionId).session().turn(`Hello of ${sessionId}`);
  const batches = [script.events.splice(0)];
  for (const word of words) {
    script.message([word]);
    batches.push(script.events.splice(0));
  }
  return [...batches, script.turnEnded().events.splice(0)];
}

test("two tabs that write to one chat at once lose no event", async () => {
  const one = await opened();
  const two = await opened();
  const mine = answer("one", ["a", "b", "c"]);
  const others = answer("two", ["d", "e", "f"]);
  for (const [at, batch] of mine.entries()) {
    await one.store.append("today", batch);
    await two.store.append("today", others[at] ?? []); // it has not heard of the other tab's write
  }
  const { store } = await opened();
  expect(await store.load("today")).toEqual([...mine.flat(), ...others.flat()]);
});

test("a tab loads what another tab has written once the browser has updated its storage", async () => {
  const one = await opened();
  const two = await opened();
  const events = answer("one", ["a"]).flat();
  await one.store.append("today", events);
  expect(await two.store.load("today")).toEqual([]);
  two.tab.hear();
  expect(await two.store.load("today")).toEqual(events);
  expect(await two.store.list()).toEqual(["today"]);
});

test("chats with any ids are kept apart, and other items of the storage are not listed", async () => {
  disk.set("theme", "dark");
  const { store } = await opened();
  const ids = ["today", "today and tomorrow", "", " ", "a  b", "chat"];
  for (const id of ids) await store.append(id, answer(`ses-${id}`, ["a"]).flat());
  for (const id of ids) expect((await store.load(id))[0]?.session_id).toBe(`ses-${id}`);
  expect(await store.list()).toEqual([...ids].sort());
  expect(await store.load("yesterday")).toEqual([]);
});

test("an event that was appended twice is loaded once, and a full storage rejects", async () => {
  const { store, tab } = await opened();
  const events = answer("one", ["a"]).flat();
  await store.append("today", events);
  await store.append("today", events.slice(1));
  expect(await store.load("today")).toEqual(events);
  tab.isFull = true;
  await expect(store.append("today", events)).rejects.toThrow("full");
  tab.isFull = false;
  expect(await store.load("today")).toEqual(events);
});
