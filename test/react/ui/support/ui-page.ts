// Opens the program of `program.tsx` in pages of Chromium.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import axe, { type Result } from "axe-core";
import type { Plugin } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { bundled } from "../../../docs/support/snippet-pages.ts";

const path = (from: string): string => fileURLToPath(new URL(`../../../../${from}`, import.meta.url));

const COUNTING = path("test/react/ui/support/counting-jsx.ts");

const countElements: Plugin = {
  name: "count-elements",
  setup: (build) =>
    build.onResolve({ filter: /^react\/jsx-runtime$/ }, ({ importer }) =>
      importer === COUNTING ? undefined : { path: COUNTING },
    ),
};

let program: Promise<string> | undefined;

/** The program of the tests, as a bundler makes it. Each call of React's JSX functions is counted. */
function programOfTests(): Promise<string> {
  program ??= bundled(
    { entryPoints: [path("test/react/ui/support/program.tsx")] },
    { plugins: [countElements] },
  );
  return program;
}

export interface UiPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the page, and requests that leave it. */
  readonly complaints: readonly string[];
  /** What axe finds, in light and in dark. */
  faults(): Promise<readonly string[]>;
}

export interface UiPageOptions {
  readonly width?: number;
  readonly direction?: "ltr" | "rtl";
}

/** A page without a chat: evaluate `page.start()`. */
export async function openUi(browser: Browser, options: UiPageOptions = {}): Promise<UiPage> {
  const { width = 1180, direction = "ltr" } = options;
  const context = await browser.newContext({ viewport: { width, height: 780 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(data|blob|about):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  await page.setContent(
    `<!doctype html><html lang="en" dir="${direction}"><title>A chat</title><style>html, body, #root { height: 100%; margin: 0 }</style><div id="root"></div></html>`,
  );
  await page.addStyleTag({ content: await readFile(path("src/react/ui/ui.css"), "utf8") });
  await page.evaluate("globalThis.elements = 0");
  await page.addScriptTag({ content: await programOfTests() });
  return {
    page,
    complaints,
    async faults() {
      const found: string[] = [];
      await page.evaluate(axe.source);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const violations = await page.evaluate<Result[]>("axe.run().then(({ violations }) => violations)");
        for (const { id, nodes } of violations)
          found.push(...nodes.map(({ html }) => `${colorScheme}: ${id}: ${html}`));
      }
      return found;
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
