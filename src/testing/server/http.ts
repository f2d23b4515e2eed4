// Serves an HTTP handler on a port.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** Answers a request from any transport. */
type HttpHandler = (request: Request) => Promise<Response>;

/** Headers of the connection, or headers that the platform sets itself. */
const OF_THE_WIRE: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** Makes a Node request listener from a handler. */
export function listenWith(handle: HttpHandler): RequestListener {
  return (message, response) => {
    answer(message, response, handle).catch((error: unknown) => {
      // A client that left gets no reply. Other clients get the error.
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  };
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  handle: HttpHandler,
): Promise<void> {
  const reply = await handle(await requestOf(message));
  const body = new Uint8Array(await reply.arrayBuffer());
  if (response.destroyed) return;
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  response.end(body);
}

async function requestOf(message: IncomingMessage): Promise<Request> {
  const { method = "GET", url = "/" } = message;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers))
    if (value !== undefined && !OF_THE_WIRE.has(name)) headers.set(name, [value].flat().join(", "));
  const pieces: Uint8Array[] = [];
  for await (const piece of message) pieces.push(piece);
  const body = pieces.length > 0 ? Buffer.concat(pieces) : null;
  // Uses the host name from the client, so that a handler can distinguish several names of one port.
  return new Request(new URL(url, `http://${message.headers.host ?? "127.0.0.1"}`), {
    method,
    headers,
    body,
  });
}
