// Reads the frames of a relay's stream from bytes.
import { createParser } from "eventsource-parser";
import { parseJson } from "../core/text.ts";
import { isUniversalEvent } from "../universal/check/shape.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { type Position, type RelayState, readPosition, readState } from "./wire.ts";

/** Characters of one frame: twice an event of the largest size. Bounds the memory. */
const MAX_FRAME = 32 * 1_048_576;

/** A frame, with its data as text and as JSON. `value`: undefined if the text is no JSON. */
export type RelayFrame = { readonly text: string; readonly value: unknown } & (
  | { readonly type: "events"; readonly events: readonly UniversalEvent[]; readonly last: Position }
  | { readonly type: "state"; readonly state: RelayState }
  | { readonly type: "reset" | "gone" }
  /** Perhaps of a newer relay. */
  | { readonly type: "unknown" }
  /** The stream cannot be read past it. */
  | { readonly type: "unreadable"; readonly problem: string }
);

/** Reads frames from bytes in any pieces. A frame counts only when its empty line has arrived. */
export class FrameReader {
  readonly #decoder = new TextDecoder();
  #frames: RelayFrame[] = [];
  readonly #parser = createParser({
    maxBufferSize: MAX_FRAME,
    onEvent: ({ id, event, data }) => void this.#frames.push(frameOf(event, data, id)),
    onError: ({ type }) => {
      if (type !== "max-buffer-size-exceeded") return;
      this.#frames.push({ type: "unreadable", problem: "a frame is too long", text: "", value: undefined });
    },
  });

  /** The frames that these bytes complete. */
  read(bytes: Uint8Array): readonly RelayFrame[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}

function frameOf(event: string | undefined, text: string, id: string | undefined): RelayFrame {
  const value = parsed(text);
  const data = { text, value };
  switch (event) {
    case "events": {
      const last = readPosition(id);
      if (last && Array.isArray(value) && value.length > 0 && value.every(isUniversalEvent))
        return { type: event, events: value, last, ...data };
      const problem = `the events before position ${last?.at ?? "?"} have a wrong form`;
      return { type: "unreadable", problem, ...data };
    }
    case "state": {
      const state = readState(value);
      if (state) return { type: event, state, ...data };
      return { type: "unreadable", problem: "the state has a wrong form", ...data };
    }
    case "reset":
    case "gone":
      return { type: event, ...data };
    default:
      return { type: "unknown", ...data };
  }
}

function parsed(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return undefined;
  }
}
