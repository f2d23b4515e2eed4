// Adds up the tokens and costs of all turns.
import type { TurnEndMetadata, UniversalCost, UniversalUsage } from "../events.ts";

const SUMMED = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;
const LATEST = ["total_output_tokens", "context_tokens", "context_window"] as const;

/** The usage of all turns. */
export interface ChatTotals {
  readonly usage: UniversalUsage;
  /** One total per currency. */
  readonly cost: readonly UniversalCost[];
}

export function addTurn(
  totals: { -readonly [Name in keyof ChatTotals]: ChatTotals[Name] },
  { usage, cost }: TurnEndMetadata,
): void {
  if (usage) totals.usage = addUsage(totals.usage, usage);
  if (cost) totals.cost = addCost(totals.cost, cost);
}

function addUsage(total: UniversalUsage, turn: UniversalUsage): UniversalUsage {
  const sums: { -readonly [Name in keyof UniversalUsage]: UniversalUsage[Name] } = { ...total };
  for (const name of SUMMED) {
    const tokens = turn[name];
    if (tokens !== undefined) sums[name] = (total[name] ?? 0) + tokens;
  }
  for (const name of LATEST) {
    const tokens = turn[name];
    if (tokens !== undefined) sums[name] = tokens;
  }
  return sums;
}

function addCost(
  totals: readonly UniversalCost[],
  { total, currency }: UniversalCost,
): readonly UniversalCost[] {
  if (!totals.some((known) => known.currency === currency)) return [...totals, { total, currency }];
  return totals.map((known) =>
    known.currency === currency ? { total: known.total + total, currency } : known,
  );
}
