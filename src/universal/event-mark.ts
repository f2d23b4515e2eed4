// A short mark of an event, to find out whether two logs have the same event at a position.
import type { UniversalEvent } from "./events.ts";

/** The same for the same event, on each machine. Only letters and digits. */
export function eventMark({ session_id, sequence, type, time }: UniversalEvent): string {
  const text = `${session_id} ${sequence} ${type} ${time}`;
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
