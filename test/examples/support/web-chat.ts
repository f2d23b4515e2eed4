import { join } from "node:path";
import { type MockCassOptions, MockCassServer, type NewCassUser } from "agentwire/testing";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { expect } from "vitest";
import { buildPage, serveBuilt } from "../../../examples/web-chat/serve.ts";
import { findChromium } from "../../../scripts/support/chromium.ts";
import { type TempFolder, tempFolder } from "../../../scripts/support/temp-folder.ts";

/** What a browser says by itself of what a server refuses, such as a wrong password. It is no mistake of the page. */
const REFUSED = /^(Failed to load resource: the server responded with a status of|WebSocket connection to) /;

/** ms; less than a test has, so that a failure names what was waited for. */
const PATIENCE = 20_000;

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
    const executablePath = findChromium();
    const browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      // In containers and for root it cannot start; the pages are our own.
      args: ["--no-sandbox"],
    });
    return new Stage(browser, folder);
  }

  /** A place for what a dev server prepares. */
  get cacheDir(): string {
    return join(this.#folder.path, "cache");
  }

  /** Somebody in front of the page that is at `url`. */
  async visitor(url: string): Promise<Visitor> {
    const context = await this.#browser.newContext({ viewport: { width: 1180, height: 780 } });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const visitor = new Visitor(page);
    await page.clock.install();
    await page.goto(url);
    return visitor;
  }

  /** Plays a scene: one visitor, one mock server; neither the page nor the mock may have anything to complain of. */
  async play(options: MockCassOptions, scene: (cast: Cast) => Promise<void>): Promise<void> {
    await using server = await MockCassServer.start({ audio: "none", ...options, basePath: "/cass" });
    const user = server.addUser({ email: "guest@example.com", displayName: "Guest" });
    const site = await serveBuilt(join(this.#folder.path, "built"), { server: server.httpUrl, port: 0 });
    try {
      await using visitor = await this.visitor(site.url);
      await scene({ visitor, page: visitor.page, server, user });
      expect(visitor.complaints).toEqual([]);
    } finally {
      await site.close();
    }
    expect(server.violations).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** Who is in a scene. */
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

  constructor(page: Page) {
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
    await this.page.getByLabel("Your message").fill(message);
    await this.page.getByLabel("Your message").press("Enter");
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole("button", { name: button, exact: true }).click();
  }

  /** Waits until it can be read somewhere on the page. */
  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Waits until the last reply says this. */
  async hears(text: string | RegExp): Promise<void> {
    await this.replies.last().locator(".text").filter({ hasText: text }).waitFor();
  }

  /** Waits until the connection is said to be so. */
  async sees(connection: string | RegExp): Promise<void> {
    await this.page.locator("#pill").filter({ hasText: connection }).waitFor();
  }

  get replies(): Locator {
    return this.page.getByRole("article", { name: "Cass" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
