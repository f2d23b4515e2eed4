// Opens the platform's own WebSocket: in browsers, Bun, Deno and workers.
import type { OpenSocket, WebSocketLike } from "./web-socket.ts";

/** The platform's WebSocket cannot send `headers` with the upgrade. */
export const sendsHeaders = false;

/** The platform's own WebSocket. Read at each dial, so a test may replace it. */
export const openSocket: OpenSocket = async (url, init) => new WebSocket(url, [...init.protocols]);

/** The platform shows no stream. */
export function noteStream(_socket: WebSocketLike): void {}

/** Calls `write`. The platform alone decides how many writes its frames become. */
export function inOneWrite(_socket: WebSocketLike, write: () => void): void {
  write();
}
