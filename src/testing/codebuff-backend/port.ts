// An HTTP port on 127.0.0.1.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { listenOn } from "../server/listen.ts";

export class HttpPort {
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  #stopped: Promise<void> | undefined;

  private constructor(http: Server) {
    this.#http = http;
    // Keep idle connections open: a client that reuses a connection while it closes would fail at random.
    http.keepAliveTimeout = 0;
    http.on("connection", (socket) => {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
  }

  /** Opens a port; 0 for any. @throws InvalidMockInput for an invalid port or a port in use */
  static async open(number: number, listener: RequestListener): Promise<HttpPort> {
    const http = createServer(listener);
    const port = new HttpPort(http);
    await listenOn(http, number);
    return port;
  }

  get number(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  stop(): Promise<void> {
    this.#stopped ??= new Promise((resolve) => {
      this.#http.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#stopped;
  }
}
