// The same events each time that a capture is played.
import type { UniversalEvent } from "agentwire/universal";

/** Ids that clients make at random, such as those of turns. */
const RANDOM_ID = /\b([a-z]+)-[0-9a-f]{32}\b/g;

/** The events with a name in the place of each random id: `turn-1`, `turn-2`, by the order of their first use. */
export function steady(events: readonly UniversalEvent[]): readonly UniversalEvent[] {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const text = JSON.stringify(events).replace(RANDOM_ID, (id, prefix: string) => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    names.set(id, `${prefix}-${count}`);
    return `${prefix}-${count}`;
  });
  return JSON.parse(text);
}

/** The sessions of a client that has several conversations, each by itself. */
export function bySession(events: readonly UniversalEvent[]): readonly (readonly UniversalEvent[])[] {
  const sessions = new Set(events.map(({ session_id }) => session_id));
  return [...sessions].map((session) => events.filter(({ session_id }) => session_id === session));
}
