import type { TurnEndMetadata, UniversalCost, UniversalUsage } from "../universal/events.ts";

/** The tokens and the cost of a whole chat. */
export interface ChatTotals {
  /** Sums of all turns; `context_tokens` and `total_output_tokens` are those of the last turn that reported them. */
  readonly usage: UniversalUsage;
  /** One total for each currency. */
  readonly cost: readonly UniversalCost[];
}

export const NO_TOTALS: ChatTotals = { usage: {}, cost: [] };

const SUMMED = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;
const LATEST = ["total_output_tokens", "context_tokens"] as const;

/** The totals with one more turn. The same object if the turn reports nothing. */
export function addTurn(totals: ChatTotals, { usage, cost }: TurnEndMetadata): ChatTotals {
  if (!usage && !cost) return totals;
  return {
    usage: usage ? addUsage(totals.usage, usage) : totals.usage,
    cost: cost ? addCost(totals.cost, cost) : totals.cost,
  };
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
