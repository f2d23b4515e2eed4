// Shortened lines for consecutive deltas of one item.
import { Recent } from "../../core/recent.ts";
import type { UniversalEvent } from "../events.ts";

// A delta event of 4 characters takes about 260. So a store writes the next deltas as `[mark, delta, ms, delta, ms,
// ...]`. Each pair is an event like the previous one, with a new `delta`, with `sequence` and `event_id` one higher,
// and with `time` `ms` later.

type DeltaEvent = Extract<UniversalEvent, { readonly type: "item.delta" }>;

/** Sessions whose deltas may continue. Few programs write to one file at once. */
const MAX_SESSIONS = 16;

/** The last time with a four-digit year. */
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** The delta event after another one. Undefined if its time is not valid. */
function followingDelta(before: DeltaEvent, delta: string, ms: number): DeltaEvent | undefined {
  const time = Date.parse(before.time) + ms;
  if (!(time >= 0 && time <= LAST_TIME)) return undefined;
  const sequence = before.sequence + 1;
  return {
    ...before,
    event_id: `evt_${sequence}`,
    sequence,
    time: new Date(time).toISOString(),
    data: { ...before.data, delta },
  };
}

/**
 * The first value of a delta line: at most five digits, from the session and the first delta's sequence. Two programs
 * may write to one file at once, and each line must find its session.
 */
export function markOf(sessionId: string, sequence: number): number {
  let hash = 0x811c_9dc5; // FNV-1a
  for (let at = 0; at < sessionId.length; at++)
    hash = Math.imul(hash ^ sessionId.charCodeAt(at), 0x0100_0193);
  return ((hash >>> 0) + sequence) % 100_000;
}

export class DeltaLines {
  /** The last event of each session, if it is a delta. Newest last. */
  readonly #last = new Recent<string, DeltaEvent>(MAX_SESSIONS);

  note(event: UniversalEvent): void {
    if (event.type === "item.delta") this.#last.set(event.session_id, event);
    else this.#last.delete(event.session_id);
  }

  /** Returns the events of a line, or its problem. */
  read([mark, ...values]: readonly unknown[]): readonly DeltaEvent[] | string {
    let before: DeltaEvent | undefined;
    for (const last of this.#last.values())
      if (markOf(last.session_id, last.sequence + 1) === mark) before = last;
    if (before === undefined) return "it goes on with a delta that is missing";
    const events: DeltaEvent[] = [];
    for (let at = 0; at < values.length; at += 2) {
      const [delta, ms] = values.slice(at, at + 2);
      if (typeof delta === "string" && Number.isSafeInteger(ms))
        before = followingDelta(before, delta, Number(ms));
      else before = undefined;
      if (before === undefined) return "it is no line of deltas";
      events.push(before);
    }
    return events;
  }
}

/**
 * The lines of events, each with a line feed. Consecutive deltas share a line. `JsonlReader` reads the events back.
 * @param json the JSON of each event
 * @param before the event of the file's last line, if these lines follow it
 */
export function compactLines(
  events: readonly UniversalEvent[],
  json: readonly string[],
  before: UniversalEvent | undefined,
): string {
  let text = "";
  /** A line of deltas, not yet closed. */
  let open = "";
  let last = before;
  for (const [at, event] of events.entries()) {
    const line = json[at] ?? "";
    const more = moreOf(last, event, line);
    if (more !== undefined) open = `${open || `[${markOf(event.session_id, event.sequence)}`},${more}`;
    else {
      text += `${closed(open)}${line}\n`;
      open = "";
    }
    last = event;
  }
  return text + closed(open);
}

function closed(line: string): string {
  return line && `${line}]\n`;
}

/** The part of a shared line for one delta. Undefined for an event that needs its own line. */
function moreOf(last: UniversalEvent | undefined, event: UniversalEvent, json: string): string | undefined {
  if (last?.type !== "item.delta" || event.type !== "item.delta") return undefined;
  const { delta } = event.data;
  const ms = Date.parse(event.time) - Date.parse(last.time);
  if (JSON.stringify(followingDelta(last, delta, ms)) !== json) return undefined;
  return `${JSON.stringify(delta)},${ms}`;
}
