import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isSkipped, openBrowser } from "./support/web-chat.ts";

const path = (from: string): string => fileURLToPath(new URL(`../../${from}`, import.meta.url));

/** Any origin has a database. Nothing is asked for there: the browser is answered by the test. */
const ORIGIN = "http://store.test/";

let browser: Browser;
let code: string;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  if (isSkipped) return;
  browser = await openBrowser();
  const built = await build({
    entryPoints: [path("examples/web-chat/page/browser-store.ts")],
    alias: { "agentwire/chat": path("src/chat/index.ts"), "#socket": path("src/core/link/socket.global.ts") },
    bundle: true,
    format: "iife",
    globalName: "browserStore",
    write: false,
  });
  code = built.outputFiles[0]?.text ?? "";
});

afterAll(async () => {
  if (!isSkipped) await browser.close();
});

beforeEach(async () => {
  if (isSkipped) return;
  context = await browser.newContext();
  await context.route("**/*", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>store</title>" }),
  );
  page = await open();
});

afterEach(async () => {
  if (!isSkipped) await context.close();
});

/** A page of the same origin, with an empty store, or the one that the page before has left. */
async function open(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(ORIGIN);
  await opened.addScriptTag({ content: code });
  await opened.evaluate(`
    let now = Date.now();
    Date.now = () => now++; // no two changes at one time
    globalThis.store = new browserStore.BrowserStore();
    globalThis.delta = (sequence, text = "word" + sequence, session_id = "ses") => ({
      event_id: session_id + sequence, sequence, session_id, native_session_id: null, time: "2026-01-01T00:00:00.000Z",
      synthetic: false, source: "agent", raw: null, type: "item.delta",
      data: { item_id: "item", native_item_id: null, delta: text },
    });
    globalThis.prompt = (text, session_id = "ses") => ({
      ...delta(1, "", session_id), type: "item.completed",
      data: { item: { item_id: "user", native_item_id: null, parent_id: null, kind: "message", role: "user",
        content: [{ type: "text", text }], status: "completed" } },
    });
    globalThis.texts = async (id) => (await store.load(id)).map(({ data }) => data.delta);
  `);
  return opened;
}

/** What the body of an async function gives, in the page. */
function run<T>(body: string): Promise<T> {
  return page.evaluate<T>(`(async () => { ${body} })()`);
}

describe.skipIf(isSkipped)("the browser store", () => {
  test("has no events for an unknown chat, and lists no chats", async () => {
    expect(await run("return [await store.load('nobody'), await store.list()]")).toEqual([[], []]);
  });

  test("returns each chat's events in order, also on the next page", async () => {
    await run(
      "await store.append('b', [delta(1), delta(2)]); await store.append('a', [delta(1)]); await store.append('b', [delta(3)]);",
    );
    page = await open();
    expect(await run("return [await texts('b'), await texts('a'), await store.list()]")).toEqual([
      ["word1", "word2", "word3"],
      ["word1"],
      ["a", "b"],
    ]);
  });

  test("keeps the order of appends that are not awaited, and a later load includes all of them", async () => {
    const body = "for (let n = 1; n <= 50; n++) void store.append('a', [delta(n)]); return texts('a');";
    expect(await run(body)).toEqual(Array.from({ length: 50 }, (_, index) => `word${index + 1}`));
  });

  test("keeps the order of events across several sessions", async () => {
    const body = `await store.append("a", [delta(1, "one", "z"), delta(2, "two", "z")]);
      await store.append("a", [delta(1, "three", "b")]); await store.append("a", [delta(3, "four", "z")]); return texts("a");`;
    expect(await run(body)).toEqual(["one", "two", "three", "four"]);
  });

  test("stores an event once that is appended twice", async () => {
    const body =
      "await store.append('a', [delta(1), delta(2), delta(3)]); await store.append('a', [delta(2), delta(3), delta(4)]); return texts('a');";
    expect(await run(body)).toEqual(["word1", "word2", "word3", "word4"]);
  });

  test("keeps the events that two pages append to one chat at the same time", async () => {
    const one = page;
    const two = await open();
    const append = (session: string): string => `(async () => {
      for (let n = 1; n <= 100; n++) await store.append("a", [delta(n, "${session}" + n, "${session}")]);
    })()`;
    await Promise.all([one.evaluate(append("y")), two.evaluate(append("z"))]);
    page = await open();
    const texts = await run<readonly string[]>("return texts('a')");
    const of = (session: string): string[] =>
      Array.from({ length: 100 }, (_, index) => `${session}${index + 1}`);
    expect(texts.filter((text) => text.startsWith("y"))).toEqual(of("y"));
    expect(texts.filter((text) => text.startsWith("z"))).toEqual(of("z"));
    expect(texts).toHaveLength(200);
  });

  test("creates no chat for an empty append, and stores any text and any id", async () => {
    const body = `await store.append("empty", []);
      const odd = ["\\n", "\\u2028", "\\u{1f600}", "\\ud83d", "\\u0000", '"\\\\', "__proto__", "%41"];
      for (const id of odd) await store.append(id, [delta(1, id)]);
      const found = [];
      for (const id of odd) found.push((await texts(id))[0] === id);
      return [found, (await store.list()).length];`;
    expect(await run(body)).toEqual([Array.from({ length: 8 }, () => true), 8]);
  });

  test("lists chats by their last change, titled by the backend or else by the first prompt", async () => {
    const body = `await store.append("p/a", [prompt("  First\\nwords \\u200b")]); await store.append("p/b", [prompt("x".repeat(100))]);
      await store.append("q/c", [prompt("another backend's")]);
      await store.append("p/a", [delta(2)]);
      const before = await store.chats("p/");
      const title = { ...prompt(""), sequence: 3 };
      title.data = { item: { ...title.data.item, kind: "status", role: null, content: [{ type: "status", label: "title", detail: "Of lamps" }] } };
      await store.append("p/a", [title]);
      const [first] = await store.chats("p/");
      return [before.map(({ id, title }) => [id, title]), first.title];`;
    expect(await run(body)).toEqual([
      [
        ["p/a", "First words"],
        ["p/b", `${"x".repeat(59)}…`],
      ],
      "Of lamps",
    ]);
  });

  test("keeps at most `MAX_CHATS` chats, and deletes the least recently used one with its events", async () => {
    const body = `const { MAX_CHATS } = browserStore;
      for (let n = 0; n <= MAX_CHATS; n++) {
        await store.append("chat" + n, [delta(1)]);
      }
      return [(await store.list()).length === MAX_CHATS, await texts("chat0"), await texts("chat1")];`;
    expect(await run(body)).toEqual([true, [], ["word1"]]);
  });

  test("refuses an event that makes a chat too long, and keeps the others", async () => {
    const body = `const { MAX_CHAT_LENGTH } = browserStore;
      await store.append("a", [delta(1)]);
      const refused = await store.append("a", [delta(2, "x".repeat(MAX_CHAT_LENGTH))]).catch((error) => error);
      await store.append("a", [delta(3)]);
      return [refused.code, refused.operation, refused.reason, await texts("a")];`;
    expect(await run(body)).toEqual(["store-failed", "append", "full", ["word1", "word3"]]);
  });

  test("removes the chats with a prefix, and notifies its listeners", async () => {
    const body = `let told = 0; const off = store.subscribe(() => told++);
      await store.append("cass:guest/1", [delta(1)]); await store.append("cass/1", [delta(1)]);
      await store.removeAll("cass:guest/"); off(); await store.removeAll("cass");
      return [told, await store.list(), await texts("cass:guest/1")];`;
    expect(await run(body)).toEqual([3, [], []]);
  });

  test("rejects if the browser refuses the database, and works once it allows it", async () => {
    const body = `const open = indexedDB.open.bind(indexedDB);
      indexedDB.open = () => { throw new DOMException("no", "SecurityError"); };
      const refused = await store.append("a", [delta(1)]).catch((error) => error);
      indexedDB.open = open;
      await store.append("a", [delta(1)]);
      const empty = await store.load("").catch((error) => error);
      return [refused.code, refused.reason, await texts("a"), empty.message];`;
    expect(await run(body)).toEqual([
      "store-failed",
      "SecurityError",
      ["word1"],
      "the id of the chat is an empty string",
    ]);
  });
});
