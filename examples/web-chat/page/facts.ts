import { type ChatMessage, type ChatSnapshot, inert } from "agentwire/chat";
import type { UniversalCost, UniversalUsage } from "agentwire/universal";
import { memoriesOf } from "./cass/memories.ts";

/** The small print of an answer. */
export function factsOf(message: ChatMessage): readonly string[] {
  const { usage = {}, cost, model } = message;
  const memories = memoriesOf(message);
  return [
    ...(memories === undefined ? [] : [`${memories} memories`]),
    ...usageWords(usage),
    ...(cost ? [costWords(cost)] : []),
    ...(model === undefined ? [] : [inert(model, { keepNewlines: false })]),
  ];
}

/** The small print of the whole chat. */
export function totalsOf({ usage, cost }: Pick<ChatSnapshot, "usage" | "cost">): string {
  return [...usageWords(usage), ...cost.map(costWords)].join(" · ");
}

function usageWords(usage: UniversalUsage): readonly string[] {
  const { input_tokens: read, output_tokens: written, context_tokens: context } = usage;
  if (read !== undefined && written !== undefined)
    return [`${number(read)} tokens read, ${number(written)} written`];
  if (written !== undefined) return [`${number(written)} tokens written`];
  return context === undefined ? [] : [`${number(context)} tokens of context`];
}

function costWords({ total, currency }: UniversalCost): string {
  return `${number(total)} ${inert(currency, { keepNewlines: false })}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
