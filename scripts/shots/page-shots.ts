// Pictures of `<Chat>` in Chromium: each state in light, dark, on a phone and from right to left.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { bundled } from "../../test/docs/support/snippet-pages.ts";
import { SCENES, type Scene, type SceneUser } from "./scenes.ts";

export interface Shot {
  readonly name: string;
  /** Writes the files of the picture. Rejects if its state is not reached. */
  readonly take: (browser: Browser, out: string) => Promise<void>;
}

/** ms until a state is given up. */
const LIMIT = 10_000;
const path = (from: string): string => fileURLToPath(new URL(from, import.meta.url));

const WINDOW = { width: 1180, height: 860 };
const VARIANTS: Readonly<Record<string, BrowserContextOptions & { readonly direction?: "rtl" }>> = {
  light: { colorScheme: "light", viewport: WINDOW },
  dark: { colorScheme: "dark", viewport: WINDOW },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  rtl: { colorScheme: "light", viewport: WINDOW, direction: "rtl" },
};

export function pageShots(): readonly Shot[] {
  return SCENES.filter(({ on = "page" }) => on === "page").flatMap((scene) =>
    Object.entries(VARIANTS).map(([variant, { direction = "ltr", ...options }]) => {
      const name = `page-${scene.name}-${variant}`;
      const take = async (browser: Browser, out: string): Promise<void> => {
        const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
        context.setDefaultTimeout(LIMIT);
        try {
          const page = await opened(await context.newPage(), scene, direction);
          await scene.play(userOf(page));
          await page.screenshot({ path: join(out, `${name}.png`), animations: "disabled", caret: "hide" });
        } finally {
          await context.close();
        }
      };
      return { name, take };
    }),
  );
}

let program: Promise<string> | undefined;

async function opened(page: Page, { name }: Scene, direction: string): Promise<Page> {
  program ??= bundled({ entryPoints: [path("page-program.tsx")] });
  await page.setContent(
    `<!doctype html><html lang="en" dir="${direction}"><title>A chat</title><style>html, body, #root { height: 100%; margin: 0 }</style><div id="root"></div></html>`,
  );
  await page.addStyleTag({ content: await readFile(path("../../src/react/ui/ui.css"), "utf8") });
  await page.addScriptTag({ content: await program });
  await page.evaluate(`showScene(${JSON.stringify(name)})`);
  return page;
}

function userOf(page: Page): SceneUser {
  return {
    async say(prompt) {
      const field = page.getByRole("textbox", { name: "Your message" });
      await field.fill(prompt);
      await field.press("Enter");
    },
    async attach(url) {
      const buffer = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
      const file = { name: "pixel.png", mimeType: "image/png", buffer };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.getByRole("img", { name: file.name }).waitFor();
    },
    async press({ button }) {
      const found = page.getByRole("button", { name: button, exact: true }).filter({ visible: true });
      // The list of chats is always there in a wide window.
      if (button !== "Conversations" || (await found.count()) > 0) await found.first().click();
    },
    async sees(wanted) {
      const text = typeof wanted === "string" ? wanted : wanted.page;
      const squeezed = JSON.stringify(text.replaceAll(/\s/g, "").toLowerCase());
      const sees = `document.body.innerText.replaceAll(/\\s/g, "").toLowerCase().includes(${squeezed})`;
      await page.waitForFunction(sees).catch(async () => {
        const shown = await page.locator("body").innerText();
        throw new Error(`the page does not come to "${text}". It shows:\n${shown.replaceAll(/^/gm, "  |")}`);
      });
    },
  };
}
