// The small print of an answer, and of the whole chat.
import { inert } from "../../chat/print/inert.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { PageWords } from "../../screens/words-page.ts";
import type { UniversalCost, UniversalUsage } from "../../universal/events.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";

export function answerFacts({ usage = {}, cost, model }: ChatMessage, words: PageWords): readonly string[] {
  return [
    ...usageWords(usage, words),
    ...(cost ? [costWords(cost)] : []),
    ...(model === undefined ? [] : [inert(model, { keepNewlines: false })]),
  ];
}

/** The last prompt that was sent. Those that wait come behind it. */
export function lastPrompt(messages: ChatSnapshot["messages"]): ChatMessage | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.role === "user" && message.status === "sent") return message;
  }
  return undefined;
}

export function totalsOf(
  { usage, cost, context }: Pick<ChatSnapshot, "usage" | "cost" | "context">,
  words: PageWords,
): string {
  const { context_tokens: _, ...tokens } = usage;
  return [
    ...usageWords(context ? tokens : usage, words),
    ...cost.map(costWords),
    ...(context ? [contextWords(context, words)] : []),
  ].join(" · ");
}

function contextWords({ used, size }: NonNullable<ChatSnapshot["context"]>, words: PageWords): string {
  const percent = size ? Math.round((100 * used) / size) : undefined;
  return words.context(number(used), size === undefined ? undefined : number(size), percent);
}

function usageWords(usage: UniversalUsage, words: PageWords): readonly string[] {
  const { input_tokens: read, output_tokens: written, context_tokens: context } = usage;
  if (written !== undefined)
    return [words.tokens(read === undefined ? undefined : number(read), number(written))];
  return context === undefined ? [] : [words.context(number(context), undefined, undefined)];
}

function costWords({ total, currency }: UniversalCost): string {
  return `${number(total)} ${inert(currency, { keepNewlines: false })}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
