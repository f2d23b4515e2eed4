import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type JSONRPCMessage,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { testServer } from "./test-server.ts";

export interface TestHttp extends AsyncDisposable {
  /** Of Streamable HTTP. */
  readonly url: string;
  /** Of the older transport. */
  readonly sse: string;
  /** Each request: its method, path with query, and headers. */
  readonly seen: readonly { readonly line: string; readonly headers: IncomingHttpHeaders }[];
  /** As a server that was started again: it knows no session. */
  forget(): void;
  /** Cuts all open connections. */
  cut(): void;
  /** Answers each request with this, instead of the server. */
  answer: ((response: ServerResponse) => void) | undefined;
}

/** The test server over HTTP, on loopback. */
export async function testHttp(): Promise<TestHttp> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const seen: TestHttp["seen"][number][] = [];
  const pipes = new Map<string, SsePipe>();
  const server = createServer((request, response) => void handle(request, response));
  const at: TestHttp = {
    url: "",
    sse: "",
    seen,
    forget: () => sessions.clear(),
    cut: () => server.closeAllConnections(),
    answer: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    seen.push({ line: `${method} ${url}`, headers });
    const body = await text(request);
    if (at.answer) return at.answer(response);
    if (url.startsWith("/sse")) return openPipe(response);
    const pipe = pipes.get(url);
    if (pipe) {
      response.writeHead(202).end();
      return pipe.onmessage?.(JSON.parse(body));
    }
    const known = sessions.get(String(headers["mcp-session-id"]));
    if (!known && !body.includes('"initialize"')) {
      response.writeHead(404).end("no such session");
      return;
    }
    const transport = known ?? (await newSession());
    const address = new URL(url, "http://test");
    const init = { method, headers: headers as Record<string, string> };
    const answer = await transport.handleRequest(
      new Request(address, method === "GET" || method === "DELETE" ? init : { ...init, body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body)
      Readable.fromWeb(answer.body as never)
        .on("error", () => {})
        .pipe(response);
    else response.end();
  }
  async function newSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await testServer().connect(transport);
    return transport;
  }
  async function openPipe(response: ServerResponse): Promise<void> {
    const path = `/pipe/${randomUUID()}`;
    const pipe = new SsePipe(response);
    pipes.set(path, pipe);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: endpoint\ndata: ${path}\n\n`);
    await testServer().connect(pipe);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(at, { url: `${origin}/mcp`, sse: `${origin}/sse` });
}

/** The server's side of the older transport. */
class SsePipe implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#response.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    this.#response.end();
  }
}
