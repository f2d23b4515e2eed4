// Tokens, costs and times in words.

import type { TerminalWords } from "../../screens/words-terminal.ts";
import type { UniversalCost, UniversalUsage } from "../../universal/events.ts";
import { inLine } from "../rows/row.ts";

export function usageWords(
  { input_tokens, output_tokens, context_tokens }: UniversalUsage,
  words: TerminalWords,
): readonly string[] {
  return [
    ...(input_tokens === undefined ? [] : [words.usageIn(short(input_tokens))]),
    ...(output_tokens === undefined ? [] : [words.usageOut(short(output_tokens))]),
    ...(context_tokens === undefined ? [] : [words.usageContext(short(context_tokens))]),
  ];
}

/** Costs in words, such as `3 credits`; `1 credit`. */
export function moneyWords(costs: readonly UniversalCost[], words: TerminalWords): readonly string[] {
  return costs.map(({ total, currency }) => words.cost(amount(total), inLine(currency)));
}

/** `950`, `12.3k`, `1.2M`. */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** At most four decimals: a turn may cost less than a cent. */
function amount(total: number): string {
  return String(Math.round(total * 10_000) / 10_000);
}

/** `12 s`, `3 min 5 s`, `1 h 2 min`. */
export function timeWords(seconds: number, words: TerminalWords): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return words.seconds(whole);
  if (whole < 3_600) return words.minutes(Math.floor(whole / 60), whole % 60);
  return words.hours(Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60));
}
