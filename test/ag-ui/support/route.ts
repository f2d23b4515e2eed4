import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { HttpAgent } from "@ag-ui/client";
import { AG_UI_HEADERS, type AgUiAgent, encodeSse } from "agentwire/ag-ui";

/** A server with one route. */
export class Route implements AsyncDisposable {
  readonly server = createServer(async (request, response) => {
    const stop = new AbortController();
    response.on("close", () => stop.abort());
    const input = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const body = new Response(encodeSse(this.agent.run(input, { signal: stop.signal })), {
      headers: AG_UI_HEADERS,
    });
    response.writeHead(body.status, Object.fromEntries(body.headers));
    if (body.body) await pipeline(Readable.fromWeb(body.body as ReadableStream), response).catch(() => {});
  });
  readonly agent: AgUiAgent;

  constructor(agent: AgUiAgent) {
    this.agent = agent;
  }

  async client(): Promise<HttpAgent> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    const { port } = this.server.address() as AddressInfo;
    return new HttpAgent({ url: `http://127.0.0.1:${port}/agent`, threadId: "thread" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }
}
