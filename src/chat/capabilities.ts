// Compares the capabilities of a client with those of before.
import type { Capabilities } from "../core/client/agent-client.ts";

/** The capabilities now: `before`, if they are the same. Clients make a new object at each read. */
export function sameCapabilities(
  before: Capabilities | undefined,
  now: Capabilities | undefined,
): Capabilities | undefined {
  if (!before || !now) return now ?? before;
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.entries(now).every(([name, value]) => known.get(name) === value) ? before : now;
}
