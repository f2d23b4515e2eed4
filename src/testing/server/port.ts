// A port of 127.0.0.1 with WebSockets, HTTP and refused upgrades.
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

/** One attempt to open a WebSocket, accepted or refused. */
export interface UpgradeAttempt {
  /** `clock.now()`, in ms. */
  readonly at: number;
  /** The requested path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The HTTP status of the reply: 101, a refusal, or 0 without a reply. */
  readonly status: number;
}

/**
 * How an upgrade fails: an HTTP status (200 like a web page on the same port), no reply at all (`never-answered`), or a
 * 101 with a wrong `Sec-WebSocket-Accept` (`wrong-accept`).
 */
export type UpgradeRefusal = number | "never-answered" | "wrong-accept";

/** The mock behind a port. */
export interface PortHost {
  /** The clock of {@link UpgradeAttempt.at} and of slow bytes. */
  readonly clock: Clock;
  /** Returns why to refuse an upgrade, apart from a test's own refusal. */
  refusalOf(url: string): UpgradeRefusal | undefined;
  /** A WebSocket has opened. */
  accept(link: PeerLink): SocketPeer;
  /** An attempt was recorded. */
  changed(): void;
  /** Handles requests other than upgrades. @default 404 */
  readonly request?: RequestListener;
}

/** Sec-WebSocket-Accept for the example key of the WebSocket standard, which no client really uses. */
const WRONG_ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

export class LoopbackPort {
  /** Set by `serve()` before any client can know the port. */
  #host: PortHost | undefined;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upgrades: UpgradeAttempt[] = [];
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    WebSocket: ServerSocket,
    // Unlike some real servers, the mock does not compress. So the bytes are the frame itself, and each send is written
    // at once and in order.
    perMessageDeflate: false,
    // The peers enforce their own limits, like the real servers.
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

  /** Opens a port (0 for any) and calls `make`. If `make` throws, the port is closed. */
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

  /** Every attempt to connect, including refused ones. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#upgrades;
  }

  /** Puts a mock behind the port. */
  serve(host: PortHost): void {
    this.#host = host;
  }

  /** Refuses all later upgrades; `undefined` accepts them again. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#refusal = how;
  }

  /** Closes the port and all its sockets. Idempotent. */
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
  // Keep the connection open until the client ends it.
  tcp.on("end", () => tcp.end());
  tcp.resume();
}
