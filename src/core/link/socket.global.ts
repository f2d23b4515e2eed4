import type { OpenSocket } from "./socket.ts";

/** The platform's WebSocket cannot send `headers` with the upgrade. */
export const sendsHeaders = false;

/** The platform's own WebSocket. Read at each dial, so a test may replace it. */
export const openSocket: OpenSocket = async (url, init) => new WebSocket(url, [...init.protocols]);
