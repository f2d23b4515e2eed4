// R19 in Chromium: what pages of other origins can do to a relay, with the cookies of its user.
import type { BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isSkipped } from "../docs/support/snippet-pages.ts";
import { openTab, Profile, pageCode, Site, type SiteOptions } from "./support/site.ts";

const COOKIES = ["none=1; SameSite=None; Secure", "lax=1; SameSite=Lax", "strict=1; SameSite=Strict"];

const COMMAND = '{"key":"k","type":"prompt","input":{"text":"foreign"}}';

const post = (type: string): string =>
  `method: "POST", headers: { "content-type": "${type}" }, body: command`;

const fetched = (path: string, init: string): string =>
  `fetch(relay + "${path}", { ${init} }).then(async (got) => got.type + " " + await got.text(), ({ name }) => name)`;

const form = (type: string): string => `new Promise((resolve) => {
    const cut = command.lastIndexOf("}");
    document.body.innerHTML = '<iframe name="sink"></iframe><form method="post" target="sink"><input name="a"></form>';
    const [form] = document.forms;
    Object.assign(form, { action: relay + "/commands", enctype: "${type}" });
    Object.assign(form.elements[0], { name: command.slice(0, cut) + ',"x":"', value: '"}' });
    document.querySelector("iframe").onload = () => resolve("nothing");
    form.submit();
  })`;

const element = (name: string, attribute: string, path: string): string => `new Promise((resolve) => {
    const element = document.createElement("${name}");
    element.onload = () => resolve("loaded");
    element.onerror = () => resolve("error");
    Object.assign(element, { ${attribute}: relay + "${path}", rel: "stylesheet" });
    document.body.append(element);
  })`;

/** What a page tries with \`relay\` and \`command\`, and what it learns. */
const ATTEMPTS: Readonly<Record<string, readonly [script: string, learned: string]>> = {
  "form as text/plain": [form("text/plain"), "nothing"],
  "form, urlencoded": [form("application/x-www-form-urlencoded"), "nothing"],
  "form, multipart": [form("multipart/form-data"), "nothing"],
  beacon: ['String(navigator.sendBeacon(relay + "/commands", command))', "true"],
  "post, with cookies": [
    fetched("/commands", `${post("application/json")}, credentials: "include"`),
    "TypeError",
  ],
  "post, without cookies": [fetched("/commands", post("application/json")), "TypeError"],
  "post as text/plain": [fetched("/commands", `${post("text/plain")}, credentials: "include"`), "TypeError"],
  "post, no-cors": [
    fetched("/commands", `${post("text/plain")}, credentials: "include", mode: "no-cors"`),
    "opaque ",
  ],
  delete: [fetched("", 'method: "DELETE", credentials: "include"'), "TypeError"],
  "read, with cookies": [fetched("/events?live=no", 'credentials: "include"'), "TypeError"],
  "read, without cookies": [fetched("/events?live=no", ""), "TypeError"],
  "read, no-cors": [fetched("/events", 'credentials: "include", mode: "no-cors"'), "opaque "],
  "head, no-cors": [fetched("", 'method: "HEAD", credentials: "include", mode: "no-cors"'), "opaque "],
  EventSource: [
    `new Promise((resolve) => {
      const source = new EventSource(relay + "/events", { withCredentials: true });
      for (const name of ["events", "state"]) source.addEventListener(name, ({ data }) => resolve(data));
      source.onopen = () => resolve("open");
      source.onerror = () => resolve("error");
    })`,
    "error",
  ],
  script: [element("script", "src", "/events?live=no"), "error"],
  "style sheet": [element("link", "href", "/snapshot"), "error"],
  image: [element("img", "src", "/events?live=no"), "error"],
};

describe.skipIf(isSkipped)("R19: in Chromium, a page of another origin", () => {
  let profile: Profile;
  let context: BrowserContext;
  let code: string;
  beforeAll(async () => {
    [profile, code] = await Promise.all([Profile.open(), pageCode()]);
    ({ context } = profile);
  });
  afterAll(() => profile?.close());
  afterEach(() => context.clearCookies());

  /** A relay whose user is known by cookies, signed in, with one turn in the chat. */
  async function signedIn(options: SiteOptions = {}): Promise<Site> {
    const hasCookie = (request: Request): boolean => /none=1/.test(request.headers.get("cookie") ?? "");
    const site = await Site.open({
      cookies: COOKIES,
      authorize: (request) => hasCookie(request) && { user: "user_1" },
      code,
      ...options,
    });
    const tab = await openTab(context, site.url());
    await tab.get('chat.send("Hello")');
    await tab.until("text.includes('You said') && !now.busy");
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
    await site.until(({ streams }) => streams === 0);
    site.seen.splice(0);
    return site;
  }

  async function blank(url: string): Promise<Page> {
    const { page } = await openTab(context, url);
    return page;
  }

  async function sandboxed(site: Site): Promise<Frame> {
    const page = await blank(site.url("/empty"));
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement("iframe");
      Object.assign(frame, { sandbox: "allow-scripts allow-forms", src: "/empty", onload: resolve });
      document.body.append(frame);
    })`);
    const [, frame] = page.frames();
    if (!frame) throw new Error("there is no frame");
    return frame;
  }

  interface Place {
    readonly open: (site: Site) => Promise<Pick<Page, "evaluate">>;
    /** What Chromium sends to the relay from there, if the page asks for it. */
    readonly cookie: string;
    readonly origins?: "*";
  }

  const PLACES: Readonly<Record<string, Place>> = {
    "of another site": {
      open: async () => blank((await Site.open()).url("/empty", "localhost")),
      cookie: "none=1",
    },
    "of another port, with all cookies": {
      open: async () => blank((await Site.open()).url("/empty")),
      cookie: "none=1; lax=1; strict=1",
    },
    "in a sandboxed frame, whose origin is null": { open: sandboxed, cookie: "none=1", origins: "*" },
    "of a `data:` address, whose origin is null": {
      open: () => blank("data:text/html,<title>data</title>"),
      cookie: "none=1",
      origins: "*",
    },
  };

  test.each(Object.entries(PLACES))("%s: makes no command, and learns nothing", async (_, place) => {
    const { open, cookie, origins } = place;
    const site = await signedIn(origins ? { origins } : {});
    const events = await site.rig.events();
    const page = await open(site);
    const learned: Record<string, string> = {};
    for (const [name, [script]] of Object.entries(ATTEMPTS)) {
      const before = site.seen.length;
      const known = { relay: `${site.url("/chats/c")}`, command: COMMAND };
      learned[name] = await page.evaluate<string>(
        `(({ relay, command }) => ${script})(${JSON.stringify(known)})`,
      );
      await site.until(({ seen }) => seen.length > before);
    }
    expect(learned).toEqual(
      Object.fromEntries(Object.entries(ATTEMPTS).map(([name, [, all]]) => [name, all])),
    );
    expect(site.seen.filter(({ status }) => status !== 403)).toEqual([]);
    const sent = new Set(site.seen.map(({ headers }) => headers.cookie));
    expect([...sent].toSorted()).toEqual([cookie, undefined]); // the attempts with cookies had them
    expect(site.rig.agent.prompts).toHaveLength(1);
    expect(await site.rig.events()).toEqual(events);
  });

  test("that has pointed its name at this machine is refused by `hosts`", async () => {
    const site = await signedIn({ authorize: () => ({ user: "user_1" }) });
    const page = await blank(site.url("/empty", "foreign.localhost"));
    const learned = await page.evaluate(
      `(({ relay, command }) => Promise.all([${fetched("/commands", post("application/json"))}, ${fetched("/events?live=no", "")}]))(${JSON.stringify({ relay: "/chats/c", command: COMMAND })})`,
    );
    expect(learned).toEqual(Array(2).fill(expect.stringMatching(/^basic \{"code":"origin"/)));
    expect(site.rig.agent.prompts).toHaveLength(1);
  });

  test("that is in `origins` uses the chat with cookies, by `remote` and by `EventSource`", async () => {
    const other = await Site.open({ code });
    const origin = other.url("", "localhost");
    const site = await signedIn({ origins: [origin], credentials: true });
    const relay = site.url("/chats");
    const tab = await openTab(
      context,
      `${origin}/?credentials=include&outbox=local&url=${encodeURIComponent(relay)}`,
    );
    await tab.until("now.messages.length === 2 && !now.loading");
    await tab.get('chat.send("Again")');
    expect(await tab.until("text.includes('You said: Again') && !now.busy")).toHaveLength(4);
    const heads = await tab.get<readonly string[]>(`new Promise((resolve) => {
      const source = new EventSource("${relay}/c/events", { withCredentials: true });
      source.addEventListener("state", ({ data }) => (source.close(), resolve(JSON.parse(data).head)));
    })`);
    expect(heads).toBe((await site.rig.events()).length);
    expect(site.rig.agent.prompts.map(({ text }) => text)).toEqual(["Hello", "Again"]);
    expect(tab.complaints).toEqual([]);
  });

  test("that is in `origins` without `credentials` uses the chat without cookies, and not with them", async () => {
    const other = await Site.open({ code });
    const origin = other.url("", "localhost");
    const site = await signedIn({ origins: [origin], authorize: () => ({ user: "user_1" }) });
    const address = `${origin}/?url=${encodeURIComponent(site.url("/chats"))}`;
    const tab = await openTab(context, address);
    await tab.until("now.messages.length === 2 && !now.loading");
    await tab.get('chat.send("Again")');
    await tab.until("text.includes('You said: Again') && !now.busy");
    expect(tab.complaints).toEqual([]);
    expect(site.seen.map(({ headers }) => headers.cookie)).toEqual(site.seen.map(() => undefined));
    const eager = await openTab(context, `${address}&credentials=include`);
    await eager.until("now.connection.attempt > 1");
    expect(await eager.get("lines()")).toEqual([]);
  });
});
