// How to extend this mock, most common first:
//
// 1. A new way to answer a prompt: a step. Add it to `Step` and `step` in script.ts, perform it in reply.ts, or in
//    run.ts if it takes time. Messages of the original server are in action-steps.ts and request-steps.ts.
// 2. A new misbehaviour of the server: a switch. Add it to options.ts (the option with its TSDoc) and profiles.ts
//    (the setting, and what each real server does), read it where the behaviour is: peer.ts for order and life
//    cycle, handlers.ts for what messages cause, frames.ts for how frames look, validate.ts and codebuff-schema.ts
//    for what is refused. Give it a test by its name.
// 3. A new fault beneath the protocol: a method in faults.ts; cable.ts is where every byte passes.
// 4. A new mistake of clients to notice: a kind in record.ts, and mistakes.ts if the message alone shows it.
// 5. A new profile: a column of the table in profiles.ts.
// 6. A new message of the client: a model in validate.ts, a shape in codebuff-schema.ts, its data in
//    client-actions.ts, and its case in handlers.ts.
// 7. Another transport: a `PeerLink` (link.ts) for `CodebuffBackend.accept()`. This file, server-socket.ts and
//    cable.ts are the one for Node and `ws`, and the only ones that know them; accepted-socket.ts is the one for
//    sockets that others have made.

import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer, type Server as WsServer } from "ws";
import { Cable } from "./cable.ts";
import { backendOf, MockCodebuff } from "./mock.ts";
import type { MockCodebuffOptions } from "./options.ts";
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

const PATH = "/ws";

/** Sec-WebSocket-Accept for the key that the WebSocket standard has as its example, and that nobody else draws. */
const WRONG_ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/**
 * A server that speaks the Codebuff WebSocket protocol as one of the two real servers does, faults included, on
 * `ws://127.0.0.1:PORT/ws`. It records what happens, notes what a client does wrong, and answers prompts
 * by script.
 *
 * @example
 * ```ts
 * await using server = await MockCodebuffServer.start({
 *   answer: () => ["Hello", step.delay(100), " again"],
 * });
 * const client = new CodebuffClient({ url: server.url });
 * ```
 */
export class MockCodebuffServer extends MockCodebuff {
  /** Where to connect: `ws://127.0.0.1:PORT/ws`. */
  readonly url: string;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upgrades: UpgradeAttempt[] = [];
  readonly #webSockets: WsServer<typeof ServerSocket, typeof IncomingMessage>;
  #refusal: UpgradeRefusal | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(options: MockCodebuffOptions, http: Server) {
    super(options);
    this.#http = http;
    this.url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}${PATH}`;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      WebSocket: ServerSocket,
      // The real proxy negotiates compression. Here it stays off: what is on the wire is then the frame
      // itself, and each send is written at once and in order.
      perMessageDeflate: false,
      // The peer has its own limits, with the real server's texts.
      maxPayload: 0,
      handleProtocols: () => false,
    });
    http.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
    http.on("upgrade", (request, _socket, head) => this.#upgrade(request, head));
  }

  /** Starts a server on a free port of 127.0.0.1. */
  static async start(options: MockCodebuffOptions = {}): Promise<MockCodebuffServer> {
    const http = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject);
      http.listen(0, "127.0.0.1", resolve);
    });
    return new MockCodebuffServer(options, http);
  }

  /** Every attempt to connect, refused ones too. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#upgrades;
  }

  /** Lets all upgrades from now on fail; `undefined` lets them in again. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#refusal = how;
  }

  /** Ends everything: running answers, timers, sockets, waits. Idempotent, and waits for no client. */
  override stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const down = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.dropAll();
    for (const socket of this.#sockets) socket.destroy();
    await down;
    await super.stop();
  }

  #upgrade(request: IncomingMessage, head: Buffer): void {
    const { clock, journal } = backendOf(this);
    const url = request.url ?? "/";
    const wrongPath = url.split("?", 1)[0] !== PATH;
    const refusal = this.#refusal ?? (wrongPath ? 403 : undefined);
    const status = typeof refusal === "number" ? refusal : refusal === "never-answered" ? 0 : 101;
    this.#upgrades.push({ at: clock.now(), url, headers: request.headers, status });
    journal.changed();
    if (refusal === undefined) this.#open(request, head);
    else refuse(request.socket, refusal);
  }

  #open(request: IncomingMessage, head: Buffer): void {
    const backend = backendOf(this);
    const cable = new Cable(request.socket, backend.clock);
    this.#webSockets.handleUpgrade(request, cable, head, (socket) => {
      const peer = backend.accept(linkOverCable(socket, cable));
      socket.attach(peer, backend.settings.closeReply);
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
