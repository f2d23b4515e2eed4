// Reads the frames of a relay's stream from bytes.
import { createParser } from "eventsource-parser";
import { jsonIn } from "../core/text.ts";
import { isUniversalEvent } from "../universal/check/shape.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { type Position, type RelayState, readPosition, readState } from "./wire.ts";

/** Characters of one frame: twice an event of the largest size. Bounds the memory. */
const MAX_FRAME = 32 * 1_048_576;

/** A frame, with its data as text and as JSON. `value`: undefined if the text is no JSON. `last`: the position of the last event. */
export type RelayFrame = {
  readonly text: string;
  readonly value: unknown;
} & (
  | { readonly type: "events"; readonly events: readonly UniversalEvent[]; readonly last: Position }
  | { readonly type: "state"; readonly state: RelayState }
  | { readonly type: "reset" | "gone" }
  /** A frame of a newer relay. */
  | { readonly type: "unknown" }
  /** A frame that cannot be read. Those before it are good. */
  | { readonly type: "damaged"; readonly problem: string }
);

/** Returns a reader of bytes in any pieces. A frame counts only when its empty line has arrived. */
export function frameReader(onFrame: (frame: RelayFrame) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_FRAME,
    onEvent: ({ id, event, data }) => onFrame(frameOf(event, data, id)),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        onFrame({ type: "damaged", problem: "a frame is too long", text: "", value: undefined });
    },
  });
  return (bytes) => parser.feed(decoder.decode(bytes, { stream: true }));
}

function frameOf(type: string | undefined, text: string, id: string | undefined): RelayFrame {
  const value = jsonIn(text);
  const data = { text, value };
  if (type === "reset" || type === "gone") return { type, ...data };
  if (type === "state") {
    const state = readState(value);
    if (state) return { type, state, ...data };
  } else if (type === "events") {
    const last = readPosition(id);
    if (last && Array.isArray(value) && value.length > 0 && value.every(isUniversalEvent))
      return { type, events: value, last, ...data };
  } else return { type: "unknown", ...data };
  return {
    type: "damaged",
    problem: `the frame \`${type}\` behind \`${id ?? "?"}\` has a wrong form`,
    ...data,
  };
}
