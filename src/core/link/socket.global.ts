// Opens the platform's own WebSocket: in browsers, Bun, Deno and workers.
import type { MessageEventLike, MessageListener, OpenSocket, WebSocketLike } from "./web-socket.ts";

/** The platform's WebSocket cannot send `headers` with the upgrade. */
export const sendsHeaders = false;

/** Reads the global WebSocket at each dial, so that a test can replace it. */
export const openSocket: OpenSocket = async (url, init) => new WebSocket(url, [...init.protocols]);

/** Does nothing, because the platform does not expose the stream. */
export function noteStream(_socket: WebSocketLike): void {}

/** Only calls `write`, because the platform decides how many writes its frames become. */
export function inOneWrite(_socket: WebSocketLike, write: () => void): void {
  write();
}

/** Adds or removes a listener of messages. */
export function listen(socket: WebSocketLike, way: "on" | "off", listener: MessageListener): void {
  socket[way === "on" ? "addEventListener" : "removeEventListener"]("message", listener);
}

/** The data of a message: text, or bytes in one of several forms. */
export function dataOf({ data }: MessageEventLike, _isBinary?: boolean): unknown {
  return data;
}
