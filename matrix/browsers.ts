import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { findChromium } from "../scripts/support/chromium.ts";
import { findProgram } from "../scripts/support/find-program.ts";
import { failed, NONE, type Outcome, outcomeOf, type Row, untried } from "./outcome.ts";
import { load } from "./workerd.ts";

/** What this uses of puppeteer-core. */
interface Page {
  goto(url: string): Promise<unknown>;
  on(event: "pageerror", listener: (error: Error) => void): void;
  waitForFunction(words: string, options: { readonly timeout: number }): Promise<unknown>;
  evaluate(words: string): Promise<unknown>;
}
interface Browser {
  newPage(): Promise<Page>;
  version(): Promise<string>;
  close(): Promise<void>;
}
interface Puppeteer {
  launch(options: object): Promise<Browser>;
}

/** ms for all trials. */
const LIMIT = 180_000;

const BROWSERS = {
  chromium: { find: findChromium, args: ["--no-sandbox"] },
  firefox: { find: () => findProgram("AGENTWIRE_FIREFOX", ["firefox-esr", "firefox"]), args: [] },
} as const;

export type BrowserName = keyof typeof BROWSERS;

/** The program in a page, bundled by esbuild. */
export async function browserRow(name: BrowserName, folder: string, addresses: string): Promise<Row> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["page.mjs"],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    tsconfigRaw: {},
    logLevel: "silent",
  });
  const files = new Map([
    ["/", '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>'],
    ["/page.js", outputFiles[0]?.text ?? ""],
  ]);
  await using pages = await served((path) => files.get(path));
  return { ...(await visit(name, pages.url, addresses)), commonJs: NONE };
}

/** Opens a page, and waits for the report of its program. */
export async function visit(
  name: BrowserName,
  url: string,
  addresses: string,
): Promise<{ readonly version: string; readonly module: Outcome }> {
  const { find, args } = BROWSERS[name];
  const executablePath = find();
  if (executablePath === undefined) return { version: "", module: untried(`no ${name} on the PATH`) };
  const { default: puppeteer } = await load<{ readonly default: Puppeteer }>("puppeteer-core");
  const browser = await puppeteer.launch({
    browser: name === "firefox" ? "firefox" : "chrome",
    executablePath,
    args: [...args],
  });
  try {
    const version = /\d+[\d.]*/.exec(await browser.version())?.[0] ?? "";
    return { version, module: await reportIn(await browser.newPage(), url, addresses) };
  } finally {
    await browser.close();
  }
}

async function reportIn(page: Page, url: string, addresses: string): Promise<Outcome> {
  const errors: string[] = [];
  page.on("pageerror", (error) => void errors.push(String(error)));
  try {
    await page.goto(`${url}#${encodeURIComponent(addresses)}`);
    await page.waitForFunction("globalThis.report !== undefined", { timeout: LIMIT });
    return outcomeOf(String(await page.evaluate("JSON.stringify(globalThis.report)")));
  } catch (error) {
    return failed([String(error), ...errors].join("; "));
  }
}

/** Serves texts on loopback. */
export async function served(
  read: (path: string) => string | undefined | Promise<string | undefined>,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async ({ url = "/" }, response) => {
    const text = await read(url);
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` });
    response.end(text);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
