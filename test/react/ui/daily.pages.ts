import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSkipped, launchChromium } from "../../docs/support/snippet-pages.ts";
import { openUi, type UiPage } from "./support/ui-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (!isSkipped) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A scene in front of a chat. The page may have nothing to complain of. */
async function scene(play: (ui: UiPage) => Promise<void>): Promise<void> {
  await using ui = await openUi(browser);
  await ui.page.evaluate('page.start({ title: "A chat" })');
  await play(ui);
  expect(ui.complaints).toEqual([]);
}

const send = (ui: UiPage, text: string) =>
  ui.page.evaluate(`page.chat.send(${JSON.stringify(text)}), page.settled()`);
const say = (ui: UiPage, text: string) => ui.page.evaluate(`page.say(${JSON.stringify(text)})`);
const end = (ui: UiPage) => ui.page.evaluate("page.end()");
const field = ({ page }: UiPage) => page.getByRole("textbox", { name: "Your message" });

/** A page that was reloaded in the middle of an answer: the answer is cut off, and the prompts behind it wait. */
async function reloaded(ui: UiPage, ...prompts: string[]): Promise<void> {
  for (const prompt of prompts) await send(ui, prompt);
  await ui.page.evaluate(
    "page.saved = JSON.parse(JSON.stringify(page.chat.getSnapshot().saved)), page.start({ title: 'A chat' }, {}, page.saved), page.settled()",
  );
  await ui.page.locator(".aw-queue li").first().waitFor();
}

const waiting = ({ page }: UiPage) => page.locator(".aw-queue .aw-said").allInnerTexts();

describe.skipIf(isSkipped)("prompts that wait on a page where nothing runs", () => {
  test("stay where they are on Escape, and there is no button that cancels", () =>
    scene(async (ui) => {
      await reloaded(ui, "first", "second", "third");
      await ui.page.keyboard.press("Escape");
      await ui.page.evaluate("page.settled()");
      expect(await waiting(ui)).toEqual(["second", "third"]);
      expect(await ui.page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
      expect(await ui.faults()).toEqual([]);
    }));

  test("do not hide the button that sends the prompt of a cut answer again; the same prompt behind them does", () =>
    scene(async (ui) => {
      const again = ui.page.getByRole("button", { name: /^(Try|Send) again$/ });
      await reloaded(ui, "first", "second");
      expect(await again.count()).toBe(1);
      await again.click();
      await expect.poll(() => waiting(ui)).toEqual(["second", "first"]);
      expect(await again.count()).toBe(0);
      await ui.page.getByRole("button", { name: "Take back" }).last().click();
      await expect.poll(() => again.count()).toBe(1);
    }));
});

describe.skipIf(isSkipped)("a plan", () => {
  const plan = (ui: UiPage, status: string) =>
    ui.page.evaluate(`page.say(page.step.plan([{ content: "Read", status: "${status}" }]))`);

  test("stays until the next prompt is sent, also on a page that is shown again", () =>
    scene(async (ui) => {
      const shown = ui.page.getByText("Plan: 0 of 1 done");
      await send(ui, "first");
      await plan(ui, "in_progress");
      await shown.waitFor();
      await end(ui);
      expect(await shown.count()).toBe(1);
      await send(ui, "second");
      await say(ui, "It counts.");
      expect(await shown.count()).toBe(0);
      await ui.page.evaluate("page.again = page.chat, page.start(), page.show(page.again), page.settled()");
      await ui.page.getByText("It counts.").waitFor();
      expect(await shown.count()).toBe(0);
    }));

  test("of a later prompt is shown again", () =>
    scene(async (ui) => {
      await send(ui, "first");
      await plan(ui, "in_progress");
      await end(ui);
      await send(ui, "second");
      await plan(ui, "completed");
      await ui.page.getByText("Plan: 1 of 1 done").waitFor();
    }));
});

describe.skipIf(isSkipped)("the log of a long answer", () => {
  const LONG = Array.from({ length: 80 }, (_, index) => `Line ${index}\n\n`).join("");
  const distance =
    "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.aw-log'))";

  test("has a button to its end while somebody reads further up", () =>
    scene(async (ui) => {
      const { page } = ui;
      const jump = page.getByRole("button", { name: "Jump to the latest" });
      await send(ui, "go");
      await say(ui, LONG);
      await page.waitForFunction(`${distance} < 2`);
      expect(await jump.count()).toBe(0);
      await page.locator(".aw-log").hover();
      await page.mouse.wheel(0, -2_000);
      await jump.waitFor();
      await say(ui, "More.");
      expect(await ui.faults()).toEqual([]);
      await jump.click();
      await jump.waitFor({ state: "hidden" });
      expect(await page.evaluate<number>(distance)).toBeLessThan(2);
      expect(await page.evaluate("document.activeElement.className")).toBe("aw-log");
      await say(ui, LONG);
      await page.waitForFunction(`${distance} < 2`); // it follows again
    }));
});

describe.skipIf(isSkipped)("a turn that runs", () => {
  test("says how long, from its third second until its end", () =>
    scene(async (ui) => {
      const { page } = ui;
      const elapsed = page.locator(".aw-elapsed");
      await page.clock.install();
      await page.evaluate("page.start(), page.settled()");
      await send(ui, "go");
      expect(await elapsed.count()).toBe(0);
      await page.clock.fastForward(4_000);
      await expect.poll(() => elapsed.innerText()).toMatch(/^Working for \d s$/);
      await say(ui, "An answer.");
      await page.clock.fastForward(120_000);
      await expect.poll(() => elapsed.innerText()).toMatch(/^Working for 2 min \d+ s$/);
      await end(ui);
      await expect.poll(() => elapsed.count()).toBe(0);
      await page.clock.fastForward(60_000);
      expect(await elapsed.count()).toBe(0);
    }));
});

describe.skipIf(isSkipped)("Up in an empty message field", () => {
  test("brings the prompts before, Down goes back, and a text of the user's stays", () =>
    scene(async (ui) => {
      const { page } = ui;
      const text = () => field(ui).inputValue();
      for (const prompt of ["one", "two\nlines"]) {
        await send(ui, prompt);
        await end(ui);
      }
      await field(ui).focus();
      await page.keyboard.press("ArrowDown");
      expect(await text()).toBe("");
      await page.keyboard.press("ArrowUp");
      expect(await text()).toBe("two\nlines");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      expect(await text()).toBe("one");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      expect(await text()).toBe("");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.type("!");
      await page.keyboard.press("ArrowUp");
      expect(await text()).toBe("two\nlines!");
      await field(ui).fill("");
      await page.keyboard.press("ArrowUp");
      expect(await text()).toBe("two\nlines");
      await page.keyboard.press("Enter");
      await page.locator(".aw-mine", { hasText: "lines" }).nth(1).waitFor();
      expect(await text()).toBe("");
    }));
});
