// The interface of a store, the store in memory, and checks for all stores.
import { describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { lineOf, Overlap } from "../../universal/jsonl/jsonl.ts";

/**
 * Stores chats. An implementation, for example over a database, must keep these promises:
 *
 * - Appends to one chat take effect in the order of the calls. A `load` includes all appends that were called before
 *   it.
 * - `load` returns only whole events. An event whose `sequence` is not above the last one of its session is returned
 *   once: after a failed append, the same events may be appended again.
 * - A failed call rejects, and later calls work. If none can work, it rejects with a `ChatStoreError` that is `fatal`.
 * - Two chats, also in two programs or tabs, may append to one id. The events of both are stored. `load` returns the
 *   events of each session in order, and may return one session after the other. A chat loads once, at its start, and
 *   does not show what the other chat adds.
 */
export interface ChatStore {
  /** The events of a chat, in order. Empty for an unknown chat. */
  load(id: string): Promise<readonly UniversalEvent[]>;
  /** Adds events at the end of a chat. Creates the chat if it does not exist. */
  append(id: string, events: readonly UniversalEvent[]): Promise<void>;
  /** The ids of all chats that have events, sorted. */
  list(): Promise<readonly string[]>;
}

/** A store in memory, lost at the end of the program. For tests, and pages that store nothing. */
export function memoryStore(): ChatStore {
  const chats = new Map<string, Kept>();
  return {
    async load(id) {
      checkId(id);
      return chats.get(id)?.events.slice() ?? [];
    },
    async append(id, events) {
      checkId(id);
      checkEvents(events);
      const chat = chats.get(id) ?? { events: [], overlap: new Overlap() };
      for (const event of events) if (chat.overlap.isNew(event)) chat.events.push(event);
      if (chat.events.length > 0) chats.set(id, chat);
    },
    async list() {
      return [...chats.keys()].sort();
    },
  };
}

interface Kept {
  readonly events: UniversalEvent[];
  readonly overlap: Overlap;
}

/** @throws InvalidInputError */
export function checkId(id: string): void {
  if (typeof id !== "string" || id === "")
    throw new InvalidInputError(`the id of the chat is ${describe(id)}.`, "Pass a string that is not empty.");
}

/** The JSON of each event. @throws InvalidInputError if the value is not a list of events */
export function checkEvents(events: readonly UniversalEvent[]): readonly string[] {
  if (!Array.isArray(events))
    throw new InvalidInputError(`the events are ${describe(events)}.`, "Pass an array of universal events.");
  return events.map(lineOf);
}
