// Tells a page when to stop reading, because the browser's connections are few and its other pages need them.
import { onWake } from "../core/link/backoff-wait.ts";
import { randomId } from "../core/random-id.ts";

/**
 * Over HTTP/1.1, a browser opens 6 connections to a host, for all of its tabs. With 6 streams, no tab could load or send
 * anything. Two connections are left for pages and commands.
 */
const MAX_STREAMS = 4;

interface Channel {
  onmessage: ((message: never) => void) | null;
  postMessage(id: string): void;
  close(): void;
}

/** What browsers have. */
interface Browser {
  readonly BroadcastChannel?: new (name: string) => Channel;
  readonly document?: { readonly visibilityState: string };
  readonly location?: { readonly href: string };
  readonly performance?: {
    getEntries?(): readonly { readonly name: string; readonly nextHopProtocol?: string }[];
  };
  readonly addEventListener?: (type: "pagehide" | "pageshow", listener: () => void) => void;
  readonly removeEventListener?: (type: "pagehide" | "pageshow", listener: () => void) => void;
}

const browser = globalThis as Browser;

/** The tabs of the browser that read from one relay. Does nothing outside of browsers. */
export class Tabs {
  /** Of the chat. */
  readonly #address: string;
  readonly #rest: () => void;
  readonly #id = randomId("tab");
  /** The streams that were opened or looked at since the user last looked at this page. */
  readonly #newer = new Set<unknown>();
  readonly #off: () => void;
  #channel: Channel | undefined;

  /**
   * @param address of the chat
   * @param look called when the user looks at the page, or the browser is online again
   * @param rest called when the page should stop reading until then
   */
  constructor(address: string, look: () => void, rest: () => void) {
    this.#address = address;
    this.#rest = rest;
    const offWake = onWake(look);
    browser.addEventListener?.("pagehide", rest); // the browser may keep the page, to go back to it
    browser.addEventListener?.("pageshow", look);
    this.#off = () => {
      offWake();
      browser.removeEventListener?.("pagehide", rest);
      browser.removeEventListener?.("pageshow", look);
    };
  }

  /** This page reads: it was opened, it sends, or the user looks at it. */
  read(): void {
    const { BroadcastChannel, document, location } = browser;
    if (!document || !location || !BroadcastChannel) return;
    const { origin } = new URL(this.#address, location.href);
    this.#newer.clear();
    this.#channel ??= new BroadcastChannel(`agentwire ${origin}`);
    this.#channel.onmessage = ({ data }: { readonly data: unknown }) => {
      if (document.visibilityState === "visible" || hasManyStreams(origin)) return;
      if (this.#newer.add(data).size >= MAX_STREAMS) this.#rest();
    };
    this.#channel.postMessage(this.#id);
  }

  /** This page has stopped reading. */
  stop(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  close(): void {
    this.stop();
    this.#off();
  }
}

/** Whether the browser has reached the host by HTTP/2 or HTTP/3, which have many streams in one connection. */
function hasManyStreams(origin: string): boolean {
  const entries = browser.performance?.getEntries?.() ?? [];
  return entries.some(
    ({ name, nextHopProtocol = "" }) => /^h[23]/.test(nextHopProtocol) && name.startsWith(`${origin}/`),
  );
}
