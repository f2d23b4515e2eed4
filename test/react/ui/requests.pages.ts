import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSkipped, launchChromium } from "../../docs/support/snippet-pages.ts";
import { openUi, type UiPage, type UiPageOptions } from "./support/ui-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (!isSkipped) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A scene in front of a chat, in a window of 800 px height. The page may have nothing to complain of. */
async function scene(play: (ui: UiPage) => Promise<void>, options: UiPageOptions = {}): Promise<void> {
  await using ui = await openUi(browser, options);
  await ui.page.setViewportSize({ width: options.width ?? 1180, height: 800 });
  await ui.page.evaluate('page.start({ title: "A chat" })');
  await play(ui);
  expect(ui.complaints).toEqual([]);
}

const CONTEXT = Array.from({ length: 14 }, (_, index) => ` line ${index}\n`).join("");
const DIFF = `@@ -1,15 +1,16 @@\n${CONTEXT}-two\n+zwei\n+drei\n`;
const SHOWN = { path: "src/a.ts", replacements: [{ old: "two", new: "zwei\ndrei" }] };

/** The agent asks whether it may edit a file. */
async function asksForEdit({ page }: UiPage, input: object, diff = DIFF): Promise<Locator> {
  await page.evaluate('page.chat.send("go"), page.settled()');
  const call = { name: "edit", input, approval: true, grant: "edits of src/a.ts" };
  const preview = [{ path: "src/a.ts", diff, by: "tool" }];
  await page.evaluate(
    `page.say(page.step.plan([{ content: "Write", status: "in_progress" }]), page.step.tool(${JSON.stringify({ ...call, preview })}))`,
  );
  const request = page.locator(".aw-request");
  await request.waitFor();
  await page.evaluate("page.settled()");
  return request;
}

/** Whether all of an element is in sight between the title of the request and its buttons. */
async function isInSight(request: Locator, what: Locator): Promise<boolean> {
  const [above, below, it] = await Promise.all(
    [request.locator("h2"), request.locator(".aw-choices"), what].map((each) => each.boundingBox()),
  );
  if (!above || !below || !it) return false;
  return it.y >= above.y + above.height && it.y + it.height <= below.y;
}

describe.skipIf(isSkipped)("an approval of an edit", () => {
  test.each([1280, 390])("shows the first changed line above its buttons at %d px", (width) =>
    scene(
      async (ui) => {
        const request = await asksForEdit(ui, SHOWN);
        for (const type of ["removed", "added"])
          expect(await isInSight(request, request.locator(`[data-type=${type}]`).first())).toBe(true);
        expect(await ui.faults()).toEqual([]);
      },
      { width },
    ),
  );

  test("stays at its beginning where the first change is in sight", () =>
    scene(async (ui) => {
      const request = await asksForEdit(ui, SHOWN, "@@ -1,1 +1,2 @@\n-two\n+zwei\n+drei\n");
      expect(await request.evaluate((element) => element.scrollTop)).toBe(0);
      expect(await isInSight(request, request.getByText("src/a.ts", { exact: true }))).toBe(true);
    }));

  test("has the input behind the changes, folded", () =>
    scene(async (ui) => {
      const request = await asksForEdit(ui, SHOWN);
      const input = request.locator("pre");
      expect(await input.isVisible()).toBe(false);
      const order = await request
        .locator(".aw-diff, details, .aw-choices")
        .evaluateAll((all) => all.map(({ className, tagName }) => className || tagName));
      expect(order).toEqual(["aw-diff", "DETAILS", "aw-choices"]);
      await request.getByText("Input", { exact: true }).click();
      const lines = JSON.stringify(SHOWN, null, 2).replace("zwei\\ndrei", "zwei\ndrei");
      expect((await input.innerText()).trim()).toBe(lines);
    }));

  test("has the input open if the changes do not show all of it", () =>
    scene(async (ui) => {
      const request = await asksForEdit(ui, { ...SHOWN, force: true });
      expect(await request.locator("pre").isVisible()).toBe(true);
      expect(await request.locator("pre").innerText()).toContain('"force": true');
    }));

  test("has its six buttons in two rows at 390 px", () =>
    scene(
      async (ui) => {
        const request = await asksForEdit(ui, SHOWN);
        const rows = await request
          .locator(".aw-choices button")
          .evaluateAll((all) =>
            all
              .map((button) => button.getBoundingClientRect())
              .map(({ top, bottom }) => Math.round(top + bottom)),
          );
        expect(rows).toHaveLength(6);
        expect(new Set(rows).size).toBe(2);
      },
      { width: 390 },
    ));

  test("is rejected with a reason, and not with a blank one", () =>
    scene(async (ui) => {
      const { page } = ui;
      const request = await asksForEdit(ui, SHOWN);
      const reason = request.getByLabel("Why not?");
      await page.waitForFunction("!document.querySelector('.aw-choices[aria-disabled=true]')");
      await request.getByRole("button", { name: "Reject with a reason" }).click();
      await page.keyboard.press("Enter");
      expect(await reason.evaluate((field) => field === document.activeElement)).toBe(true);
      await reason.fill("not now");
      await page.keyboard.press("Enter");
      await request.waitFor({ state: "hidden" });
      await page.locator(".aw-tool-state", { hasText: "was denied" }).waitFor();
    }));

  test("leaves the changes in the column of the answer when it is over, in a wide window", () =>
    scene(
      async (ui) => {
        const { page } = ui;
        const request = await asksForEdit(ui, SHOWN);
        await page.waitForFunction("!document.querySelector('.aw-choices[aria-disabled=true]')");
        await request.getByRole("button", { name: "Allow once" }).click();
        const [card, answer] = await Promise.all(
          [page.locator(".aw-tool:has(.aw-diff)"), page.locator(".aw-reply")].map((each) =>
            each.boundingBox(),
          ),
        );
        expect([card?.x, card?.width]).toEqual([answer?.x, answer?.width]);
      },
      { width: 1600 },
    ));
});

describe.skipIf(isSkipped)("questions", () => {
  test.each([1180, 390])(
    "without an answer say so beside their fields, and the first gets the focus, at %d px",
    (width) =>
      scene(
        async (ui) => {
          const { page } = ui;
          await page.evaluate('page.chat.send("go"), page.settled()');
          await page.evaluate(`page.say(page.step.question({ questions: [
          { question: "Which branch?", options: ["main", "next"] },
          { question: "Which tests?", options: ["unit", "browser", "soak", "leaks"], multiSelect: true },
          "Anything else?", "And then?", "And at last?",
        ] }))`);
          const request = page.locator(".aw-request");
          await request.getByLabel("next").check();
          await request.getByLabel("Anything else?").fill("no");
          await page.waitForFunction("!document.querySelector('.aw-choices[aria-disabled=true]')");
          await request.getByRole("button", { name: "Answer", exact: true }).click();
          const first = request.getByLabel("unit");
          expect(await first.evaluate((field) => field === document.activeElement)).toBe(true);
          for (const what of [first, request.getByText("Which tests?")])
            expect(await isInSight(request, what)).toBe(true);
          const told = await request.locator("fieldset").evaluateAll((all) =>
            all.map((field) => {
              const id = field.querySelector("input")?.getAttribute("aria-describedby");
              return id ? field.querySelector(`[id="${id}"][role=alert]`)?.textContent : undefined;
            }),
          );
          const missing = "This question needs an answer.";
          expect(told).toEqual([undefined, missing, undefined, missing, missing]);
          expect(await ui.faults()).toEqual([]);
          await first.check();
          await request.getByLabel("And then?").fill("rest");
          await request.getByRole("button", { name: "Answer", exact: true }).click();
          const last = request.getByLabel("And at last?");
          expect(await last.evaluate((field) => field === document.activeElement)).toBe(true);
          expect(await isInSight(request, last)).toBe(true);
          expect(await request.getByText(missing).filter({ visible: true }).count()).toBe(1);
          await last.fill("sleep");
          await page.keyboard.press("Enter");
          await request.waitFor({ state: "hidden" });
        },
        { width },
      ),
  );
});
