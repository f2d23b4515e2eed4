// More tabs than the 6 connections that Chromium opens to one host over HTTP/1.1.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isSkipped } from "../docs/support/snippet-pages.ts";
import { openBrowser, openTab, pageCode, Site, type Tab } from "./support/site.ts";

/** Playwright shows all tabs at once. */
const show = (tab: Tab | undefined, state: "visible" | "hidden"): Promise<unknown> | undefined =>
  tab?.get(`{
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "${state}" });
    document.dispatchEvent(new Event("visibilitychange"));
  }`);

describe.skipIf(isSkipped)("many tabs of one browser", () => {
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

  /** Tabs with a chat each. The user looks at the last one. */
  async function openTabs(site: Site, count: number): Promise<readonly Tab[]> {
    const tabs: Tab[] = [];
    for (let chat = 0; chat < count; chat++) {
      await show(tabs.at(-1), "hidden");
      const tab = await openTab(context, site.url(`/?chat=${chat}`));
      await tab.until("now.connection.status === 'ready'");
      tabs.push(tab);
    }
    return tabs;
  }

  test("eight tabs load, the visible one gets its answer, and a hidden one catches up when it is shown", async () => {
    const site = await Site.open({ code });
    const tabs = await openTabs(site, 8);
    const [first, last] = [tabs[0], tabs.at(-1)];
    await site.until(({ streams }) => streams <= 5);
    await last?.get('chat.send("Hello")');
    await last?.until("text.includes('You said') && !now.busy");
    await site.rig.prompt("To the first", "k", "0"); // by another viewer
    await site.rig.until(async () => (await site.rig.events("0")).at(-1)?.type === "turn.ended");
    expect(await first?.get("lines()")).toEqual([]);
    expect(await first?.get("chat.getSnapshot().connection")).toEqual({
      status: "idle",
      attempt: 0,
      contextLost: false,
    });
    await show(last, "hidden");
    await show(first, "visible");
    await first?.until("text.includes('You said: To the first') && now.connection.status === 'ready'");
    for (const { complaints } of tabs) expect(complaints).toEqual([]);
  });

  test("a hidden tab that rests sends a prompt, and reads its answer", async () => {
    const site = await Site.open({ code });
    const tabs = await openTabs(site, 6);
    await tabs[0]?.until("now.connection.status === 'idle'");
    await tabs[0]?.get('chat.send("Hello")');
    await tabs[0]?.until("text.includes('You said') && !now.busy");
  });

  test("six visible tabs send nothing until one of them closes", async () => {
    const site = await Site.open({ code });
    const tabs = await openTabs(site, 6);
    for (const tab of tabs.toReversed()) await show(tab, "visible");
    await site.until(({ streams }) => streams === 6);
    await tabs[0]?.get('chat.send("Hello")');
    expect(await tabs[0]?.until("now.busy")).toEqual(["user queued: Hello"]);
    await tabs[5]?.page.close();
    await tabs[0]?.until("text.includes('You said') && !now.busy");
    expect(site.rig.agent.prompts).toHaveLength(1);
  });

  test("over HTTP/2 all tabs go on reading", async () => {
    const site = await Site.open({
      code: `performance.getEntries = () => [{ name: location.href, nextHopProtocol: "h2" }];${code}`,
    });
    const tabs = await openTabs(site, 6);
    for (const { get } of tabs) expect(await get("chat.getSnapshot().connection.status")).toBe("ready");
    expect(site.streams).toBe(6);
  });
});
