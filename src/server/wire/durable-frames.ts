// The frames and cursors of Durable Streams.
import type { Clock } from "../../core/clock.ts";
import { BEAT, RETRY } from "../view/frames.ts";
import type { Translate } from "../view/viewer.ts";
import { type WirePosition, writeOffset } from "./position.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The position and the JSON array of a frame of events. Undefined for other frames. */
export function readEventFrame(
  bytes: Uint8Array,
): { readonly last: number; readonly json: string } | undefined {
  const [, last, json] = /^id: [\w-]+\.(\d+)\nevent: events\ndata: (.*)\n/.exec(decoder.decode(bytes)) ?? [];
  return last === undefined || json === undefined ? undefined : { last: Number(last), json };
}

/** Events become `data` and `control`. The state becomes a `control`, if the last one was not up to date. */
export function durableFrames({ log, at }: WirePosition, streamCursor: string): Translate {
  let upToDate = false;
  return (bytes, head) => {
    if (bytes === BEAT || bytes === RETRY) return bytes;
    const frame = readEventFrame(bytes);
    if (!frame && upToDate) return undefined;
    at = frame?.last ?? at;
    upToDate = at >= head;
    const fields = { streamNextOffset: writeOffset(log, at), streamCursor };
    const control = `event: control\ndata:${JSON.stringify(upToDate ? { ...fields, upToDate } : fields)}\n\n`;
    return encoder.encode(frame ? `event: data\ndata:${frame.json}\n\n${control}` : control);
  };
}

/** In ms. The protocol numbers these intervals from this day on. */
const INTERVAL = 20_000;
const FIRST_INTERVAL = Date.UTC(2024, 9, 9);
/** An hour of intervals. */
const MAX_JITTER = 180;

/** The number of the current interval, or one above the client's: no cache gives the same answer again and again. */
export function nextCursor(sent: string | null, clock: Pick<Clock, "wallTime" | "random">): string {
  const now = Math.floor((clock.wallTime() - FIRST_INTERVAL) / INTERVAL);
  const last = /^\d{1,15}$/.test(sent ?? "") ? Number(sent) : -1;
  return String(last < now ? now : last + 1 + Math.floor(clock.random() * MAX_JITTER));
}
