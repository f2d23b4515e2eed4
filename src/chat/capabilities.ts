// Compares the old and new capabilities of a client.
import type { Capabilities } from "../core/client/agent-client.ts";

/** Returns `before` if nothing has changed, because clients make a new object at each read. */
export function sameCapabilities(
  before: Capabilities | undefined,
  now: Capabilities | undefined,
): Capabilities | undefined {
  if (!before || !now) return now ?? before;
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.entries(now).every(([name, value]) => known.get(name) === value) ? before : now;
}
