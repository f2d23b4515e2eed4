// The interface of a store, the store in memory, and checks for both.
import { describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import { lineOf, Overlap } from "../../universal/jsonl/jsonl.ts";

/**
 * Where chats are kept. An own store, such as one over a database, has these promises to keep:
 *
 * - Appends to one chat take effect in the order of their calls, and a `load` sees all appends that were called before it.
 * - `load` gives whole events only. An event whose `sequence` is not above the last one of its session is given once: who is not sure where
 *   an earlier append stopped appends some events a second time.
 * - A failed call rejects, and later calls work.
 * - Two chats may append to one id, also from two programs or tabs: the events of both are kept. `load` gives the events of each session in
 *   order; one session may come behind the other. A chat loads once, at its start, and does not show what the other chat adds.
 */
export interface ChatStore {
  /** The events of a chat, in order. Empty for a chat that is not known. */
  load(id: string): Promise<readonly UniversalEvent[]>;
  /** Adds events behind those of the chat. Makes the chat, if there is none. */
  append(id: string, events: readonly UniversalEvent[]): Promise<void>;
  /** The ids of all chats that have events, sorted. */
  list(): Promise<readonly string[]>;
}

/** A store that lasts as long as the program: for tests, and for pages that keep nothing. */
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

/**
 * The JSON of each event.
 * @throws InvalidInputError for what is no list of events.
 */
export function checkEvents(events: readonly UniversalEvent[]): readonly string[] {
  if (!Array.isArray(events))
    throw new InvalidInputError(`the events are ${describe(events)}.`, "Pass an array of universal events.");
  return events.map(lineOf);
}
