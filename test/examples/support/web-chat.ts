import { join } from "node:path";
import {
  type MockCassOptions,
  MockCassServer,
  type MockCodebuffOptions,
  MockCodebuffServer,
  type MockCodeyOptions,
  MockCodeyServer,
  type NewCassUser,
} from "agentwire/testing";
import axe, { type Result } from "axe-core";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { expect } from "vitest";
import { buildPage, type Servers, serveBuilt } from "../../../examples/web-chat/serve.ts";
import { findChromium } from "../../../scripts/support/chromium.ts";
import { type TempFolder, tempFolder } from "../../../scripts/support/temp-folder.ts";

/** What a browser says by itself of what a server refuses, such as a wrong password. It is no mistake of the page. */
const REFUSED = /^(Failed to load resource: the server responded with a status of|WebSocket connection to) /;

/** ms; less than a test has, so that a failure names what was waited for. */
const PATIENCE = 20_000;

/** Without a browser there is nothing to test. CI has one, and fails where it has not. */
export const isSkipped = findChromium() === undefined && process.env["CI"] !== "true";
if (isSkipped)
  console.error(
    "!!! THE WEB CHAT IS NOT TESTED: no Chromium on the PATH. Install the package `chromium`, or set AGENTWIRE_CHROMIUM to the program.",
  );

/** A Chromium without a window. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  return await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    // In containers and for root it cannot start; the pages are our own.
    args: ["--no-sandbox"],
  });
}

/** Counts the ends of turns that the page has stored. */
const KEPT_TURNS = `new Promise((resolve, reject) => {
  const opened = indexedDB.open("agentwire-web-chat");
  opened.onerror = () => reject(opened.error);
  opened.onsuccess = () => {
    const rows = opened.result.transaction("events").objectStore("events").getAll();
    rows.onsuccess = () => {
      opened.result.close();
      resolve(rows.result.filter(({ event }) => event.type === "turn.ended").length);
    };
  };
})`;

/** What all visits share: a browser, and the page, built once. */
export class Stage implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #folder: TempFolder;

  private constructor(browser: Browser, folder: TempFolder) {
    this.#browser = browser;
    this.#folder = folder;
  }

  static async open(): Promise<Stage> {
    const folder = await tempFolder();
    await buildPage(join(folder.path, "built"));
    return new Stage(await openBrowser(), folder);
  }

  /** A place for what a dev server prepares. */
  get cacheDir(): string {
    return join(this.#folder.path, "cache");
  }

  /** Somebody in front of the page that is at `url`. */
  async visitor(url: string): Promise<Visitor> {
    // Without motion: moving pictures take most of a processor, and axe would see colours in between.
    const context = await this.#browser.newContext({
      viewport: { width: 1180, height: 780 },
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const visitor = new Visitor(context, page);
    await page.clock.install();
    await page.addInitScript("globalThis.renderCounts = new Map()");
    await page.goto(url);
    return visitor;
  }

  /** Plays a scene in front of the entrance. The page may have nothing to complain of. */
  async visit(
    backend: string,
    scene: (visitor: Visitor) => Promise<void>,
    servers: Servers = {},
  ): Promise<void> {
    const site = await serveBuilt(join(this.#folder.path, "built"), { servers, port: 0 });
    try {
      await using visitor = await this.visitor(`${site.url}?backend=${backend}`);
      await scene(visitor);
      expect(visitor.complaints).toEqual([]);
    } finally {
      await site.close();
    }
  }

  /** A scene behind the entrance, with the agent that runs in the page. */
  mock(scene: (visitor: Visitor) => Promise<void>): Promise<void> {
    return this.visit("mock", async (visitor) => {
      await visitor.press("Start");
      await scene(visitor);
    });
  }

  /** A scene behind the entrance, with the server of Codey. Neither the page nor the server may complain. */
  async codey(
    options: MockCodeyOptions,
    scene: (visitor: Visitor, server: MockCodeyServer) => Promise<void>,
  ): Promise<void> {
    await using server = await MockCodeyServer.start({ closeReply: true, ...options });
    await this.visit(
      "codey",
      async (visitor) => {
        await visitor.press("Start");
        await scene(visitor, server);
        // Before the browser is closed: it closes the sockets of the page itself, with or without a Close frame.
        expect(server.violations).toEqual([]);
      },
      { codey: server.url },
    );
  }

  /** The same with the original server of Codebuff. */
  async codebuff(
    options: MockCodebuffOptions,
    scene: (visitor: Visitor, server: MockCodebuffServer) => Promise<void>,
  ): Promise<void> {
    await using server = await MockCodebuffServer.start({ profile: "codebuff", ...options });
    await this.visit(
      "codebuff",
      async (visitor) => {
        await visitor.press("Start");
        await scene(visitor, server);
        expect(server.violations).toEqual([]);
      },
      { codebuff: server.url },
    );
  }

  /** The same with Cass, in front of the entrance: there is somebody who can log in. */
  async cass(options: MockCassOptions, scene: (cast: Cast) => Promise<void>): Promise<void> {
    await using server = await MockCassServer.start({ audio: "none", ...options, basePath: "/cass" });
    const user = server.addUser({ email: "guest@example.com", displayName: "Guest" });
    await this.visit(
      "cass",
      async (visitor) => {
        await scene({ visitor, page: visitor.page, server, user });
        expect(server.violations).toEqual([]);
      },
      { cass: server.httpUrl },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** Who is in a scene with Cass. */
export interface Cast {
  readonly visitor: Visitor;
  readonly page: Page;
  readonly server: MockCassServer;
  readonly user: NewCassUser;
}

/** Somebody who uses the page, by what is written on it. */
export class Visitor implements AsyncDisposable {
  readonly page: Page;
  /** What the page has said in the console, and what was thrown there. */
  readonly complaints: string[] = [];
  readonly #context: BrowserContext;

  constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      const complains = ["error", "warning"].includes(message.type()) && !REFUSED.test(message.text());
      if (complains) this.complaints.push(message.text());
    });
  }

  async logIn({ email, password }: { readonly email: string; readonly password: string }): Promise<void> {
    await this.page.getByLabel("Email").fill(email);
    await this.page.getByLabel("Password").fill(password);
    await this.press("Log in");
  }

  /** Writes a message, and sends it with Enter. */
  async say(message: string): Promise<void> {
    await this.field.fill(message);
    await this.field.press("Enter");
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole("button", { name: button, exact: true }).click();
  }

  /** Waits until it can be read somewhere on the page. */
  async reads(text: string | RegExp): Promise<void> {
    const shown = this.page.getByText(text).and(this.page.locator(":not(.aw-unseen, .aw-unseen *)"));
    await shown.filter({ visible: true }).first().waitFor();
  }

  /** Waits until the last answer says this. */
  async hears(text: string | RegExp): Promise<void> {
    await this.answers.last().filter({ hasText: text }).waitFor();
  }

  /** Waits until the connection is said to be so. */
  async sees(connection: string | RegExp): Promise<void> {
    await this.page.locator(".aw-pill").filter({ hasText: connection }).waitFor();
  }

  /** Waits until no answer is under way, and none waits. */
  async rests(): Promise<void> {
    await this.page.getByRole("button", { name: "Cancel" }).waitFor({ state: "hidden" });
  }

  /** Waits until the browser keeps the end of so many turns. A browser drops what it is about to keep when the page is left. */
  async keeps(turns: number): Promise<void> {
    await expect.poll(() => this.page.evaluate(KEPT_TURNS), { timeout: PATIENCE }).toBe(turns);
  }

  /** How often each message and each part was rendered so far, by its id. */
  async renders(): Promise<ReadonlyMap<string, number>> {
    return new Map(await this.page.evaluate<[string, number][]>("[...renderCounts]"));
  }

  /** What axe finds, in light and in dark. */
  async faults(): Promise<readonly string[]> {
    const found: string[] = [];
    if ((await this.page.evaluate("typeof axe")) === "undefined") await this.page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await this.page.emulateMedia({ colorScheme });
      const violations = await this.page.evaluate<Result[]>("axe.run().then(({ violations }) => violations)");
      for (const { id, nodes } of violations)
        found.push(...nodes.map(({ html }) => `${colorScheme}: ${id}: ${html}`));
    }
    return found;
  }

  get field(): Locator {
    return this.page.getByLabel("Your message");
  }

  get answers(): Locator {
    return this.page.getByRole("article", { name: "Answer" });
  }

  get request(): Locator {
    return this.page.locator(".aw-request");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}
