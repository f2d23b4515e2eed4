/** A browser has no environment. */
const ASKED = typeof process === "undefined" ? undefined : process.env["AGENTWIRE_RUNS"] || undefined;

/** Whether the wide tests run, with all of their runs. */
export const isWide = ASKED !== undefined;

/**
 * The share of its runs that a wide test makes: a quarter in `npm test`, all in `npm run full`, which sets AGENTWIRE_RUNS to 1. For a hunt,
 * AGENTWIRE_RUNS multiplies the runs further.
 */
const SHARE = ASKED === undefined ? 0.25 : Number(ASKED);
if (!(SHARE > 0)) throw new Error(`AGENTWIRE_RUNS is ${ASKED}: pass a number above 0`);

/** How many of `all` runs, calls or files a test takes. */
export const share = (all: number): number => Math.max(1, Math.ceil(all * SHARE));

/**
 * What a property is asserted with. Without AGENTWIRE_RUNS the runs are always the same ones, so that a change is judged and not luck;
 * with AGENTWIRE_RUNS they are others each time.
 */
export function runs(all: number): { readonly numRuns: number; readonly seed?: number } {
  return { numRuns: share(all), ...(isWide ? {} : { seed: 20_251_122 }) };
}

/** ms that a property may take: generous, since a busy machine is no failure. */
export const PATIENCE = isWide ? 3_600_000 : 60_000;
