// A relay, and pages with a chat over it, on one port: for Chromium.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { relayListener } from "agentwire/server/node";
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { findChromium } from "../../../scripts/support/chromium.ts";
import { bundled, inline } from "../../docs/support/snippet-pages.ts";
import { Rig, type RigOptions } from "../../server/relay/support/rig.ts";

/** The options of `remote` are in the address. `lines`: what the user sees. `until`: resolves once a snapshot fits. */
const PROGRAM = `
  import { createChat } from "agentwire/chat";
  import { remote } from "agentwire/remote";
  const options = Object.fromEntries(new URLSearchParams(location.search));
  const chat = createChat(remote({ url: "/chats", chat: "c", ...options }));
  const lines = () => chat.getSnapshot().messages.toArray().map(({ role, status, parts }) =>
    role + " " + status + ": " + parts.map(({ text, name, state }) => text ?? name + " " + state).join(" "));
  const until = (holds) => new Promise((resolve) => {
    const look = () => {
      if (!holds(chat.getSnapshot(), lines().join("\\n"))) return;
      off();
      resolve(lines());
    };
    const off = chat.subscribe(look);
    look();
  });
  Object.assign(window, { chat, lines, until });
  addEventListener("pageshow", ({ persisted }) => { window.wasKept = persisted; });`;

const executablePath = findChromium();

const launching = (args: readonly string[] = []): LaunchOptions => ({
  ...(executablePath ? { executablePath } : {}),
  args: ["--no-sandbox", ...args],
  ignoreDefaultArgs: ["--disable-back-forward-cache"],
});

/** With the cache for going back, which Playwright switches off. */
export const openBrowser = (): Promise<Browser> => chromium.launch(launching());

/** A browser whose foreign pages send cookies, and may ask this machine: each protects a relay that has a fault. */
export class Profile {
  readonly context: BrowserContext;
  readonly #folder: string;

  private constructor(context: BrowserContext, folder: string) {
    this.context = context;
    this.#folder = folder;
  }

  static async open(): Promise<Profile> {
    const folder = await mkdtemp(join(tmpdir(), "agentwire-profile-"));
    await mkdir(join(folder, "Default"));
    const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
    await writeFile(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
    const options = launching(["--disable-features=LocalNetworkAccessChecks"]);
    return new Profile(await chromium.launchPersistentContext(folder, options), folder);
  }

  async close(): Promise<void> {
    await this.context.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The program of all pages. */
export const pageCode = (): Promise<string> =>
  bundled(inline(PROGRAM), {
    tsconfig: fileURLToPath(new URL("../../../tsconfig.json", import.meta.url)),
  });

/** A request as the server got it. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly status: number;
}

export interface SiteOptions extends RigOptions {
  /** The program of each page, except of those at `/empty`. */
  readonly code?: string;
  /** The cookies that a page sets. */
  readonly cookies?: readonly string[];
}

export class Site {
  readonly rig: Rig;
  /** The requests to the relay whose answer has ended. */
  readonly seen: SeenRequest[] = [];
  /** The open streams of events. */
  streams = 0;
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  private constructor({ code = "", cookies = [], ...options }: SiteOptions) {
    this.rig = new Rig(options);
    const relay = relayListener(this.rig.relay.handler);
    this.#server = createServer((request, response) => {
      const { method, url: path = "" } = request;
      if (path.startsWith("/chats")) {
        const isStream = request.headers.accept === "text/event-stream";
        if (isStream) this.streams++;
        response.once("close", () => {
          if (isStream) this.streams--;
          this.seen.push({ method, path, headers: request.headers, status: response.statusCode });
          this.#wake();
        });
        relay(request, response);
        this.#wake();
        return;
      }
      if (cookies.length > 0) response.setHeader("set-cookie", cookies);
      response.setHeader("content-type", path === "/code.js" ? "text/javascript" : "text/html");
      const script = path.startsWith("/empty") ? "" : '<script src="/code.js"></script>';
      response.end(
        path === "/code.js" ? code : `<link rel="icon" href="data:,"><title>chat</title>${script}`,
      );
    });
  }

  /** Closed at the end of the test. */
  static async open(options: SiteOptions = {}): Promise<Site> {
    const site = new Site(options);
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      site.cut();
      await new Promise((resolve) => site.#server.close(resolve));
    });
    return site;
  }

  get port(): number {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
    return address.port;
  }

  /** `host`: a name of this machine. Each is an origin of its own. */
  url(path = "/", host = "127.0.0.1"): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** Breaks all connections. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  /** Resolves once a condition holds. Looks again when a request comes or its answer ends. */
  async until(holds: (site: this) => boolean): Promise<void> {
    while (!holds(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

export interface Tab {
  readonly page: Page;
  /** Errors, rejections that nobody handled, and what is written to `console.error`. */
  readonly complaints: string[];
  /** The value of an expression in the page. */
  get<T>(expression: string): Promise<T>;
  /** Resolves with the messages once an expression of `now` (the snapshot) and `text` (the messages) holds. */
  until(expression: string): Promise<readonly string[]>;
}

/** A new tab, closed at the end of the test. */
export async function openTab(context: BrowserContext, url: string): Promise<Tab> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  onTestFinished(() => page.close());
  await page.goto(url);
  return {
    page,
    complaints,
    get: (expression) => page.evaluate(expression),
    until: (expression) => page.evaluate(`until((now, text) => ${expression})`),
  };
}
