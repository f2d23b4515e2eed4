// A port of 127.0.0.1 that speaks HTTP.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { listenOn } from "../server/listen.ts";

/** A port of 127.0.0.1 that speaks HTTP. */
export class HttpPort {
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  #stopped: Promise<void> | undefined;

  private constructor(http: Server) {
    this.#http = http;
    // An idle connection stays: a client that meets one at the moment of its end would fail by chance.
    http.keepAliveTimeout = 0;
    http.on("connection", (socket) => {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
  }

  /** Opens a port, 0 for any. @throws InvalidMockInput for a port that does not exist, or that is in use */
  static async open(number: number, listener: RequestListener): Promise<HttpPort> {
    const http = createServer(listener);
    const port = new HttpPort(http);
    await listenOn(http, number);
    return port;
  }

  get number(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** Ends the port and every socket on it. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= new Promise((resolve) => {
      this.#http.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#stopped;
  }
}
