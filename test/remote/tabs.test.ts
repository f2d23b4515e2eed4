// When a page stops reading, by what a browser says. `tabs.pages.ts` asks Chromium itself.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Script } from "../universal/build.ts";
import { FakeRelay } from "./support/fake-relay.ts";
import { Viewer } from "./support/world.ts";

/** What a page has of its browser. */
class FakePage {
  readonly #window = new EventTarget();
  readonly #document = Object.assign(new EventTarget(), { visibilityState: "visible" });

  constructor(relay: FakeRelay) {
    vi.stubGlobal("document", this.#document);
    vi.stubGlobal("location", { href: new URL("/page", relay.url).href });
    vi.stubGlobal("addEventListener", this.#window.addEventListener.bind(this.#window));
    vi.stubGlobal("removeEventListener", this.#window.removeEventListener.bind(this.#window));
    onTestFinished(() => void vi.unstubAllGlobals());
  }

  /** The browser puts the page away, or takes it out again. */
  tell(event: "pagehide" | "pageshow"): void {
    this.#window.dispatchEvent(new Event(event));
  }

  show(state: "visible" | "hidden"): void {
    this.#document.visibilityState = state;
    this.#document.dispatchEvent(new Event("visibilitychange"));
  }
}

/** Other tabs begin to read, and all tabs have heard of it. */
async function othersRead(relay: FakeRelay, ...tabs: readonly string[]): Promise<void> {
  const name = `agentwire ${new URL(relay.url).origin}`;
  const [others, ear] = [new BroadcastChannel(name), new BroadcastChannel(name)];
  let heard = 0;
  const all = new Promise<void>((resolve) => {
    ear.onmessage = () => {
      if (++heard === tabs.length) resolve();
    };
  });
  for (const tab of tabs) others.postMessage(tab);
  await all;
  others.close();
  ear.close();
}

const event = () => new Script().session().events;

describe("a page", () => {
  test("that is hidden rests once four others read, and catches up when the user looks at it", async () => {
    await using relay = await FakeRelay.start();
    const page = new FakePage(relay);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    page.show("hidden");
    await othersRead(relay, "a", "b", "c", "c", "d");
    await viewer.until(({ connection }) => connection.status === "idle");
    await relay.until(() => relay.viewers === 0);
    relay.tell(...event());
    page.show("visible");
    await viewer.ready();
    await viewer.has(1);
  });

  test("goes on reading while the user looks at it, and counts anew behind each look", async () => {
    await using relay = await FakeRelay.start();
    const page = new FakePage(relay);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    await othersRead(relay, "a", "b", "c", "d");
    page.show("hidden");
    await othersRead(relay, "e", "f", "g");
    page.show("visible");
    page.show("hidden");
    await othersRead(relay, "h", "i", "j");
    relay.tell(...event());
    await viewer.has(1);
    expect(relay.streams).toHaveLength(1);
  });

  test("goes on reading over HTTP/2, which has many streams in one connection", async () => {
    await using relay = await FakeRelay.start();
    const page = new FakePage(relay);
    const entries = [{ name: "first-paint" }, { name: relay.url, nextHopProtocol: "h2" }];
    vi.spyOn(performance, "getEntries").mockReturnValue(entries as never);
    onTestFinished(() => void vi.restoreAllMocks());
    await using viewer = new Viewer(relay);
    await viewer.ready();
    page.show("hidden");
    await othersRead(relay, "a", "b", "c", "d");
    relay.tell(...event());
    await viewer.has(1);
    expect(relay.streams).toHaveLength(1);
  });

  test("that has reached another host by HTTP/2 rests all the same", async () => {
    await using relay = await FakeRelay.start();
    const page = new FakePage(relay);
    const entries = [{ name: "https://other.example/", nextHopProtocol: "h2" }];
    vi.spyOn(performance, "getEntries").mockReturnValue(entries as never);
    onTestFinished(() => void vi.restoreAllMocks());
    await using viewer = new Viewer(relay);
    await viewer.ready();
    page.show("hidden");
    await othersRead(relay, "a", "b", "c", "d");
    await viewer.until(({ connection }) => connection.status === "idle");
  });

  test("that the browser puts away stops reading, and reads again when the user goes back to it", async () => {
    await using relay = await FakeRelay.start();
    const page = new FakePage(relay);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    page.tell("pagehide");
    await relay.until(() => relay.viewers === 0);
    await viewer.until(({ connection }) => connection.status === "idle");
    relay.tell(...event());
    page.tell("pageshow");
    await viewer.ready();
    await viewer.has(1);
  });

  test("that is put away between two attempts makes no further attempt", async () => {
    await using relay = await FakeRelay.start();
    const page = new FakePage(relay);
    relay.nextStreams.push({ status: 503, headers: { "retry-after": "30" } });
    await using viewer = new Viewer(relay);
    await viewer.until(({ connection }) => connection.status === "reconnecting");
    page.tell("pagehide");
    await viewer.until(({ connection }) => connection.status === "idle");
    expect(relay.streams).toHaveLength(1);
  });
});
