// Runs a relay's handler on `node:http`.
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Relay } from "./relay.ts";
import { type Viewer, viewerOf } from "./view/viewer.ts";

/** What a `node:http` server takes. */
export type RelayListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A listener for `http.createServer`. The server chooses the address: without one, Node listens on all addresses of the
 * machine. Let it listen on 127.0.0.1, unless other machines must reach it:
 * `createServer(relayListener(relay.handler)).listen(8080, "127.0.0.1")`.
 * @throws InvalidInputError for anything but a function
 */
export function relayListener(handler: Relay["handler"]): RelayListener {
  if (typeof handler !== "function")
    throw new InvalidInputError(`the handler is ${describe(handler)}.`, "Pass `relay.handler`.");
  return (incoming, outgoing) => {
    serve(handler, incoming, outgoing).catch(() => outgoing.destroy()); // the socket has failed
  };
}

async function serve(
  handler: Relay["handler"],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const request = requestOf(incoming, gone.signal);
  if (!request) {
    outgoing.writeHead(400, { "Content-Length": 0, Connection: "close" }).end();
    return;
  }
  const response = await handler(request);
  const headers: Record<string, string> = {};
  response.headers.forEach((value, name) => {
    headers[name] = value;
  });
  // A refused body may still be on its way: its connection is of no further use.
  if (incoming.readableEnded === false && !incoming.complete) headers["connection"] = "close";
  outgoing.writeHead(response.status, headers);
  if (!response.body) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  const viewer = viewerOf(response.body);
  if (viewer) sendTo(viewer, outgoing);
  else await pipe(response.body, outgoing);
}

/** Undefined for a request without a usable host or path. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = "GET", url = "/", headers: given } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) headers.set(name, [value].flat().join(", "));
  try {
    const target = new URL(url, `http://${given.host ?? "localhost"}`);
    if (method === "GET" || method === "HEAD") return new Request(target, { method, headers, signal });
    return new Request(target, { method, headers, signal, body: bodyOf(incoming), duplex: "half" });
  } catch {
    return undefined;
  }
}

/** The body, read as fast as the handler takes it. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer> = incoming[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        incoming.resume(); // the rest is thrown away
      },
    },
    { highWaterMark: 0 },
  );
}

/** Sends a viewer's frames to the socket. A stream between them costs as much as the writes. */
function sendTo(viewer: Viewer, outgoing: ServerResponse): void {
  outgoing.on("drain", () => viewer.free());
  viewer.sendTo({
    isFree: () => !outgoing.destroyed && !outgoing.writableNeedDrain,
    send: (bytes) => void outgoing.write(bytes),
    end: () => void outgoing.end(),
    fail: () => void outgoing.destroy(),
  });
}

/** Writes as fast as the socket takes it. */
async function pipe(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {}); // it has failed: there is nothing to end
  outgoing.once("close", cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } catch {
    outgoing.destroy(); // the stream was cut: a clean end would say that it is complete
  } finally {
    outgoing.off("close", cancel);
  }
}

function drained(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    outgoing.on("close", done);
  });
}
