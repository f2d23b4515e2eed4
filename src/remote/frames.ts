// Reads the frames of a relay's stream from bytes.
import { createParser } from "eventsource-parser";
import { parseJson } from "../core/text.ts";
import { isUniversalEvent } from "../universal/check/shape.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { type Position, type RelayState, readPosition, readState } from "./wire.ts";

/** Characters of one frame: twice an event of the largest size. Bounds the memory. */
const MAX_FRAME = 32 * 1_048_576;

export type RelayFrame =
  /** `last`: the position of the last event. */
  | { readonly type: "events"; readonly events: readonly UniversalEvent[]; readonly last: Position }
  | { readonly type: "state"; readonly state: RelayState }
  | { readonly type: "reset" | "gone" }
  /** A frame that cannot be read. Those before it are good. */
  | { readonly type: "damaged"; readonly problem: string };

/** Returns a reader of bytes in any pieces. A frame counts only when its empty line has arrived. */
export function frameReader(onFrame: (frame: RelayFrame) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_FRAME,
    onEvent: ({ id, event, data }) => {
      const frame = frameOf(event, data, id);
      if (frame) onFrame(frame);
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") onFrame({ type: "damaged", problem: "a frame is too long" });
    },
  });
  return (bytes) => parser.feed(decoder.decode(bytes, { stream: true }));
}

/** Undefined for a frame of a newer relay. */
function frameOf(type: string | undefined, data: string, id: string | undefined): RelayFrame | undefined {
  if (type === "reset" || type === "gone") return { type };
  if (type !== "events" && type !== "state") return undefined;
  try {
    const value: unknown = parseJson(data);
    if (type === "state") {
      const state = readState(value);
      if (state) return { type, state };
    } else {
      const last = readPosition(id);
      if (last && Array.isArray(value) && value.length > 0 && value.every(isUniversalEvent))
        return { type, events: value, last };
    }
  } catch {
    // no JSON
  }
  return { type: "damaged", problem: `the frame \`${type}\` behind \`${id ?? "?"}\` has a wrong form` };
}
