import type { UniversalEvent } from "../universal/events.ts";
import { type List, replace } from "../universal/list.ts";
import { cutOff } from "./cut-off.ts";
import type { ChatMessage } from "./message.ts";
import { emptyMessages, reduceMessages } from "./messages.ts";
import { addTurn, type ChatTotals, NO_TOTALS } from "./totals.ts";

/** The messages of a stored chat. What was open when the log ended has failed. */
export function loadMessages(events: Iterable<UniversalEvent>): {
  readonly messages: List<ChatMessage>;
  readonly totals: ChatTotals;
} {
  let state = emptyMessages;
  let totals = NO_TOTALS;
  for (const event of events) {
    const next = reduceMessages(state, event);
    if (event.type === "turn.ended" && next !== state) totals = addTurn(totals, event.data.metadata);
    state = next;
  }
  let { messages } = state;
  for (const [at, message] of messages.toArray().entries()) messages = replace(messages, at, cutOff(message));
  return { messages, totals };
}
