// A chat over a relay in pages of Chromium: reload, other pages, the cache for going back, offline.
import { agentStep, type MockAgentScript } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isSkipped } from "../docs/support/snippet-pages.ts";
import { openBrowser, openTab, pageCode, Site, type SiteOptions } from "./support/site.ts";

/** What Chromium itself writes about a request that failed. */
const NETWORK = /^Failed to load resource: net::ERR_/;

const slow: MockAgentScript = () => ["one ", agentStep.wait("more"), "two ", agentStep.wait("end"), "three"];

describe.skipIf(isSkipped)("a chat over a relay in Chromium", () => {
  let browser: Browser;
  let context: BrowserContext;
  let code: string;
  beforeAll(async () => {
    [browser, code] = await Promise.all([openBrowser(), pageCode()]);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    context = await browser.newContext();
  });
  afterEach(() => context.close());

  const open = (script: MockAgentScript, options: SiteOptions = {}): Promise<Site> =>
    Site.open({ code, mock: { script }, ...options });

  test("streams an answer, and a reload in the middle shows the same messages and goes on", async () => {
    const site = await open(slow);
    const tab = await openTab(context, site.url());
    await tab.get('chat.send("Hello")');
    const before = await tab.until("text.includes('one')");
    const [id] = await tab.get<string[]>("chat.getSnapshot().messages.toArray().map(({ id }) => id)");
    await tab.page.reload();
    expect(await tab.until("!now.loading")).toEqual(before);
    expect(await tab.get("chat.getSnapshot().messages.toArray()[0].id")).toBe(id);
    expect(await tab.get("chat.getSnapshot().busy")).toBe(true);
    site.rig.agent.release("more");
    expect(await tab.until("text.includes('two')")).toEqual(["user sent: Hello", "assistant open: one two "]);
    site.rig.agent.release("end");
    expect(await tab.until("!now.busy")).toEqual(["user sent: Hello", "assistant completed: one two three"]);
    expect(site.rig.agent.prompts).toHaveLength(1);
    expect(tab.complaints).toEqual([]);
  });

  test("a second page decides an approval, and both pages see it", async () => {
    const site = await open(() => [
      agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true }),
      "Done.",
    ]);
    const tabs = [await openTab(context, site.url()), await openTab(context, site.url())];
    await tabs[0]?.get('chat.send("Hello")');
    for (const tab of tabs) await tab.until("now.pending.length === 1");
    expect(await tabs[1]?.get("chat.decide(chat.getSnapshot().pending[0].id, 'once').ok")).toBe(true);
    for (const tab of tabs) {
      const lines = await tab.until("text.includes('Done.')");
      expect(lines).toEqual(["user sent: Hello", "assistant completed: shell done Done."]);
      expect(await tab.get("chat.getSnapshot().pending")).toEqual([]);
      expect(tab.complaints).toEqual([]);
    }
  });

  test("R22: `EventSource` reads all events once, and resumes by `Last-Event-ID` after a cut", async () => {
    const site = await open(slow);
    const tab = await openTab(context, site.url("/empty"));
    await tab.get(`{
      globalThis.got = [];
      const source = new EventSource("/chats/c/events");
      source.addEventListener("events", ({ data, lastEventId }) => got.push([lastEventId, JSON.parse(data)]));
    }`);
    const has = async (text: string): Promise<void> => {
      await tab.page.waitForFunction(`JSON.stringify(got).includes("${text}")`, undefined, { polling: 20 });
    };
    await site.rig.prompt("Hello");
    await has("one ");
    const [last] = (await tab.get<[string, unknown][]>("got")).at(-1) ?? [];
    site.cut();
    await site.until(({ streams }) => streams === 1); // has come back
    site.rig.agent.release("more");
    site.rig.agent.release("end");
    await has("turn.ended");
    const got = await tab.get<[string, UniversalEvent[]][]>("got");
    expect(got.flatMap(([, events]) => events)).toEqual(await site.rig.events());
    site.cut();
    await site.until(({ seen }) => seen.filter(({ path }) => path === "/chats/c/events").length >= 2);
    expect(site.seen.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, last]);
    expect(tab.complaints.filter((text) => !NETWORK.test(text))).toEqual([]);
  });

  test("a page in the cache for going back reads nothing, and goes on when it is shown again", async () => {
    const site = await open(slow);
    const tab = await openTab(context, site.url());
    await tab.get('chat.send("Hello")');
    await tab.until("text.includes('one')");
    await tab.page.goto(site.url("/empty"));
    await site.until(({ streams }) => streams === 0);
    site.rig.agent.release("more");
    await tab.page.goBack({ waitUntil: "commit" }); // a kept page does not load
    const lines = await tab.until("text.includes('two')");
    expect(lines).toEqual(["user sent: Hello", "assistant open: one two "]);
    expect(await tab.get("wasKept")).toBe(true);
    site.rig.agent.release("end");
    await tab.until("!now.busy");
    expect(tab.complaints).toEqual([]);
  });

  test("one tab goes through eight pages: those that it may go back to hold no connection", async () => {
    const site = await open(slow);
    const tab = await openTab(context, site.url("/?chat=0"));
    for (let page = 1; page < 8; page++) {
      await tab.until("now.connection.status === 'ready'");
      await tab.page.goto(site.url(`/?chat=${page}`));
    }
    await tab.get('chat.send("Hello")');
    await tab.until("text.includes('one')");
    expect(tab.complaints).toEqual([]);
  });

  test("a prompt that is sent while offline is queued, and is sent once when the browser is online", async () => {
    const site = await open(slow);
    const tab = await openTab(context, site.url());
    await tab.until("now.connection.status === 'ready'");
    await context.setOffline(true);
    site.cut();
    await tab.get('chat.send("Hello")');
    await tab.until("now.connection.status === 'reconnecting' && now.connection.attempt > 1");
    expect(await tab.get("lines()")).toEqual(["user queued: Hello"]);
    expect(site.rig.agent.prompts).toHaveLength(0);
    await context.setOffline(false);
    await tab.until("text.includes('one')");
    site.rig.agent.release("more");
    site.rig.agent.release("end");
    expect(await tab.until("!now.busy")).toEqual(["user sent: Hello", "assistant completed: one two three"]);
    expect(site.rig.agent.prompts).toHaveLength(1);
    expect(tab.complaints.filter((text) => !NETWORK.test(text))).toEqual([]);
  });

  test('`outbox: "local"`: a prompt that could not be sent is sent after a reload, once', async () => {
    const site = await open(({ text }) => [`You said: ${text}.`]);
    const tab = await openTab(context, site.url("/?outbox=local"));
    await tab.page.route("**/commands", (route) => route.abort("internetdisconnected"));
    await tab.get('chat.send("Hello")');
    await tab.page.reload();
    expect(await tab.until("now.messages.length > 0")).toEqual(["user queued: Hello"]);
    const other = await openTab(context, site.url("/?outbox=local")); // has the same prompt, and sends it too
    await tab.page.unroute("**/commands");
    for (const { until } of [tab, other])
      expect(await until("text.includes('You said') && !now.busy")).toEqual([
        "user sent: Hello",
        "assistant completed: You said: Hello.",
      ]);
    await tab.page.reload();
    expect(await tab.until("!now.loading && !now.busy")).toHaveLength(2);
    expect(await tab.get("localStorage.length")).toBe(0);
    expect(site.rig.agent.prompts).toHaveLength(1);
    expect(tab.complaints.filter((text) => !NETWORK.test(text))).toEqual([]);
  });
});
