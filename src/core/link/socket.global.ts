import type { OpenSocket } from "./socket.ts";

/** Whether `headers` can be sent with the upgrade: the platform's WebSocket cannot. */
export const sendsHeaders = false;

/** The platform's own WebSocket, read at dial, so that a test may replace it. */
export const openSocket: OpenSocket = async (url, init) => new WebSocket(url, [...init.protocols]);
