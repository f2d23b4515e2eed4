import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundled, FOLDER, inline, isSkipped, launchChromium, opened } from "./support/snippet-pages.ts";

describe.skipIf(isSkipped)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const openedWith = (contents: string) => opened(browser, inline(contents));

  test("the first program of the page asks before the tool runs, and shows the tool's output", async () => {
    const { page, complaints } = await opened(browser, { entryPoints: [`${FOLDER}react-first.tsx`] });
    await page.getByLabel("Your message").fill("hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText('{"command":"ls"}').waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("One file.").waitFor();
    await page.getByText("shell: done").waitFor();
    expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("the page of `agentwire/react/ui` asks before the tool runs, and shows the answer with coloured code", async () => {
    const program = { entryPoints: [`${FOLDER}react-ui.tsx`] };
    const { page, complaints } = await opened(browser, program, { loader: { ".css": "empty" } });
    await page.getByRole("button", { name: "What is here?" }).click();
    await page.getByText("Allow shell?").waitFor();
    await page
      .locator(".aw-choices:not([aria-disabled=true])")
      .getByRole("button", { name: "Allow once" })
      .click();
    await page.locator("[data-kind=keyword]", { hasText: "let" }).waitFor();
    expect(await page.locator(".aw-text strong").innerText()).toBe("What is here?");
    expect(complaints).toEqual([]);
  });

  test("Stop removes a prompt that waits for the user's choice after a lost conversation", async () => {
    const { page, complaints } = await openedWith(`
      import { MockAgent } from "agentwire/testing/agent";
      const make = MockAgent.prototype.client;
      MockAgent.prototype.client = function () {
        window.agent = this;
        const client = make.call(this);
        return Object.defineProperty(client, "capabilities", { value: { ...client.capabilities, survivesReconnect: false } });
      };
      void import("./react-first.tsx");`);
    await page.getByLabel("Your message").fill("hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("One file.").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await page.evaluate("agent.disconnect()");
    await page.getByLabel("Your message").fill("more");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("waits").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("waits").waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    expect(await page.evaluate("agent.prompts.length")).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("two tabs that store a chat under one id at once lose no message, and the chat is listed", async () => {
    const context = await browser.newContext();
    await context.route("**/*", (route) =>
      route.fulfill({ contentType: "text/html", body: '<div id="root"></div>' }),
    );
    const code = await bundled(
      inline(`
      import { createChat } from "agentwire/chat";
      import { MockAgent } from "agentwire/testing/agent";
      import { browserStore } from "./browser-store.ts";
      const script = ({ text }) => Array.from({ length: 30 }, (_, at) => text + at + " ");
      const chat = createChat(new MockAgent({ script, pace: 1 }), { store: browserStore, id: "today" });
      const until = (holds) => new Promise((resolve) => {
        const look = () => holds(chat.getSnapshot()) && resolve();
        chat.subscribe(look);
        look();
      });
      window.talk = async (text) => {
        await until(({ loading }) => !loading);
        chat.send(text);
        await until(({ messages }) => messages.at(-1)?.status === "completed");
        await chat.close();
      };
      window.kept = async () => {
        await until(({ loading }) => !loading);
        const texts = chat.getSnapshot().messages.map(({ parts, status }) => status + " " + parts.at(0).text);
        return [await browserStore.list(), texts];
      };`),
    );
    const tab = async () => {
      const page = await context.newPage();
      await page.goto("http://store.test/");
      await page.addScriptTag({ content: code });
      return page;
    };
    const [one, two] = [await tab(), await tab()];
    await Promise.all([one.evaluate('talk("a")'), two.evaluate('talk("b")')]);
    const said = (text: string): string => Array.from({ length: 30 }, (_, at) => `${text}${at} `).join("");
    expect(await (await tab()).evaluate("kept()")).toEqual([
      ["today"],
      ["sent a", `completed ${said("a")}`, "sent b", `completed ${said("b")}`],
    ]);
    await context.close();
  });
});
