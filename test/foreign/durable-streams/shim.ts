// A relay as the suite of Durable Streams wants a server: `PUT` makes a chat, `POST` appends to it, `DELETE` removes it.
// Reads are the relay's own answers. Their events become the values that were written; all else stays as it is.
import { createServer } from "node:http";
import { createRelay, type Lease, memoryLog } from "agentwire/server";
import { relayListener } from "agentwire/server/node";
import { MockAgent } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import { eventsFrom } from "../../../src/testing/event-log/log-test.ts";

interface Stream {
  readonly id: string;
  readonly type: string;
  readonly lease: Lease;
  head: number;
}

/** Values of a JSON stream, or the bytes of a write as a text with a character each. */
type Values = readonly unknown[];

export class DurableShim {
  readonly #log = memoryLog();
  readonly #streams = new Map<string, Stream>();
  readonly #relay = createRelay({
    source: () => new MockAgent(),
    log: this.#log,
    authorize: () => ({ user: "reader" }),
    drive: false,
    origins: ["https://example.com"], // the suite's page
    streamLife: 1_000, // the suite waits for long-polls without news
  });
  readonly #server = createServer(relayListener((request) => this.#answer(request)));

  /** Returns the URL. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("no port");
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    await this.#relay.close({ drain: 0 });
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#log.close();
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const id = url.pathname.slice(1);
    const stream = this.#streams.get(id);
    switch (request.method) {
      case "PUT":
        return this.#make(request, id);
      case "POST":
        return stream
          ? this.#write(stream, await valuesOf(request, stream.type))
          : new Response(null, { status: 404 });
      case "DELETE":
        await this.#log.remove(id);
        return new Response(null, { status: this.#streams.delete(id) ? 204 : 404 });
      default:
        return shown(await this.#read(request, id, url.search), stream);
    }
  }

  #read({ method, headers, signal }: Pick<Request, "method" | "headers" | "signal">, id: string, query = "") {
    const url = `http://localhost/chats/${encodeURIComponent(id)}/stream${query}`;
    return this.#relay.handler(new Request(url, { method, headers, signal }));
  }

  async #make(request: Request, id: string): Promise<Response> {
    const type = request.headers.get("content-type") ?? "application/octet-stream";
    const known = this.#streams.get(id);
    if (known) return new Response(null, { status: known.type === type ? 200 : 409 });
    const lease = await this.#log.acquire(id, "shim", 3_600_000);
    if (lease === null || lease === "orphan") throw new Error("the chat has a lease");
    const stream: Stream = { id, type, lease, head: 0 };
    this.#streams.set(id, stream);
    const { headers } = await this.#write(stream, await valuesOf(request, type));
    headers.set("Content-Type", type);
    headers.set("Location", request.url);
    return new Response(null, { status: 201, headers });
  }

  async #write(stream: Stream, values: Values): Promise<Response> {
    const first = stream.head + 1;
    stream.head += values.length;
    const events = eventsFrom(first, values.length).map(
      (event, at) => ({ ...event, data: { metadata: values[at] } }) as UniversalEvent,
    );
    if (events.length > 0) await this.#log.append(stream.id, stream.lease.epoch, first, events);
    const head = new Request("http://localhost", { method: "HEAD" });
    const offset = (await this.#read(head, stream.id)).headers.get("stream-next-offset") ?? "";
    return new Response(null, { status: 204, headers: { "Stream-Next-Offset": offset } });
  }
}

const isJson = (type: string): boolean => /^application\/json\b/i.test(type);

async function valuesOf(request: Request, type: string): Promise<Values> {
  const bytes = Buffer.from(await request.arrayBuffer());
  if (bytes.length === 0) return [];
  if (!isJson(type)) return [bytes.toString("latin1")];
  const value: unknown = JSON.parse(bytes.toString());
  return Array.isArray(value) ? value : [value];
}

/** The answer with what was written in place of the events. */
async function shown(answer: Response, stream: Stream | undefined): Promise<Response> {
  const { status, headers } = answer;
  const type = headers.get("content-type");
  if (!stream || status >= 300) return answer;
  if (type === "text/event-stream" && answer.body) {
    const decoder = new TextDecoder();
    // Each chunk is a frame.
    const chunks = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, out) =>
        out.enqueue(
          Buffer.from(
            decoder.decode(chunk).replace(/^data:(\[.*\])$/m, (_, json) => dataOf(String(json), stream)),
          ),
        ),
    });
    return new Response(answer.body.pipeThrough(chunks), { status, headers });
  }
  if (type === "application/json") headers.set("Content-Type", stream.type);
  const json = await answer.text();
  return new Response(json === "" ? null : written(json, stream), { status, headers });
}

function written(json: string, { type }: Stream): Buffer {
  const values = (JSON.parse(json) as { data: { metadata: unknown } }[]).map(({ data }) => data.metadata);
  return isJson(type) ? Buffer.from(JSON.stringify(values)) : Buffer.from(values.join(""), "latin1");
}

function dataOf(json: string, stream: Stream): string {
  const lines = written(json, stream)
    .toString()
    .split(/\r\n|\r|\n/);
  return lines.map((line) => `data:${line}`).join("\n");
}
