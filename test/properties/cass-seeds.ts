import type { CassScenario } from "./support/cass/scenario.ts";

/**
 * Lives of a client that once went wrong, in the library or in a copy of it that was broken on purpose, by what is
 * promised; each is played again in every run. What a failing property prints as its counterexample goes here.
 */
export const CASS_SEEDS: Readonly<Record<string, CassScenario>> = {};
