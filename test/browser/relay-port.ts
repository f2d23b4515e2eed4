import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer } from "ws";
import { systemClock } from "../../src/core/clock.ts";
import { Cable } from "../../src/testing/server/cable.ts";
import type { InboundFrame } from "../../src/testing/server/inbound.ts";
import type { LinkMistake, PeerLink, SocketPeer } from "../../src/testing/server/link.ts";
import type { UpgradeRefusal } from "../../src/testing/server/port.ts";
import { linkOverCable, ServerSocket } from "../../src/testing/server/server-socket.ts";
import type { News, Order } from "./protocol.ts";

type Tell = (news: readonly News[]) => void;

interface Upgrade {
  readonly request: IncomingMessage;
  readonly head: Buffer;
}

/**
 * The port of one mock server in a page: `LoopbackPort` of `agentwire/testing` without the server. It decides
 * nothing; even whether an upgrade is let in, the page is asked.
 */
export class RelayPort {
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    WebSocket: ServerSocket,
    perMessageDeflate: false,
    maxPayload: 0,
    handleProtocols: () => false,
  });
  readonly #upgrades = new Map<number, Upgrade>();
  readonly #links = new Map<number, PeerLink>();
  readonly #peers = new Map<number, PeerInPage>();
  readonly #tell: Tell;
  #lastLink = 0;
  #news: News[] = [];
  #stopped: Promise<void> | undefined;

  private constructor(http: Server, tell: Tell) {
    this.#http = http;
    this.#tell = tell;
    http.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {}); // told by its end
    });
    http.on("upgrade", (request, _socket, head) => {
      const link = ++this.#lastLink;
      this.#upgrades.set(link, { request, head });
      this.#note({ news: "upgrade", link, url: request.url ?? "/", headers: request.headers });
    });
    this.#note({ news: "listening", port: (http.address() as AddressInfo).port });
  }

  static async open(tell: Tell): Promise<RelayPort> {
    const http = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject);
      http.listen(0, "127.0.0.1", resolve);
    });
    return new RelayPort(http, tell);
  }

  obey(order: Exclude<Order, { readonly order: "stop" }>): void {
    if (order.order === "admit") this.#admit(order.link);
    else if (order.order === "refuse") this.#refuse(order.link, order.how);
    else if (order.order === "manners") this.#peers.get(order.link)?.behave(order);
    else {
      const link = this.#links.get(order.link);
      if (link) steer(link, order);
    }
  }

  /** Ends everything. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= new Promise((resolve) => {
      this.#http.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#stopped;
  }

  #admit(id: number): void {
    const upgrade = this.#take(id);
    if (!upgrade) return;
    const cable = new Cable(upgrade.request.socket, systemClock);
    this.#webSockets.handleUpgrade(upgrade.request, cable, upgrade.head, (socket) => {
      const link = linkOverCable(socket, cable);
      this.#links.set(id, link);
      const peer = new PeerInPage(id, (news) => this.#note(news));
      this.#peers.set(id, peer);
      this.#note({ news: "opened", link: id });
      socket.attach(peer);
    });
  }

  #refuse(id: number, how: UpgradeRefusal): void {
    const upgrade = this.#take(id);
    if (upgrade) refuse(upgrade.request.socket, how);
  }

  /** An upgrade whose client is still there: it may have gone while the page was asked. */
  #take(id: number): Upgrade | undefined {
    const upgrade = this.#upgrades.get(id);
    this.#upgrades.delete(id);
    return upgrade?.request.socket.destroyed ? undefined : upgrade;
  }

  /** What came in one packet is told at once: a server may see that its client did not wait for an answer. */
  #note(news: News): void {
    if (this.#news.push(news) > 1) return;
    queueMicrotask(() => {
      const all = this.#news;
      this.#news = [];
      this.#tell(all);
    });
  }
}

/** Stands for a peer that is in the page: what its socket reports goes there. */
class PeerInPage implements SocketPeer {
  /** Until the page has said how its server behaves. */
  #manners: Pick<SocketPeer, "repliesToClose" | "staysWhenMalformed"> = {
    repliesToClose: true,
    staysWhenMalformed: false,
  };
  readonly #link: number;
  readonly #note: (news: News) => void;

  constructor(link: number, note: (news: News) => void) {
    this.#link = link;
    this.#note = note;
  }

  get repliesToClose(): boolean {
    return this.#manners.repliesToClose;
  }

  get staysWhenMalformed(): boolean {
    return this.#manners.staysWhenMalformed;
  }

  behave(manners: Pick<SocketPeer, "repliesToClose" | "staysWhenMalformed">): void {
    this.#manners = manners;
  }

  receive(frame: InboundFrame): void {
    const link = this.#link;
    if (typeof frame === "string") this.#note({ news: "text", link, text: frame });
    else this.#note({ news: "bytes", link, bytes: [...frame] });
  }

  leave(code: number, reason: string): void {
    this.#note({ news: "left", link: this.#link, code, reason });
  }

  blame(mistake: LinkMistake): void {
    this.#note({ news: "mistake", link: this.#link, mistake });
  }

  ended(wasClean: boolean): void {
    this.#note({ news: "ended", link: this.#link, wasClean });
  }
}

type Steering = Exclude<Order, { readonly order: "admit" | "manners" | "refuse" | "stop" }>;

function steer(link: PeerLink, order: Steering): void {
  switch (order.order) {
    case "send":
      link.send(order.text);
      break;
    case "send-bytes":
      link.sendBytes?.(Uint8Array.from(order.bytes));
      break;
    case "close":
      link.close(order.code, order.reason);
      break;
    case "drop":
      link.drop();
      break;
    case "drop-mid-frame":
      link.dropMidFrame(order.text);
      break;
    case "pause":
      link.pause?.();
      break;
    case "resume":
      link.resume?.();
      break;
    case "write":
      link.wire?.write(Uint8Array.from(order.bytes));
      break;
    case "drip":
      link.wire?.drip(order.pace);
      break;
    case "linger":
      link.wire?.linger();
      break;
  }
}

function refuse(tcp: Socket, how: UpgradeRefusal): void {
  if (typeof how === "number") {
    const status = `${how} ${STATUS_CODES[how] ?? "Refused"}`;
    tcp.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  if (how === "wrong-accept") {
    const accept = "Sec-WebSocket-Accept: wrong";
    tcp.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`,
    );
  }
  // It stays until the client has had enough.
  tcp.on("end", () => tcp.end());
  tcp.resume();
}
