// Whether a log still has the event that a viewer has seen at a position.
import { eventMark } from "../../universal/event-mark.ts";
import { type EventLog, TrimmedError } from "../event-log.ts";

/** An event, as far as it must be known again. */
export interface KnownEvent {
  /** The epoch that appended it. */
  readonly epoch: number;
  readonly mark: string;
}

/**
 * The event at a position of a log. A log that lost its end may have another one there than before.
 * @param name the id of the log
 * @returns `missing`: the log ends before it. `unknown`: it is no longer kept, or the log is another one
 */
export async function eventAt(
  log: EventLog,
  chat: string,
  name: string,
  at: number,
): Promise<KnownEvent | "missing" | "unknown"> {
  try {
    const [batch] = await log.page(chat, at - 1, 1);
    const event = batch?.events[0];
    if (!batch || !event) return "missing";
    return batch.log === name ? { epoch: batch.epoch, mark: eventMark(event) } : "unknown";
  } catch (error) {
    if (error instanceof TrimmedError) return "unknown";
    throw error;
  }
}
