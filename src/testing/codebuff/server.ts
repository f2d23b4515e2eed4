// How to extend this mock, most common first:
//
// 1. A new way to answer a prompt: a step. Add it to `Step` and `step` in script.ts, perform it in run.ts.
// 2. A new misbehaviour of the server: a switch. Add it to options.ts (the option with its TSDoc, the
//    setting, the profile's value), read it where the behaviour is: peer.ts for order and life cycle,
//    handlers.ts for what messages cause, frames.ts for how frames look, validate.ts for what is refused.
//    Give it a test by its name.
// 3. A new mistake of clients to notice: a kind in record.ts, and mistakes.ts if the message alone shows it.
// 4. A new profile: an entry in the table of options.ts.
// 5. A new message of the client: a model in validate.ts, and its case in handlers.ts.
// 6. Another transport: a `PeerLink` (link.ts) for `CodebuffBackend.accept()`. This file is the one for
//    Node and `ws`, and the only one that knows them.

import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type RawData, WebSocket, WebSocketServer, type Server as WsServer } from "ws";
import { CodebuffBackend } from "./backend.ts";
import { halfFrame } from "./half-frame.ts";
import type { PeerLink } from "./link.ts";
import type { MockCodebuffOptions } from "./options.ts";
import type { CodebuffPeer } from "./peer.ts";
import type { MockConnection, ReceivedPrompt, RecordedFrame, Violation } from "./record.ts";
import type { Answer } from "./script.ts";

/** One attempt to open a WebSocket, refused or not. */
export interface UpgradeAttempt {
  /** `clock.now()`, in ms. */
  readonly at: number;
  /** Path and query, as requested. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The HTTP status of the answer: 101, or why not. */
  readonly status: number;
}

const PATH = "/ws";

/**
 * A server that speaks the Codebuff WebSocket protocol as the published proxy does, faults included, on
 * `ws://127.0.0.1:PORT/ws`. It records what happens, notes what a client does wrong, and answers prompts
 * by script.
 *
 * @example
 * ```ts
 * await using server = await MockCodebuffServer.start({
 *   answer: (prompt) => ["Hello", step.delay(100), " again"],
 * });
 * const client = new CodebuffClient({ url: server.url });
 * ```
 */
export class MockCodebuffServer implements AsyncDisposable {
  /** Where to connect: `ws://127.0.0.1:PORT/ws`. */
  readonly url: string;
  readonly #backend: CodebuffBackend;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #peers: CodebuffPeer[] = [];
  readonly #upgrades: UpgradeAttempt[] = [];
  readonly #webSockets: WsServer<typeof ServerSocket, typeof IncomingMessage>;
  #refusal: number | undefined;
  #nextConnection = 0;
  #nextPrompt = 0;
  #stopped: Promise<void> | undefined;

  private constructor(options: MockCodebuffOptions, http: Server) {
    this.#backend = new CodebuffBackend(options);
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

  /** All connections in the order of their arrival, closed ones too. */
  get connections(): readonly MockConnection[] {
    return this.#backend.journal.connections;
  }

  /** Every text frame, both ways. */
  get frames(): readonly RecordedFrame[] {
    return this.#backend.journal.frames;
  }

  /** Every prompt whose turn has come. */
  get prompts(): readonly ReceivedPrompt[] {
    return this.#backend.journal.prompts;
  }

  /** Every mistake a client has made. */
  get violations(): readonly Violation[] {
    return this.#backend.journal.violations;
  }

  /** Every attempt to connect, refused ones too. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#upgrades;
  }

  /** How prompts are answered from now on; those that run are not touched. */
  get answer(): Answer {
    return this.#backend.answer;
  }

  set answer(answer: Answer) {
    this.#backend.answer = answer;
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. It is asked now, and
   * again whenever something happened: there is no polling. Rejects when `probe` throws, and when the
   * server stops first.
   */
  waitFor<T>(probe: (server: this) => T | undefined | false | null): Promise<T> {
    return this.#backend.journal.until(() => probe(this));
  }

  /** The first connection on the first call, the second on the second, whether it is there already or not. */
  nextConnection(): Promise<MockConnection> {
    const index = this.#nextConnection++;
    return this.waitFor(() => this.connections[index]);
  }

  /** The first prompt on the first call, the second on the second, whether it is there already or not. */
  nextPrompt(): Promise<ReceivedPrompt> {
    const index = this.#nextPrompt++;
    return this.waitFor(() => this.prompts[index]);
  }

  /** Answers all upgrades from now on with an HTTP status; `undefined` lets them in again. */
  refuseUpgrades(status: number | undefined): void {
    this.#refusal = status;
  }

  /** Cuts every connection: the clients see 1006. */
  dropAll(): void {
    for (const connection of this.connections) connection.drop();
  }

  /**
   * Closes every connection as a real server does that shuts down (1012, no reason), and forgets its
   * sessions. It goes on listening, as one that has started anew: see {@link refuseUpgrades}.
   */
  shutdown(): void {
    for (const connection of this.connections) if (connection.state !== "closed") connection.close(1012);
    this.#backend.sessions.clear();
  }

  /** Ends everything: running answers, timers, sockets, waits. Idempotent, and waits for no client. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const down = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.dropAll();
    for (const socket of this.#sockets) socket.destroy();
    await down;
    // `ws` reports some of these ends later only, when nobody may look any more.
    for (const peer of this.#peers) peer.ended(false);
    this.#backend.journal.end(new Error("The mock server has stopped, so this cannot happen any more"));
  }

  #upgrade(request: IncomingMessage, head: Buffer): void {
    const url = request.url ?? "/";
    const wrongPath = url.split("?", 1)[0] !== PATH;
    const refusal = this.#refusal ?? (wrongPath ? 403 : undefined);
    const at = this.#backend.clock.now();
    this.#upgrades.push({ at, url, headers: request.headers, status: refusal ?? 101 });
    this.#backend.journal.changed();
    if (refusal === undefined)
      this.#webSockets.handleUpgrade(request, request.socket, head, (socket) =>
        this.#connect(socket, request),
      );
    else
      request.socket.end(
        `HTTP/1.1 ${refusal} ${STATUS_CODES[refusal] ?? "Refused"}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
  }

  #connect(socket: ServerSocket, request: IncomingMessage): void {
    const peer = this.#backend.accept(linkTo(socket, request.socket));
    this.#peers.push(peer);
    socket.attach(peer, this.#backend.settings.closeReply);
    const protocols = request.headers["sec-websocket-protocol"];
    if (protocols !== undefined) peer.blame({ kind: "subprotocol-requested", detail: protocols });
  }
}

/** A WebSocket of the server whose client's Close goes to the peer first. */
class ServerSocket extends WebSocket {
  #onClose: ((code: number, reason: string) => boolean) | undefined;
  #saidClose = false;

  attach(peer: CodebuffPeer, closeReply: boolean): void {
    this.#onClose = (code, reason) => {
      peer.leave(code, reason);
      return closeReply;
    };
    this.on("message", (data, isBinary) => {
      peer.receive(isBinary ? bytesOf(data) : bytesOf(data).toString());
    });
    this.on("error", (error) => peer.blame({ kind: "malformed-frame", detail: error.message }));
    this.on("close", (code) => peer.ended(this.#saidClose && code !== 1006));
  }

  /** Closes from this side. */
  closeFirst(code: number, reason: string): void {
    this.#saidClose = true;
    super.close(code, reason);
  }

  /** `ws` calls this to answer a Close frame. */
  override close(code?: number, data?: string | Buffer): void {
    if (!this.#saidClose && this.#onClose && !this.#onClose(code ?? 1005, String(data ?? ""))) return;
    this.#saidClose = true;
    super.close(code, data);
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function linkTo(socket: ServerSocket, tcp: Socket): PeerLink {
  return {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.closeFirst(code, reason),
    // "Soon" is after the writes before it, so that frames sent just now still arrive.
    drop: () => tcp.destroySoon(),
    dropMidFrame(text) {
      tcp.write(halfFrame(text));
      tcp.destroySoon();
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}
