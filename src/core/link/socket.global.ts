// Opens the platform's own WebSocket: in browsers, Bun, Deno and workers.
import type { DataListener, MessageEventLike, OpenSocket, WebSocketLike } from "./web-socket.ts";

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

/** Calls `listener` with the data of each message, until the returned function is called. */
export function listen(socket: WebSocketLike, listener: DataListener): () => void {
  const onMessage = ({ data }: MessageEventLike): void => listener(data);
  socket.addEventListener("message", onMessage);
  return () => socket.removeEventListener("message", onMessage);
}
