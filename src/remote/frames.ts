// Reads the frames of a relay's stream from bytes.
import { createParser } from "eventsource-parser";
import { parseJson } from "../core/text.ts";
import { isUniversalEvent } from "../universal/check/shape.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { type Position, type RelayState, readPosition, readState, relayLost } from "./wire.ts";

/** Characters of one frame: twice an event of the largest size. Bounds the memory. */
const MAX_FRAME = 32 * 1_048_576;

export type RelayFrame =
  /** `last`: the position of the last event. */
  | { readonly type: "events"; readonly events: readonly UniversalEvent[]; readonly last: Position }
  | { readonly type: "state"; readonly state: RelayState }
  | { readonly type: "reset" }
  | { readonly type: "gone" };

/** Reads frames from bytes in any pieces. A frame counts only when its empty line has arrived. */
export class FrameReader {
  readonly #decoder = new TextDecoder();
  #frames: RelayFrame[] = [];
  #problem: string | undefined;
  readonly #parser = createParser({
    maxBufferSize: MAX_FRAME,
    onEvent: ({ id, event, data }) => {
      if (this.#problem === undefined) this.#read(event, data, id);
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") this.#problem = "a frame is too long";
    },
  });

  /** The frames that these bytes complete. */
  read(bytes: Uint8Array): readonly RelayFrame[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  /** @throws ConnectionLostError if a frame could not be read. The frames before it are good. */
  check(): void {
    if (this.#problem !== undefined) throw relayLost(`the relay's stream cannot be read: ${this.#problem}`);
  }

  #read(event: string | undefined, data: string, id: string | undefined): void {
    switch (event) {
      case "events": {
        const events = parsed(data);
        const last = readPosition(id);
        if (last && Array.isArray(events) && events.length > 0 && events.every(isUniversalEvent))
          this.#frames.push({ type: "events", events, last });
        else this.#problem = `the events before position ${last?.at ?? "?"} have a wrong form`;
        return;
      }
      case "state": {
        const state = readState(parsed(data));
        if (state) this.#frames.push({ type: "state", state });
        else this.#problem = "the state has a wrong form";
        return;
      }
      case "reset":
      case "gone":
        this.#frames.push({ type: event });
        return;
      default: // a frame of a newer relay
    }
  }
}

function parsed(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return undefined;
  }
}
