import { readFile } from "node:fs/promises";
import type { BuildOptions, Plugin } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { compile } from "svelte/compiler";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FOLDER, inline, isSkipped, launchChromium, opened, type Program } from "./support/snippet-pages.ts";

const PAGE = new URL("../../docs/frameworks.md", import.meta.url);

const AGENT = `
  import { createChat } from "agentwire/chat";
  import { agentStep, MockAgent } from "agentwire/testing/agent";
  const chat = createChat(new MockAgent({
    *script({ text }) {
      yield "You said: " + text + ". ";
      yield* agentStep.tool({ name: "shell", output: "a.txt", approval: true });
      yield "One file.";
    },
  }));
  window.chat = chat;`;

/** Compiles `.svelte` modules. `page.svelte` is the component of the page. */
const svelte: Plugin = {
  name: "svelte",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^page\.svelte$/ }, () => ({ path: `${FOLDER}page.svelte`, namespace: "page" }));
    onLoad({ filter: /.*/, namespace: "page" }, async () => {
      const [, component = ""] = /```svelte\n([\s\S]*?)```/.exec(await readFile(PAGE, "utf8")) ?? [];
      const { js } = compile(component, { generate: "client", filename: "page.svelte" });
      return { contents: js.code, loader: "js", resolveDir: FOLDER };
    });
  },
};

const OPTIONS: BuildOptions = { conditions: ["browser"], plugins: [svelte] };

describe.skipIf(isSkipped)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const shown = (program: Program) => opened(browser, program, OPTIONS);

  async function answers(page: Page, prompt: string): Promise<void> {
    await page.getByText(`assistant: You said: ${prompt}.`).waitFor();
    await page.getByRole("button", { name: /^Allow/ }).click();
    await page.getByText("One file.").waitFor();
    expect(await page.getByRole("button", { name: /^Allow/ }).count()).toBe(0);
  }

  test("the function of the page shows a chat in Vue, with an approval", async () => {
    const { page, complaints } = await shown({ entryPoints: [`${FOLDER}vue-first.ts`] });
    await page.getByLabel("Your message").fill("hello");
    await page.getByRole("button", { name: "Send" }).click();
    await answers(page, "hello");
    expect(await page.getByLabel("Your message").inputValue()).toBe("");
    expect(complaints).toEqual([]);
  });

  test("the component of the page shows a chat in Svelte, and unsubscribes when it goes", async () => {
    const { page, complaints } = await shown(
      inline(`${AGENT}
      import { mount, unmount } from "svelte";
      import Page from "page.svelte";
      const shown = mount(Page, { target: document.getElementById("root"), props: { chat } });
      window.end = () => unmount(shown);`),
    );
    await page.getByRole("button", { name: "Say hello" }).click();
    await answers(page, "Hello");
    await page.evaluate("end()");
    await page.evaluate('chat.send("more")');
    expect(await page.locator("#root").innerText()).toBe("");
    expect(complaints).toEqual([]);
  });

  test("the signal of the page shows a chat in Solid, and ends with its owner", async () => {
    const { page, complaints } = await shown(
      inline(`${AGENT}
      import { createEffect, createRoot } from "solid-js";
      import { chatSignal } from "./solid-chat.ts";
      window.runs = 0;
      window.end = createRoot((end) => {
        const snapshot = chatSignal(chat);
        createEffect(() => {
          window.runs++;
          const root = document.getElementById("root");
          root.replaceChildren();
          for (const { role, parts } of snapshot().messages) {
            const line = document.createElement("p");
            line.textContent = role + ": " + parts.map((part) => part.type === "text" ? part.text : "").join("");
            root.append(line);
          }
          for (const { id } of snapshot().pending) {
            const button = document.createElement("button");
            button.textContent = "Allow";
            button.onclick = () => chat.decide(id, "once");
            root.append(button);
          }
        });
        return end;
      });`),
    );
    await page.evaluate('chat.send("hello")');
    await answers(page, "hello");
    await page.evaluate("end()");
    const runs = await page.evaluate("runs");
    await page.evaluate('chat.send("more")');
    await page.waitForFunction("chat.getSnapshot().pending.length === 1");
    expect(await page.evaluate("runs")).toBe(runs);
    expect(complaints).toEqual([]);
  });
});
