import type { UniversalEvent } from "../../universal/events.ts";
import { cutOff } from "../../universal/transcript/cut-off.ts";
import { type List, listOf } from "../../universal/transcript/list.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { fold } from "../../universal/transcript/reduce.ts";
import type { Restored } from "../timeline.ts";

/** What a stored chat has shown. What was open when the log ended has failed. */
export function loadTranscript(events: Iterable<UniversalEvent>): Restored {
  const { messages, branches, usage, cost, plan, context } = fold(events);
  let hidden = branches;
  for (const branch of branches) {
    const [first] = branch;
    if (first) hidden = hidden.with(first.id, ended(branch));
  }
  return { messages: ended(messages), branches: hidden, usage, cost, plan, context };
}

/** The same list, if nothing of it was open. */
function ended(messages: List<ChatMessage>): List<ChatMessage> {
  const all = messages.map(cutOff);
  return all.every((message, at) => message === messages.at(at)) ? messages : listOf(all);
}
