// Opens a WebSocket of the package `ws` on Node, and sends several frames in one write.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type WsSocket from "isomorphic-ws";
import type { MessageEventLike, MessageListener, OpenSocket, WebSocketLike } from "./web-socket.ts";

/** `ws` can send `headers` with the upgrade. */
export const sendsHeaders = true;

/** Loads `ws` at the first dial, so that importing a client stays cheap. */
export const openSocket: OpenSocket = async (url, init, limits) => {
  const { default: NodeWebSocket } = await import("isomorphic-ws");
  const socket = new NodeWebSocket(url, [...init.protocols], {
    headers: { ...init.headers },
    maxPayload: limits.maxReceiveBytes,
    // Chunks are small and frequent, so inflating them costs more than it saves.
    perMessageDeflate: false,
  });
  opened.add(socket);
  return socket;
};

/** The sockets that `openSocket` made. */
const opened = new WeakSet<WebSocketLike>();

/** Adds or removes a listener of messages. `ws` makes events only for listeners that ask for events. */
export function listen(socket: WebSocketLike, way: "on" | "off", listener: MessageListener): void {
  if (isOpened(socket)) socket[way]("message", listener as (data: unknown, isBinary: boolean) => void);
  else socket[way === "on" ? "addEventListener" : "removeEventListener"]("message", listener);
}

/** The data of a message: text, or bytes in one of several forms. */
export function dataOf(message: MessageEventLike, isBinary?: boolean): unknown {
  if (isBinary === undefined) return message.data;
  return isBinary ? message : String(message);
}

function isOpened(socket: WebSocketLike): socket is WsSocket {
  return opened.has(socket);
}

/** The stream of each socket. */
const streams = new WeakMap<WebSocketLike, Socket>();

/** Stores the stream of a new `ws` socket, ours or the caller's, at its event `upgrade`. */
export function noteStream(socket: WebSocketLike): void {
  if (!("once" in socket) || typeof socket.once !== "function") return;
  socket.once("upgrade", (response: IncomingMessage) => streams.set(socket, response.socket));
}

/** Sends all frames of `write` in one write. `ws` itself makes one write per frame. */
export function inOneWrite(socket: WebSocketLike, write: () => void): void {
  const stream = streams.get(socket);
  stream?.cork();
  try {
    write();
  } finally {
    stream?.uncork();
  }
}
