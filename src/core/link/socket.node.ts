// Opens a WebSocket of the package `ws` on Node, and lets several frames leave in one write.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { OpenSocket, WebSocketLike } from "./web-socket.ts";

/** `ws` can send `headers` with the upgrade. */
export const sendsHeaders = true;

/** `ws` is loaded at the first dial, so that importing a client costs nothing. */
export const openSocket: OpenSocket = async (url, init, limits) => {
  const { default: NodeWebSocket } = await import("isomorphic-ws");
  return new NodeWebSocket(url, [...init.protocols], {
    headers: { ...init.headers },
    maxPayload: limits.maxReceiveBytes,
    // Chunks are small and frequent: inflating them costs more than the saved bytes are worth.
    perMessageDeflate: false,
  });
};

/** The streams below the sockets. */
const streams = new WeakMap<WebSocketLike, Socket>();

/** Remembers the stream of a new socket of `ws`, also of one that the caller made: its event `upgrade` shows the stream. */
export function noteStream(socket: WebSocketLike): void {
  if (!("once" in socket) || typeof socket.once !== "function") return;
  socket.once("upgrade", (response: IncomingMessage) => streams.set(socket, response.socket));
}

/** Calls `write`. The frames of `ws` then leave in one write; `ws` itself makes a write of each frame. */
export function inOneWrite(socket: WebSocketLike, write: () => void): void {
  const stream = streams.get(socket);
  stream?.cork();
  try {
    write();
  } finally {
    stream?.uncork();
  }
}
