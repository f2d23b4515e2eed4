// Whether a log still has the event that a viewer has seen at a position.
import { eventMark } from "../../universal/event-mark.ts";
import { type EventLog, TrimmedError } from "../event-log.ts";

/**
 * The mark of the event at a position.
 * @returns `missing`: the log ends before it. `unknown`: it is no longer kept, or the log is another one
 */
export async function markAt(
  log: EventLog,
  chat: string,
  name: string | undefined,
  at: number,
): Promise<string> {
  try {
    const [batch] = await log.page(chat, at - 1, 1);
    const [event] = batch?.events ?? [];
    if (!batch || !event) return "missing";
    return batch.log === name ? eventMark(event) : "unknown";
  } catch (error) {
    if (error instanceof TrimmedError) return "unknown";
    throw error;
  }
}
