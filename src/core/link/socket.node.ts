import type { OpenSocket } from "./socket.ts";

/** Whether `headers` can be sent with the upgrade. */
export const sendsHeaders = true;

/** `ws` is loaded at the first dial, so that importing a client costs nothing. */
export const openSocket: OpenSocket = async (url, init, limits) => {
  const { default: NodeWebSocket } = await import("isomorphic-ws");
  return new NodeWebSocket(url, [...init.protocols], {
    headers: { ...init.headers },
    maxPayload: limits.maxReceiveBytes,
    // Chunks are small and many: inflating each costs more than the bytes it saves on the way.
    perMessageDeflate: false,
  });
};
