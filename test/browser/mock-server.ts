import type { MockCodebuffServer as NodeServer } from "agentwire/testing";
import { backendOf, MockCodebuff } from "../../src/testing/codebuff/mock.ts";
import type { MockCodebuffOptions } from "../../src/testing/codebuff/options.ts";
import type { CodebuffPeer } from "../../src/testing/codebuff/peer.ts";
import type { UpgradeAttempt, UpgradeRefusal } from "../../src/testing/server/port.ts";
import { PagePort } from "./page-port.ts";
import type { News } from "./protocol.ts";

const PATH = "/ws";

/**
 * `MockCodebuffServer` of `agentwire/testing` for tests that run in a browser: the same mock, whose port is in the
 * relay. Between it and its clients are the same sockets and cables, so every fault works. They have the platform's
 * clock, also when the mock has another.
 */
export class MockCodebuffServer extends MockCodebuff implements Omit<NodeServer, "waitFor"> {
  readonly url: string;
  readonly #port: PagePort;
  readonly #upgrades: UpgradeAttempt[] = [];
  readonly #peers = new Map<number, CodebuffPeer>();
  #refusal: UpgradeRefusal | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(options: MockCodebuffOptions, port: PagePort) {
    super(options);
    this.#port = port;
    this.url = `ws://127.0.0.1:${port.number}${PATH}`;
    port.listen((news) => this.#hear(news));
  }

  static async start(options: MockCodebuffOptions = {}): Promise<MockCodebuffServer> {
    return new MockCodebuffServer(options, await PagePort.open());
  }

  get upgrades(): readonly UpgradeAttempt[] {
    return this.#upgrades;
  }

  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#refusal = how;
  }

  override stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.dropAll();
    await this.#port.close();
    await super.stop();
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
        break; // before this server was made
    }
  }

  #upgrade(link: number, url: string, headers: UpgradeAttempt["headers"]): void {
    const { clock, journal, settings } = backendOf(this);
    const wrongPath = url.split("?", 1)[0] !== PATH;
    const refusal = this.#refusal ?? (wrongPath ? 403 : undefined);
    const status = typeof refusal === "number" ? refusal : refusal === "never-answered" ? 0 : 101;
    this.#upgrades.push({ at: clock.now(), url, headers, status });
    if (refusal === undefined) this.#port.order({ order: "admit", link, closeReply: settings.closeReply });
    else this.#port.order({ order: "refuse", link, how: refusal });
    journal.changed();
  }

  #open(link: number): void {
    const peer = backendOf(this).accept(this.#port.linkOf(link));
    this.#peers.set(link, peer);
    const protocols = this.#upgrades[link - 1]?.headers["sec-websocket-protocol"];
    if (protocols !== undefined) peer.blame({ kind: "subprotocol-requested", detail: String(protocols) });
  }
}
