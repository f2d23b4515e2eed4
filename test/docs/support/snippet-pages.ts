// Programs of `docs/snippets/web` in pages of Chromium.
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium } from "../../../scripts/support/chromium.ts";

export const FOLDER: string = fileURLToPath(new URL("../../../docs/snippets/web/", import.meta.url));

/** CI fails without Chromium. */
export const isSkipped: boolean = findChromium() === undefined && process.env["CI"] !== "true";

export type Program = Pick<BuildOptions, "stdin" | "entryPoints">;

/** A program beside the snippets. */
export const inline = (contents: string): Program => ({
  stdin: { contents, resolveDir: FOLDER, loader: "tsx" },
});

/** A program of a page as a bundler makes it. */
export async function bundled(program: Program, more: BuildOptions = {}): Promise<string> {
  const result = await build({
    ...program,
    bundle: true,
    write: false,
    format: "iife",
    jsx: "automatic",
    tsconfig: `${FOLDER}tsconfig.json`,
    define: { "process.env.NODE_ENV": '"production"' },
    ...more,
  });
  return (result.outputFiles ?? []).map(({ text }) => text).join("");
}

export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ["--no-sandbox"] });
}

/** A new page. `complaints`: its errors, and what it writes to `console.error`. */
export async function newPage(
  browser: Browser,
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  return { page, complaints };
}

/** Runs a program in a new page with an element `root`. */
export async function opened(browser: Browser, program: Program, more?: BuildOptions) {
  const { page, complaints } = await newPage(browser);
  await page.setContent('<div id="root"></div>');
  await page.addScriptTag({ content: await bundled(program, more) });
  return { page, complaints };
}
