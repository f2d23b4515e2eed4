import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSkipped, launchChromium } from "../../docs/support/snippet-pages.ts";
import { openUi, type UiPage, type UiPageOptions } from "./support/ui-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (!isSkipped) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A scene in front of a chat. The page may have nothing to complain of, and asks for nothing. */
async function scene(play: (ui: UiPage) => Promise<void>, options: UiPageOptions = {}): Promise<void> {
  await using ui = await openUi(browser, options);
  await ui.page.evaluate("page.start()");
  await play(ui);
  expect(ui.complaints).toEqual([]);
}

const send = (ui: UiPage, text = "go") =>
  ui.page.evaluate(`page.chat.send(${JSON.stringify(text)}), page.settled()`);
const say = (ui: UiPage, ...texts: string[]) => ui.page.evaluate(`page.say(...${JSON.stringify(texts)})`);
const end = (ui: UiPage) => ui.page.evaluate("page.end()");

const MARKDOWN = `# Title

Some **bold**, *soft* and \`code\`, a [link](https://example.com/a), an address https://example.com/b
and [another](javascript:alert(1)).

- one
- two
  1. deep

- [x] ready
- [ ] open

> A quote

| left | right |
| :--- | ----: |
| 1 | 2 |

\`\`\`js
let a = "<b>";
\`\`\`

---

<b onclick="alert(1)">html</b> ![a cat](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==) ![far](https://example.com/c.png)
`;

describe.skipIf(isSkipped)("an answer in Markdown", () => {
  test("is shown as nodes: no HTML of the agent, links with their host, images at a click", () =>
    scene(async (ui) => {
      const { page } = ui;
      await send(ui);
      for (let at = 0; at < MARKDOWN.length; at += 7) await say(ui, MARKDOWN.slice(at, at + 7));
      await end(ui);
      const text = page.locator(".aw-text");
      await page.locator(".aw-last-actions").waitFor();
      expect(await text.locator("h3").innerText()).toBe("Title");
      expect(await text.locator("strong, em").allInnerTexts()).toEqual(["bold", "soft"]);
      expect(
        await text.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href"))),
      ).toEqual(["https://example.com/a", "https://example.com/b", "https://example.com/c.png"]);
      expect(await text.locator(".aw-host").allTextContents()).toEqual([
        " example.com",
        " javascript:alert(1)",
        " example.com",
      ]);
      expect(await text.locator("ul > li").count()).toBe(4);
      expect(await text.locator("ol > li").innerText()).toBe("deep");
      expect(await text.getByRole("img", { name: "done", exact: true }).count()).toBe(1);
      expect(await text.locator("blockquote").innerText()).toBe("A quote");
      expect(await text.locator("td").allInnerTexts()).toEqual(["1", "2"]);
      expect(await text.locator("pre code").innerText()).toBe('let a = "<b>";');
      expect(await text.locator("b, img").count()).toBe(0);
      expect(await text.innerText()).toContain('<b onclick="alert(1)">html</b>');
      await page.getByRole("button", { name: "Show the image: a cat" }).click();
      expect(await text.locator("img").evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(1);
    }));

  test("closes half-finished marks while it arrives", () =>
    scene(async (ui) => {
      const { page } = ui;
      await send(ui);
      await say(ui, "A **bold");
      await page.locator(".aw-text strong", { hasText: "bold" }).waitFor();
      await say(ui, " word** and\n\n```js\nlet a");
      await page.locator(".aw-text pre", { hasText: "let a" }).waitFor();
      await say(ui, " = 1;\n```\n");
      await end(ui);
      expect(await page.locator(".aw-text strong").innerText()).toBe("bold word");
    }));

  test("has code in the colours of the app's highlighter, and a button that copies it", () =>
    scene(async (ui) => {
      const { page } = ui;
      await page.context().grantPermissions([]);
      await page.evaluate(`
        globalThis.written = [];
        Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => written.push(text) } });
        globalThis.highlight = (code) => [{ text: code.slice(0, 3), kind: "keyword" }, { text: code.slice(3), kind: "plain" }];
        page.start({ highlight });
      `);
      await send(ui);
      await say(ui, "```js\nlet a;\nlet b;\n```\n");
      await end(ui);
      expect(await page.locator('[data-kind="keyword"]').first().innerText()).toBe("let");
      await page.locator("figcaption").getByRole("button", { name: "Copy" }).click();
      await page.locator("figcaption").getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("written")).toEqual(["let a;\nlet b;"]);
    }));
});

describe.skipIf(isSkipped)("a diff", () => {
  const DIFF = `@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n@@ -40,1 +40,31 @@\n forty\n${"+more\n".repeat(30)}`;

  test("has line numbers, is folded, and has two sides where 120 columns fit", () =>
    scene(
      async (ui) => {
        const { page } = ui;
        await send(ui);
        const preview = [{ path: "src/a.ts", diff: DIFF, by: "agent" }];
        await page.evaluate(
          `page.say(page.step.tool({ name: "edit", input: { path: "src/a.ts" }, approval: true, preview: ${JSON.stringify(preview)}, output: "done" }))`,
        );
        const request = page.locator(".aw-request");
        await request.getByText("src/a.ts, as the agent states it").waitFor();
        expect(await page.locator(".aw-body").getByText('"path"').count()).toBe(0); // the request has the input
        const lines = request.locator(".aw-line");
        const shown = await lines.evaluateAll((all) =>
          all
            .slice(0, 4)
            .map((line) =>
              [...line.querySelectorAll("[data-number]")]
                .map((one) => one.getAttribute("data-number"))
                .join(),
            ),
        );
        expect(shown).toEqual(["1,1", "2,", ",2", "3,3"]);
        expect(await lines.nth(1).innerText()).toMatch(/^-\s*two$/);
        expect(await lines.count()).toBe(36); // nothing that waits for a decision is folded
        await page.setViewportSize({ width: 1500, height: 780 });
        await request.locator(".aw-diff[data-wide]").waitFor();
        const second = request.locator(".aw-diff-row").nth(1).locator(".aw-line");
        expect(await second.allTextContents()).toEqual(["-two", "+zwei"]);
        await page
          .locator(".aw-choices:not([aria-disabled=true])")
          .getByRole("button", { name: "Allow once" })
          .click();
        const done = page.locator(".aw-reply .aw-diff");
        await done.waitFor();
        expect(await done.locator(".aw-line").count()).toBe(20);
        await done.getByRole("button", { name: "16 more lines" }).click();
        expect(await done.locator(".aw-line").count()).toBe(36);
        await end(ui);
      },
      { width: 1000 },
    ));
});

describe.skipIf(isSkipped)("a tool call", () => {
  test("says that its command has failed, and shows the output in lines, once", () =>
    scene(async (ui) => {
      const { page } = ui;
      await send(ui);
      const call = {
        name: "run_command",
        title: "Run npm test",
        input: { command: "npm test", timeout_seconds: 30 },
        output: { command: "npm test", stdout: "one\ntwo\n", exitCode: 3 },
        approval: true,
      };
      await page.evaluate(`page.say(page.step.tool(${JSON.stringify(call)}))`);
      const request = page.locator(".aw-request");
      expect(await request.locator("pre").innerText()).toBe('$ npm test\n{"timeout_seconds":30}');
      await page
        .locator(".aw-choices:not([aria-disabled=true])")
        .getByRole("button", { name: "Allow once" })
        .click();
      const tool = page.locator('.aw-tool[data-state="failed"]');
      await tool.waitFor();
      expect(await tool.locator(".aw-tool-head").innerText()).toMatch(/Run npm test\s+exit code 3$/);
      expect(await tool.locator("pre").allTextContents()).toEqual([
        '$ npm test\n{"timeout_seconds":30}',
        "one\ntwo\n",
      ]);
      expect(await tool.locator("details").getAttribute("open")).toBe(null);
      await end(ui);
    }));
});

describe.skipIf(isSkipped)("a page of a chat", () => {
  /** An answer with everything in it, and an approval, a plan and prompts that wait. */
  async function everything(ui: UiPage): Promise<void> {
    const { page } = ui;
    await send(ui);
    await say(ui, MARKDOWN);
    await page.evaluate(`page.say(
      page.step.plan([{ content: "Read", status: "completed" }, { content: "Write", status: "in_progress" }, { content: "Test", status: "pending" }]),
      page.step.file("src/a.ts", { action: "patch", diff: "@@ -1,1 +1,1 @@\\n-a\\n+${"b".repeat(300)}\\n" }),
      page.step.data({ some: "data" }),
      page.step.error("A warning."),
      page.step.tool({ name: "shell", input: { command: "${"ls ".repeat(100)}" }, approval: true }))`);
    await page.getByText("Allow shell?").waitFor();
    await page.evaluate('page.chat.send("first"), page.chat.send("second"), page.settled()');
    await page.getByText("Waits to be sent").first().waitFor();
  }

  test.each(["ltr", "rtl"] as const)("has no accessibility fault in light and dark, %s", (direction) =>
    scene(
      async (ui) => {
        await everything(ui);
        await ui.page.evaluate('page.show(page.chat, { title: "A chat" }), page.settled()');
        expect(await ui.faults()).toEqual([]);
      },
      { direction },
    ),
  );

  test.each(["ltr", "rtl"] as const)("needs no sideways scroll at 390 px, %s", (direction) =>
    scene(
      async (ui) => {
        await everything(ui);
        expect(await ui.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
        const wide = await ui.page.evaluate(
          "[...document.querySelectorAll('.aw-log, .aw-foot, .aw-body, .aw-request')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)",
        );
        expect(wide).toEqual([]);
      },
      { direction, width: 390 },
    ),
  );

  test("is a mirror from right to left, and a text has the direction of its first letter", () =>
    scene(
      async (ui) => {
        const { page } = ui;
        await send(ui, "שלום");
        await say(ui, "Hello.\n\nשלום וברכה\n");
        await end(ui);
        const box = async (selector: string) =>
          (await page.locator(selector).first().boundingBox()) ?? { x: -1, width: 0 };
        const bubble = await box(".aw-bubble");
        expect(bubble.x).toBeCloseTo((await box(".aw-mine")).x); // the user's side is the left one
        const directions = await page
          .locator(".aw-text p")
          .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
        expect(directions).toEqual(["ltr", "rtl"]);
      },
      { direction: "rtl" },
    ));

  test("shows the plan as a list that ticks", () =>
    scene(async (ui) => {
      const { page } = ui;
      await send(ui);
      await page.evaluate(
        `page.say(page.step.plan([{ content: "Read", status: "in_progress" }, { content: "Write", status: "pending" }]))`,
      );
      await page.getByText("Plan: 0 of 2 done").waitFor();
      await page.evaluate(
        `page.say(page.step.plan([{ content: "Read", status: "completed" }, { content: "Write", status: "in_progress" }]))`,
      );
      await page.getByText("Plan: 1 of 2 done").waitFor();
      expect(await page.locator(".aw-plan li").first().getByRole("img").getAttribute("aria-label")).toBe(
        "done",
      );
      await end(ui);
    }));

  test("lets the user edit, move and take back prompts that wait", () =>
    scene(async (ui) => {
      const { page } = ui;
      await everything(ui);
      const waiting = page.locator(".aw-queue li");
      await waiting.nth(1).getByRole("button", { name: "Edit" }).click();
      await waiting.nth(1).getByRole("textbox").fill("another");
      await waiting.nth(1).getByRole("button", { name: "Save" }).click();
      await waiting.nth(1).getByRole("button", { name: "Move up" }).click();
      await expect.poll(() => waiting.locator(".aw-said").allInnerTexts()).toEqual(["another", "first"]);
      await waiting.nth(0).getByRole("button", { name: "Take back" }).click();
      await expect.poll(() => waiting.locator(".aw-said").allInnerTexts()).toEqual(["first"]);
      expect(await page.locator(".aw-mine").allInnerTexts()).not.toContain("first"); // it is not in the transcript too
    }));

  test("lets the user put another prompt in the place of an earlier one", () =>
    scene(async (ui) => {
      const { page } = ui;
      await send(ui);
      await say(ui, "The answer");
      await end(ui);
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("textbox", { name: "Another prompt in this place" }).fill("go on");
      await page.keyboard.press("Enter");
      await page.locator(".aw-mine", { hasText: "go on" }).getByText("2 of 2").waitFor();
      await end(ui);
    }));

  test("offers the modes and models of the agent, and shows what the agent has confirmed", () =>
    scene(async (ui) => {
      const { page } = ui;
      await page.evaluate(`page.start({}, {
        modes: { current: "ask", available: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }] },
        models: { current: "small", available: [{ id: "small", name: "Small" }, { id: "big", name: "Big" }] },
      }); page.chat.connect()`);
      const mode = page.getByLabel("Mode", { exact: true });
      await mode.selectOption("Code");
      await expect.poll(() => page.evaluate("page.chat.getSnapshot().modes.current")).toBe("code");
      expect(await mode.inputValue()).toBe("code");
      expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("small");
    }));

  test("has the app's words", () =>
    scene(async (ui) => {
      const { page } = ui;
      await page.evaluate('page.start({ words: { send: "Senden", message: "Nachricht" }, title: "Titel" })');
      await page.getByRole("button", { name: "Senden" }).waitFor();
      await page.getByLabel("Nachricht").waitFor();
      await page.getByRole("heading", { name: "Titel" }).waitFor();
    }));
});

describe.skipIf(isSkipped)("a screen reader", () => {
  /** Hears what is added to the live region, as screen readers do. */
  const LISTEN = `
    globalThis.heard = [];
    const region = document.querySelector("[role=status]");
    new MutationObserver((all) => heard.push(...all.flatMap(({ addedNodes }) => [...addedNodes].map(({ textContent }) => textContent))))
      .observe(region, { childList: true, subtree: true, characterData: true });
  `;

  test.each([1, 2, 5, 1_000])("hears each sentence once, in pieces of %d characters", (size) =>
    scene(async (ui) => {
      const { page } = ui;
      await page.evaluate(LISTEN);
      await send(ui);
      const text =
        "# A title\n\nIt costs 3.50 now. **Really?** Yes!\n\n- One item.\n- Another\n\n```\ncode. More.\n```\n\nThe end";
      for (let at = 0; at < text.length; at += size) await say(ui, text.slice(at, at + size));
      await end(ui);
      await expect.poll(() => page.evaluate("heard.at(-1)")).toBe("The end");
      expect(await page.evaluate("heard")).toEqual([
        "The agent answers.",
        "A title",
        "It costs 3.50 now.",
        "Really?",
        "Yes!",
        "One item.",
        "Another",
        "Code.",
        "The end",
      ]);
    }),
  );

  test("hears a sentence before the answer has ended, a request, and nothing of what was there before", () =>
    scene(async (ui) => {
      const { page } = ui;
      await send(ui);
      await say(ui, "It was said before.");
      await end(ui);
      await page.evaluate("page.show(page.chat, { title: 'again' })");
      await page.evaluate(LISTEN);
      await send(ui, "again");
      await say(ui, "First. Second");
      await expect.poll(() => page.evaluate("heard.at(-1)")).toBe("First.");
      await page.evaluate(`page.say(page.step.tool({ name: "shell", input: {}, approval: true }))`);
      await expect
        .poll(() => page.evaluate("heard"))
        .toEqual([
          "The agent answers.",
          "First.",
          "Second",
          "The agent asks to use shell. Decide above the message field.",
        ]);
    }));
});

describe.skipIf(isSkipped)("the work for a token", () => {
  const saved = (count: number): unknown => ({
    version: 1,
    source: "mock",
    totals: { usage: {}, cost: [] },
    messages: Array.from({ length: count }, (_, index) => ({
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      status: index % 2 === 0 ? "sent" : "completed",
      parts: [{ type: "text", id: `p${index}`, text: `Message **${index}**`, open: false }],
      startedAt: 0,
      endedAt: 0,
    })),
  });

  /** The elements that rendering ten tokens makes, in a chat of so many messages. */
  async function elements(ui: UiPage, count: number): Promise<number> {
    const { page } = ui;
    await page.evaluate(`page.start({}, {}, ${JSON.stringify(saved(count))}); page.settled()`);
    await send(ui);
    await page.evaluate('page.chat.resume("without-context")'); // the agent knows nothing of these messages
    await say(ui, "It begins");
    await page.getByText("It begins").last().waitFor();
    const before = await page.evaluate<[number, [string, number][]]>("[elements, [...page.renders]]");
    for (let token = 0; token < 10; token++) await say(ui, ` word${token}`);
    await page.getByText("word9").last().waitFor();
    const after = await page.evaluate<[number, [string, number][]]>("[elements, [...page.renders]]");
    const known = new Map(before[1]);
    const again = after[1].filter(([id, renders]) => renders !== known.get(id));
    expect(again).toHaveLength(2); // the answer, and its text
    return after[0] - before[0];
  }

  test("is about the same in a chat of 5,000 messages as in an empty one", async () => {
    await using empty = await openUi(browser);
    const few = await elements(empty, 0);
    await using long = await openUi(browser);
    const many = await elements(long, 5_000);
    expect(few).toBeGreaterThan(10);
    // Each token renders at most three levels of 32 more.
    expect(many - few).toBeLessThanOrEqual(10 * 3 * 32);
  });

  test("does not grow with the answer: 200,000 characters, of which only the open end is rendered", () =>
    scene(async (ui) => {
      const { page } = ui;
      const block =
        "Some **words** of a paragraph that is not long.\n\n- one\n- two\n\n```js\nlet a = 1;\n```\n\n";
      await page.evaluate('page.start({}, { deltas: "whole" })');
      await send(ui);
      const cost = async (): Promise<number> => {
        const before = await page.evaluate<number>("elements");
        for (let token = 0; token < 10; token++) await say(ui, ` word${token}`);
        return (await page.evaluate<number>("elements")) - before;
      };
      await say(ui, block, "Now");
      const early = await cost();
      await say(ui, `\n\n${block.repeat(Math.ceil(200_000 / block.length))}`, "Then");
      await page.evaluate(`
        globalThis.changed = 0;
        const open = document.querySelector(".aw-blocks:last-child").lastElementChild;
        new MutationObserver((all) => { changed += all.filter(({ target }) => !open.contains(target)).length; })
          .observe(document.querySelector(".aw-text"), { childList: true, characterData: true, subtree: true });
      `);
      const late = await cost();
      expect(await page.evaluate("changed")).toBe(0);
      expect(early).toBeGreaterThan(10);
      expect(late).toBeLessThanOrEqual(early + 10 * 3 * 32);
    }));
});
