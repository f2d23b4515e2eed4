import { inject } from "vitest";
import type { PeerLink } from "../../src/testing/server/link.ts";
import type { News, Order } from "./protocol.ts";

/** A port of the relay, as the page that has it sees it. */
export class PagePort {
  readonly number: number;
  readonly #relay: WebSocket;

  private constructor(number: number, relay: WebSocket) {
    this.number = number;
    this.#relay = relay;
  }

  /** Opens a free port of 127.0.0.1. */
  static open(): Promise<PagePort> {
    const relay = new WebSocket(inject("relay"));
    return new Promise((resolve, reject) => {
      relay.addEventListener("error", () => reject(new Error("The relay cannot be reached")));
      hear(relay, (news) => {
        if (news.news === "listening") resolve(new PagePort(news.port, relay));
      });
    });
  }

  /** Calls `listener` with everything that happens on the port from now on. */
  listen(listener: (news: News) => void): void {
    hear(this.#relay, listener);
  }

  order(order: Order): void {
    this.#relay.send(JSON.stringify(order));
  }

  /** Ends the port and its links; resolves when they are down. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#relay.addEventListener("close", () => resolve());
      this.order({ order: "stop" });
    });
  }

  /** The link that an upgrade led to. */
  linkOf(link: number): PeerLink {
    return {
      send: (text) => this.order({ order: "send", link, text }),
      sendBytes: (bytes) => this.order({ order: "send-bytes", link, bytes: [...bytes] }),
      close: (code, reason) => this.order({ order: "close", link, code, reason }),
      drop: () => this.order({ order: "drop", link }),
      dropMidFrame: (text) => this.order({ order: "drop-mid-frame", link, text }),
      pause: () => this.order({ order: "pause", link }),
      resume: () => this.order({ order: "resume", link }),
      wire: {
        write: (bytes) => this.order({ order: "write", link, bytes: [...bytes] }),
        drip: (pace) => this.order({ order: "drip", link, ...(pace ? { pace } : {}) }),
        linger: () => this.order({ order: "linger", link }),
      },
    };
  }
}

/** The relay tells in one message what happened at once. */
function hear(relay: WebSocket, listener: (news: News) => void): void {
  relay.addEventListener("message", ({ data }) => {
    const all: readonly News[] = JSON.parse(String(data));
    for (const news of all) listener(news);
  });
}
