import { Buffer } from "node:buffer";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSkipped, launchChromium } from "../../docs/support/snippet-pages.ts";
import { openUi, type UiPage } from "./support/ui-page.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const URL_OF_PNG = `data:image/png;base64,${PNG}`;

let browser: Browser;
beforeAll(async () => {
  if (!isSkipped) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A page whose agent takes images, or none. */
async function scene(play: (ui: UiPage) => Promise<void>, takesImages = true): Promise<void> {
  await using ui = await openUi(browser);
  await ui.page.evaluate(
    `page.start({ title: "A chat" }, { script: [["Seen."]], capabilities: { images: ${takesImages} } }), page.settled()`,
  );
  await play(ui);
  expect(ui.complaints).toEqual([]);
}

/** Chooses files by the button, as a user does. */
async function choose(
  { page }: UiPage,
  ...files: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }[]
): Promise<void> {
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Add an image" }).click();
  await (await choosing).setFiles(files);
}

const png = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(PNG, "base64") });

/** Pastes or drops a PNG of this size, or of one pixel. Returns whether the page has left the event to the browser. */
const give = ({ page }: UiPage, type: "paste" | "drop", size = 0) =>
  page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(PNG)}), (each) => each.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([${size} > 0 ? new Uint8Array(${size}) : bytes], "given.png", { type: "image/png" }));
    const init = { bubbles: true, cancelable: true };
    return ${type === "paste"}
      ? document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { ...init, clipboardData: data }))
      : document.querySelector(".aw-log").dispatchEvent(new DragEvent("drop", { ...init, dataTransfer: data }));
  })()`);

const sent = ({ page }: UiPage) =>
  page.evaluate(
    "page.chat.getSnapshot().messages.toArray().filter(({ role }) => role === 'user').map(({ parts }) => parts.toArray().map(({ text, path }) => text ?? path))",
  );

const write = async ({ page }: UiPage, text: string) => {
  await page.getByRole("textbox", { name: "Your message" }).fill(text);
  await page.keyboard.press("Enter");
};

describe.skipIf(isSkipped)("images", () => {
  test("that are chosen, pasted and dropped go along with the message, and one can be taken out", () =>
    scene(async (ui) => {
      const { page } = ui;
      await choose(ui, png("a.png"), png("b.png"));
      await page.getByRole("img", { name: "b.png" }).waitFor();
      expect(await give(ui, "paste")).toBe(false);
      await page.getByRole("img", { name: "given.png" }).waitFor();
      expect(await give(ui, "drop")).toBe(false);
      await expect.poll(() => page.locator(".aw-pictures img").count()).toBe(4);
      expect(await ui.faults()).toEqual([]);
      await page.getByRole("button", { name: "Take out a.png" }).click();
      await write(ui, "What is it?");
      await page.locator(".aw-text", { hasText: "Seen." }).waitFor();
      expect(await sent(ui)).toEqual([["What is it?", URL_OF_PNG, URL_OF_PNG, URL_OF_PNG]]);
      expect(await page.locator(".aw-pictures").count()).toBe(0);
    }));

  test("are sent once they are read, if Enter is pressed before", () =>
    scene(async (ui) => {
      await ui.page.getByRole("textbox", { name: "Your message" }).fill("What is it?");
      await ui.page.evaluate(`(() => {
        const read = FileReader.prototype.readAsDataURL;
        FileReader.prototype.readAsDataURL = function (file) { globalThis.readNow = () => read.call(this, file); };
      })()`);
      await give(ui, "drop");
      await ui.page.keyboard.press("Enter");
      expect(await sent(ui)).toEqual([]);
      await ui.page.evaluate("readNow()");
      await expect.poll(() => sent(ui)).toEqual([["What is it?", URL_OF_PNG]]);
    }));

  test("stay with a message that is edited", () =>
    scene(async (ui) => {
      const { page } = ui;
      await choose(ui, png("a.png"));
      await page.getByRole("img", { name: "a.png" }).waitFor();
      await write(ui, "What is it?");
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("textbox", { name: "Another prompt in this place" }).fill("And now?");
      await page.keyboard.press("Enter");
      await expect.poll(() => sent(ui)).toEqual([["And now?", URL_OF_PNG]]);
    }));

  test("beyond a limit, of another type, or without words are refused, and the page says why", () =>
    scene(async (ui) => {
      const { page } = ui;
      const problem = page.locator(".aw-composer").getByRole("alert");
      const refused = (name: string) =>
        expect
          .poll(() => problem.innerText())
          .toBe(`${name} was not added: a message takes 10 images (PNG, JPEG, GIF, WebP) of up to 20 MiB.`);
      await choose(ui, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
      await refused("notes.txt");
      await give(ui, "drop", (20 << 20) + 1);
      await refused("given.png");
      await choose(ui, ...Array.from({ length: 11 }, (_, at) => png(`${at}.png`)));
      await refused("10.png");
      await expect.poll(() => page.locator(".aw-pictures img").count()).toBe(10);
      const field = page.getByRole("textbox", { name: "Your message" });
      await field.press("Enter");
      expect(await field.evaluate((one) => one.matches(":invalid"))).toBe(true);
      expect(await sent(ui)).toEqual([]);
    }));

  test("are not offered where the agent takes none, and a dropped file does not replace the page", () =>
    scene(async (ui) => {
      const { page } = ui;
      expect(await page.getByRole("button", { name: "Add an image" }).count()).toBe(0);
      expect(await give(ui, "drop")).toBe(false);
      await page.getByText("This agent takes no images.").waitFor();
      await write(ui, "Hello");
      expect(await sent(ui)).toEqual([["Hello"]]);
    }, false));
});
