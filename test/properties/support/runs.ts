/**
 * How many runs a property gets: `usual` in CI, or as many as the environment variable PROPERTY_RUNS says, for a
 * longer hunt.
 */
export function runs(usual: number): number {
  const asked = Number(process.env["PROPERTY_RUNS"]);
  return Number.isInteger(asked) && asked > 0 ? asked : usual;
}

/** ms that a property may take: generous, since a busy machine is no failure. */
export const PATIENCE = process.env["PROPERTY_RUNS"] === undefined ? 60_000 : 3_600_000;

/** In CI always the same lives, so that a change is judged and not luck; a hunt with PROPERTY_RUNS draws new ones. */
export const SEED = process.env["PROPERTY_RUNS"] === undefined ? { seed: 20_251_122 } : {};
