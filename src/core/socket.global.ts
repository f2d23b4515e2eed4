import type { WebSocketInit, WebSocketLike } from "./socket.ts";

/** Whether `headers` can be sent with the upgrade: the platform's WebSocket cannot. */
export const sendsHeaders = false;

/** The platform's own WebSocket, read at dial, so that a test may replace it. */
export async function openSocket(url: string, init: WebSocketInit): Promise<WebSocketLike> {
  return new WebSocket(url, [...init.protocols]);
}
