import type { SocketPeer } from "../../src/testing/server/link.ts";
import type { PortHost, UpgradeAttempt, UpgradeRefusal } from "../../src/testing/server/port.ts";
import { PagePort } from "./page-port.ts";
import type { News } from "./protocol.ts";

/**
 * Stands in a page for `src/testing/server/port.ts`: the mock servers are the same, and what they have on 127.0.0.1 is
 * in the relay. Between them and their clients are the same sockets and cables, so every fault works. They have the
 * platform's clock, also when the mock has another.
 */
export class LoopbackPort {
  readonly #port: PagePort;
  readonly #upgrades: UpgradeAttempt[] = [];
  readonly #peers = new Map<number, SocketPeer>();
  #host: PortHost | undefined;
  #refusal: UpgradeRefusal | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(port: PagePort) {
    this.#port = port;
    port.listen((news) => this.#hear(news));
  }

  /** The relay has any port that is free; no test of a page asks for a certain one. */
  static async open<Made>(number: number, make: (port: LoopbackPort) => Made): Promise<Made> {
    if (number !== 0) throw new Error("a page cannot choose the port of its mock server");
    return make(new LoopbackPort(await PagePort.open()));
  }

  get number(): number {
    return this.#port.number;
  }

  get upgrades(): readonly UpgradeAttempt[] {
    return this.#upgrades;
  }

  serve(host: PortHost): void {
    this.#host = host;
  }

  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#refusal = how;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#port.close();
    return this.#stopped;
  }

  #hear(news: News): void {
    const peer = "link" in news ? this.#peers.get(news.link) : undefined;
    switch (news.news) {
      case "upgrade":
        this.#upgrade(news.link, news.url, news.headers);
        break;
      case "opened":
        this.#open(news.link);
        break;
      case "text":
        peer?.receive(news.text);
        break;
      case "bytes":
        peer?.receive(Uint8Array.from(news.bytes));
        break;
      case "left":
        peer?.leave(news.code, news.reason);
        break;
      case "mistake":
        peer?.blame(news.mistake);
        break;
      case "ended":
        peer?.ended(news.wasClean);
        break;
      case "listening":
        break; // before this port was made
    }
  }

  #upgrade(link: number, url: string, headers: UpgradeAttempt["headers"]): void {
    const host = this.#host;
    if (!host) return;
    const refusal = this.#refusal ?? host.refusalOf(url);
    const status = typeof refusal === "number" ? refusal : refusal === "never-answered" ? 0 : 101;
    this.#upgrades.push({ at: host.clock.now(), url, headers, status });
    if (refusal === undefined) this.#port.order({ order: "admit", link });
    else this.#port.order({ order: "refuse", link, how: refusal });
    host.changed();
  }

  #open(link: number): void {
    const upgrade = this.#upgrades[link - 1];
    const peer = this.#host?.accept({ ...this.#port.linkOf(link), url: upgrade?.url });
    if (!peer) return;
    this.#peers.set(link, peer);
    const { repliesToClose, staysWhenMalformed } = peer;
    this.#port.order({ order: "manners", link, repliesToClose, staysWhenMalformed });
    const protocols = upgrade?.headers["sec-websocket-protocol"];
    if (protocols !== undefined) peer.blame({ kind: "subprotocol-requested", detail: String(protocols) });
  }
}
