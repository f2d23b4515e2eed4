// The frames of an event stream: server-sent events, encoded once for all viewers.
import type { UniversalEvent } from "../../universal/events.ts";
import type { RelayLimits } from "../limits.ts";
import { writePosition } from "../wire/position.ts";

/** Events as one frame. */
export interface EventFrame {
  /** The position of the first event. */
  readonly first: number;
  /** The position of the last event. */
  readonly last: number;
  readonly bytes: Uint8Array;
}

type FrameLimits = Pick<RelayLimits, "maxFrameEvents" | "maxFrameBytes">;

const encoder = new TextEncoder();

/** The frames of consecutive events, each within the limits, with one event at least. */
export function framesOf(
  log: string,
  first: number,
  events: readonly UniversalEvent[],
  { maxFrameEvents, maxFrameBytes }: FrameLimits,
): readonly EventFrame[] {
  const frames: EventFrame[] = [];
  let lines: string[] = [];
  let length = 0;
  let at = first;
  const cut = (): void => {
    if (lines.length === 0) return;
    const last = at - 1;
    const id = writePosition(log, last);
    const bytes = encoder.encode(`id: ${id}\nevent: events\ndata: [${lines.join(",")}]\n\n`);
    frames.push({ first: at - lines.length, last, bytes });
    lines = [];
    length = 0;
  };
  for (const event of events) {
    const line = JSON.stringify(event);
    if (lines.length >= maxFrameEvents || length + line.length > maxFrameBytes) cut();
    lines.push(line);
    length += line.length + 1;
    at++;
  }
  cut();
  return frames;
}

export function stateFrame(state: object): Uint8Array {
  return encoder.encode(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
}

/** `id` without a value: an `EventSource` then comes back without a position. */
export function resetFrame(reason: string): Uint8Array {
  return encoder.encode(`id\nevent: reset\ndata: ${JSON.stringify({ reason })}\n\n`);
}

export const GONE_FRAME = encoder.encode("event: gone\ndata: {}\n\n");

export const BEAT = encoder.encode(": beat\n\n");

/** The first frame: the ms after which an `EventSource` comes back. */
export const RETRY = encoder.encode("retry: 1000\n\n");
