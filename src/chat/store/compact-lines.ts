// The lines that a store writes for events: consecutive deltas share one.
import type { UniversalEvent } from "../../universal/events.ts";
import { followingDelta, markOf } from "../../universal/jsonl/delta-line.ts";

/**
 * The lines of events, each with a line feed: deltas that follow a delta share one. `JsonlReader` reads the same events from them.
 * @param json the JSON of each event
 * @param before the event of the last line in the file, if these lines go on behind it
 */
export function compactLines(
  events: readonly UniversalEvent[],
  json: readonly string[],
  before: UniversalEvent | undefined,
): string {
  let text = "";
  /** A line of deltas without its end. */
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

/** What a line of deltas needs of an event. `undefined` for one that differs from the delta before it in anything else: it has a line of its own. */
function moreOf(last: UniversalEvent | undefined, event: UniversalEvent, json: string): string | undefined {
  if (last?.type !== "item.delta" || event.type !== "item.delta") return undefined;
  const { delta } = event.data;
  const ms = Date.parse(event.time) - Date.parse(last.time);
  if (JSON.stringify(followingDelta(last, delta, ms)) !== json) return undefined;
  return `${JSON.stringify(delta)},${ms}`;
}
