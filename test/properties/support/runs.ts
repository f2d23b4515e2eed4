/** How many runs a hunt asks for; a browser has no environment. */
const ASKED = typeof process === "undefined" ? undefined : process.env["PROPERTY_RUNS"];

/**
 * What a property is asserted with: in CI `usual` runs and always the same ones, so that a change is judged and not
 * luck; with the environment variable PROPERTY_RUNS as many as it says, each time others, for a hunt.
 */
export function runs(usual: number): { readonly numRuns: number; readonly seed?: number } {
  const asked = Number(ASKED);
  if (Number.isInteger(asked) && asked > 0) return { numRuns: asked };
  return { numRuns: usual, seed: 20_251_122 };
}

/** ms that a property may take: generous, since a busy machine is no failure. */
export const PATIENCE = ASKED === undefined ? 60_000 : 3_600_000;
