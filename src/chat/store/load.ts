import type { UniversalEvent } from "../../universal/events.ts";
import { cutOff } from "../../universal/transcript/cut-off.ts";
import { type List, replace } from "../../universal/transcript/list.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { fold } from "../../universal/transcript/reduce.ts";
import type { ChatTotals } from "../../universal/transcript/totals.ts";

/** The messages of a stored chat. What was open when the log ended has failed. */
export function loadMessages(events: Iterable<UniversalEvent>): {
  readonly messages: List<ChatMessage>;
  readonly totals: ChatTotals;
} {
  const { usage, cost, messages: told } = fold(events);
  let messages = told;
  for (const [at, message] of told.toArray().entries()) messages = replace(messages, at, cutOff(message));
  return { messages, totals: { usage, cost } };
}
