// A frame of the client: text or bytes.

/** A client's frame: a string for a text frame, bytes for a binary one. */
export type InboundFrame = string | Uint8Array;

/** Returns the size in UTF-8 bytes, or a smaller number if the size cannot reach `limit`. */
export function byteLength(frame: InboundFrame, limit: number): number {
  if (typeof frame === "string" && frame.length * 3 > limit) return new TextEncoder().encode(frame).length;
  return frame.length;
}

/** Describes a frame in one line of a report. */
export function describeFrame(frame: InboundFrame): string {
  if (typeof frame !== "string") return `${frame.length} bytes`;
  return frame.length > 100 ? `${frame.slice(0, 100)}... (${frame.length} characters)` : frame;
}
