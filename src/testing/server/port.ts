// A port of 127.0.0.1 with WebSockets and HTTP, and refused upgrades.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer } from "ws";
import type { Clock } from "../../core/clock.ts";
import { Cable } from "./cable.ts";
import type { PeerLink, SocketPeer } from "./link.ts";
import { listenOn } from "./listen.ts";
import { linkOverCable, ServerSocket } from "./server-socket.ts";

/** One attempt to open a WebSocket, refused or not. */
export interface UpgradeAttempt {
  /** `clock.now()`, in ms. */
  readonly at: number;
  /** Path and query, as requested. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The HTTP status of the answer: 101, or why not; 0 when it got none. */
  readonly status: number;
}

/**
 * How an upgrade fails: with an HTTP status (200 as from a web page in the way), with no answer at all
 * (`never-answered`), or with a 101 that does not prove that a WebSocket server has read the request (`wrong-accept`).
 */
export type UpgradeRefusal = number | "never-answered" | "wrong-accept";

/** What a mock server has behind its port. */
export interface PortHost {
  /** The clock of {@link UpgradeAttempt.at}, and of bytes that drip. */
  readonly clock: Clock;
  /** What is wrong with an upgrade, if anything, when a test refuses none. */
  refusalOf(url: string): UpgradeRefusal | undefined;
  /** A WebSocket is open. */
  accept(link: PeerLink): SocketPeer;
  /** An attempt was noted. */
  changed(): void;
  /** A request that asks for no upgrade. @default 404 */
  readonly request?: RequestListener;
}

/** Sec-WebSocket-Accept for the key that the WebSocket standard has as its example, and that nobody else draws. */
const WRONG_ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/** A port of 127.0.0.1 with WebSockets, and whatever HTTP a mock wants beside them. */
export class LoopbackPort {
  /** Set by `serve()`, before anybody can know the port. */
  #host: PortHost | undefined;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upgrades: UpgradeAttempt[] = [];
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    WebSocket: ServerSocket,
    // Some real servers negotiate compression. Here it stays off: what is on the wire is then the frame itself, and
    // each send is written at once and in order.
    perMessageDeflate: false,
    // The peers have their own limits, with the real servers' manners.
    maxPayload: 0,
    handleProtocols: () => false,
  });
  #refusal: UpgradeRefusal | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(http: Server) {
    this.#http = http;
    http.on("request", (request, response) => {
      if (this.#host?.request) this.#host.request(request, response);
      else response.writeHead(404).end();
    });
    http.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
    http.on("upgrade", (request, _socket, head) => {
      if (this.#host) this.#upgrade(request, head, this.#host);
    });
  }

  /** Opens a port, 0 for any, for what `make` puts behind it; where that throws, it is closed again. */
  static async open<Made>(number: number, make: (port: LoopbackPort) => Made): Promise<Made> {
    const http = createServer();
    await listenOn(http, number);
    const port = new LoopbackPort(http);
    try {
      return make(port);
    } catch (error) {
      await port.stop();
      throw error;
    }
  }

  get number(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** Every attempt to connect, refused ones too. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#upgrades;
  }

  /** Puts a mock behind the port. */
  serve(host: PortHost): void {
    this.#host = host;
  }

  /** Lets all upgrades from now on fail; `undefined` lets them in again. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#refusal = how;
  }

  /** Ends the port and every socket on it. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= new Promise((resolve) => {
      this.#http.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#stopped;
  }

  #upgrade(request: IncomingMessage, head: Buffer, host: PortHost): void {
    const url = request.url ?? "/";
    const refusal = this.#refusal ?? host.refusalOf(url);
    const status = typeof refusal === "number" ? refusal : refusal === "never-answered" ? 0 : 101;
    this.#upgrades.push({ at: host.clock.now(), url, headers: request.headers, status });
    host.changed();
    if (refusal === undefined) this.#open(request, head, host);
    else refuse(request.socket, refusal);
  }

  #open(request: IncomingMessage, head: Buffer, host: PortHost): void {
    const cable = new Cable(request.socket, host.clock);
    this.#webSockets.handleUpgrade(request, cable, head, (socket) => {
      const peer = host.accept(linkOverCable(socket, cable, request.url ?? "/"));
      socket.attach(peer);
      const protocols = request.headers["sec-websocket-protocol"];
      if (protocols !== undefined) peer.blame({ kind: "subprotocol-requested", detail: protocols });
    });
  }
}

function refuse(tcp: Socket, how: UpgradeRefusal): void {
  if (typeof how === "number") {
    const status = `${how} ${STATUS_CODES[how] ?? "Refused"}`;
    tcp.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  if (how === "wrong-accept") {
    const accept = `Sec-WebSocket-Accept: ${WRONG_ACCEPT}`;
    tcp.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`,
    );
  }
  // It stays until the client has had enough.
  tcp.on("end", () => tcp.end());
  tcp.resume();
}
