import type { UniversalOptions } from "agentwire/universal";

/** The moment at which every golden transcript begins. */
export const GOLDEN_TIME = Date.parse("2026-02-10T09:00:00.000Z");

/** Fixed ids and a clock that stands still: the same frames give the same events. */
export function goldenOptions(options: UniversalOptions = {}): UniversalOptions {
  let sessions = 0;
  return {
    newSessionId: () => `ses_${++sessions}`,
    clock: { wallTime: () => GOLDEN_TIME, setTimeout: () => () => {} },
    ...options,
  };
}
