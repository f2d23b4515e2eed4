import type { OpenSocket } from "./socket.ts";

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
