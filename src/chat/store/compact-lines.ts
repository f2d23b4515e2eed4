// The lines that a store writes for events. Consecutive deltas share a line.
import type { UniversalEvent } from "../../universal/events.ts";
import { followingDelta, markOf } from "../../universal/jsonl/delta-line.ts";

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
