import { checkFrame } from "./check-frame.ts";
import type { Settings } from "./profiles.ts";

/** A frame of the client: a string for a text frame, bytes for a binary one. */
export type InboundFrame = string | Uint8Array;

/** The size in UTF-8 bytes, or less where it cannot reach `limit`. */
export function byteLength(frame: InboundFrame, limit: number): number {
  if (typeof frame === "string" && frame.length * 3 > limit) return new TextEncoder().encode(frame).length;
  return frame.length;
}

/** A frame in a line of a report. */
export function describe(frame: InboundFrame): string {
  if (typeof frame !== "string") return `${frame.length} bytes`;
  return frame.length > 100 ? `${frame.slice(0, 100)}... (${frame.length} characters)` : frame;
}

export function isIdentify(frame: InboundFrame, settings: Settings): boolean {
  const verdict = checkFrame(frame, settings);
  return verdict.ok && verdict.message.type === "identify";
}

/** The ids of the prompts among some frames. */
export function promptIdsIn(frames: readonly InboundFrame[], settings: Settings): readonly string[] {
  return frames.flatMap((frame) => {
    const verdict = checkFrame(frame, settings);
    if (!verdict.ok || verdict.message.type !== "action") return [];
    const { data } = verdict.message;
    return data.type === "prompt" ? [data.promptId] : [];
  });
}
