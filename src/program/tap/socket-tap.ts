// A proxy for WebSockets that records: the bytes pass as they are, and are read on the way.
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { TrafficJournal } from "../journal.ts";
import { CUT, type RecordedConnection } from "../recording.ts";
import { FrameReader, type PassingFrame } from "./frame-reader.ts";

/** Bytes of the head of a response. */
const MAX_HEAD_BYTES = 65_536;
const END_OF_HEAD = "\r\n\r\n";

export class SocketTap {
  readonly server: Server;
  readonly #to: URL;
  readonly #journal: TrafficJournal;
  readonly #sockets = new Set<Duplex>();

  /** @param to `ws:` or `wss:` */
  constructor(to: URL, journal: TrafficJournal) {
    this.#to = to;
    this.#journal = journal;
    this.server = createServer((request, response) => this.#call(request, response));
    this.server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Cuts all connections. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    this.server.closeAllConnections();
    await closed;
  }

  get #isSecure(): boolean {
    return this.#to.protocol === "wss:";
  }

  get #address(): { readonly host: string; readonly port: number } {
    const { hostname, port } = this.#to;
    return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (this.#isSecure ? 443 : 80)) };
  }

  /** `/` stands for the path of `--to`. Other paths, and queries, pass as they are. */
  #pathOf(request: IncomingMessage): string {
    const { url = "/" } = request;
    return /^\/(?:\?|$)/.test(url) ? `${this.#to.pathname}${url.slice(1) || this.#to.search}` : url;
  }

  /** A call over HTTP passes, and is not recorded. */
  #call(request: IncomingMessage, response: ServerResponse): void {
    const { method = "GET" } = request;
    const path = this.#pathOf(request);
    const { host, port } = this.#address;
    const headers = { ...request.headers, host: this.#to.host };
    const send = this.#isSecure ? httpsRequest : httpRequest;
    const note = (status: number): void =>
      this.#journal.note({ ev: "http", method, path: withoutQuery(path), status });
    const onward = send({ host, port, path, method, headers }, (answer) => {
      note(answer.statusCode ?? 0);
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => {
      if (response.headersSent) response.destroy();
      else {
        note(502);
        response.writeHead(502).end();
      }
    });
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  }

  #upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const path = this.#pathOf(request);
    const { host, port } = this.#address;
    const server: Socket = this.#isSecure
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ALPNProtocols: ["http/1.1"] })
      : connect({ host, port, allowHalfOpen: true });
    const passing = new Passing(this.#journal, new URL(path, this.#to).href, request);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      if ("setNoDelay" in socket) (socket as Socket).setNoDelay(true);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    let isConnected = false;
    server.once(this.#isSecure ? "secureConnect" : "connect", () => {
      isConnected = true;
      server.write(requestHead(request, path, this.#to.host));
      server.write(head);
      client.pipe(server); // first on its way, then read
      server.pipe(client);
      passing.fromClient(head);
      client.on("data", (piece: Buffer) => passing.fromClient(piece));
      server.on("data", (piece: Buffer) => passing.fromServer(piece));
    });
    server.on("end", () => passing.leave("server"));
    client.on("end", () => passing.leave("client"));
    server.on("error", (error: NodeJS.ErrnoException) => {
      passing.leave("server");
      if (isConnected) cut(client);
      else {
        this.#journal.note({
          ev: "refused",
          path: withoutQuery(path),
          status: 502,
          reason: error.code ?? error.message,
        });
        client.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      }
    });
    client.on("error", () => {
      passing.leave("client");
      cut(server);
    });
    client.on("close", () => {
      passing.end("client");
      if (!isConnected) server.destroy();
    });
    server.on("close", () => passing.end("server"));
  }
}

/** As a broken link: a reset, where the system can. */
function cut(socket: Duplex): void {
  if ("resetAndDestroy" in socket) (socket as Socket).resetAndDestroy();
  else socket.destroy();
}

const withoutQuery = (path: string): string => path.replace(/\?.*/s, "");

/** The head of the client's request, for the other host. Compression is not asked for, so that frames can be read. */
function requestHead({ method, rawHeaders }: IncomingMessage, path: string, host: string): string {
  const lines = [`${method} ${path} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const low = name.toLowerCase();
    if (low !== "sec-websocket-extensions") lines.push(`${name}: ${low === "host" ? host : value}`);
  }
  return `${lines.join("\r\n")}${END_OF_HEAD}`;
}

/** What passes on one connection. */
class Passing {
  readonly #journal: TrafficJournal;
  readonly #url: string;
  readonly #request: IncomingMessage;
  readonly #client: FrameReader;
  readonly #server: FrameReader;
  #head: Buffer | undefined = Buffer.alloc(0);
  #recorded: RecordedConnection | undefined;
  #left: "client" | "server" | undefined;
  #close: { readonly code: number; readonly reason: string } | undefined;

  constructor(journal: TrafficJournal, url: string, request: IncomingMessage) {
    this.#journal = journal;
    this.#url = url;
    this.#request = request;
    this.#client = this.#reader("client");
    this.#server = this.#reader("server");
  }

  fromClient(piece: Buffer): void {
    this.#client.push(piece);
  }

  fromServer(piece: Buffer): void {
    if (!this.#head) {
      this.#server.push(piece);
      return;
    }
    const head = Buffer.concat([this.#head, piece]);
    const end = head.indexOf(END_OF_HEAD);
    this.#head = end < 0 && head.length < MAX_HEAD_BYTES ? head : undefined;
    if (this.#head) return;
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head.toString("latin1"))?.[1] ?? 0);
    if (status === 101) {
      this.#recorded = this.#journal.open(this.#url, this.#request.headers);
      this.#server.push(head.subarray(end + END_OF_HEAD.length));
    } else this.#journal.note({ ev: "refused", path: new URL(this.#url).pathname, status });
  }

  /** The first to leave is who ended the connection. */
  leave(who: "client" | "server"): void {
    this.#left ??= who;
  }

  end(who: "client" | "server"): void {
    this.leave(who);
    const { code, reason } = this.#close ?? { code: CUT, reason: "" };
    this.#recorded?.end(code, reason, this.#left ?? who);
    this.#recorded = undefined;
  }

  #reader(from: "client" | "server"): FrameReader {
    const tell = (frame: PassingFrame): void => {
      if (frame.type === "close") {
        this.leave(from);
        this.#close ??= frame;
      } else this.#recorded?.pass(from, frame.type === "text" ? frame.text : frame.bytes);
    };
    return new FrameReader(tell, (problem) => {
      if (this.#recorded)
        this.#journal.problem(`the rest of the ${from}'s frames is not recorded: ${problem}`);
    });
  }
}
