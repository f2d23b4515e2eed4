// A frame of the client: text or bytes.

/** A frame of the client: a string for a text frame, bytes for a binary one. */
export type InboundFrame = string | Uint8Array;

/** The size in UTF-8 bytes, or less where it cannot reach `limit`. */
export function byteLength(frame: InboundFrame, limit: number): number {
  if (typeof frame === "string" && frame.length * 3 > limit) return new TextEncoder().encode(frame).length;
  return frame.length;
}

/** A frame in a line of a report. */
export function describeFrame(frame: InboundFrame): string {
  if (typeof frame !== "string") return `${frame.length} bytes`;
  return frame.length > 100 ? `${frame.slice(0, 100)}... (${frame.length} characters)` : frame;
}
