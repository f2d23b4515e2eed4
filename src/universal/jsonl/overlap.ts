import type { UniversalEvent } from "../events.ts";

/** Finds events that were stored a second time: a writer that is not sure where it stopped begins a little earlier. */
export class Overlap {
  /** The last sequence of each session. */
  readonly #last = new Map<string, number>();

  /** Whether the event comes behind all earlier ones of its session. */
  isNew({ session_id, sequence }: UniversalEvent): boolean {
    if (sequence <= (this.#last.get(session_id) ?? 0)) return false;
    this.#last.set(session_id, sequence);
    return true;
  }
}
