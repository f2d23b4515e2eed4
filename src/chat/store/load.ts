// Loads a chat from its store, with its queue and branches.
import type { UniversalEvent } from "../../universal/events.ts";
import { cutOff } from "../../universal/transcript/cut-off.ts";
import { type List, listOf } from "../../universal/transcript/list.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { fold } from "../../universal/transcript/reduce.ts";
import type { ErrorDescription } from "../../universal/words/error-description.ts";
import type { Restored } from "../timeline.ts";
import type { ChatStore } from "./store.ts";
import { storeError } from "./store-writer.ts";
import { queueIn } from "./stored-queue.ts";

interface Stored {
  readonly store: ChatStore;
  readonly id: string;
}

/** A chat loaded from a store. */
export interface LoadedChat {
  readonly restored: Restored;
  /** The prompts that were being sent when the stored events ended. */
  readonly started: readonly ChatMessage[];
  /** The prompts that were queued. */
  readonly waiting: readonly ChatMessage[];
}

/** @throws ChatStoreError if the store fails */
export async function loadChat(stored: Stored): Promise<LoadedChat> {
  try {
    const events = await stored.store.load(stored.id);
    const { waiting, started } = queueIn(events);
    return {
      restored: loadTranscript(events),
      started: started.map((message) => ({ ...message, status: "failed", error: BEING_SENT })),
      waiting,
    };
  } catch (error) {
    throw storeError(error, "load", stored.id);
  }
}

/** The session that has claimed a prompt, if any. @throws ChatStoreError if the store fails */
export async function senderOf({ store, id }: Stored, promptId: string): Promise<string | undefined> {
  try {
    return queueIn(await store.load(id)).senders.get(promptId);
  } catch (error) {
    throw storeError(error, "load", id);
  }
}

const BEING_SENT: ErrorDescription = {
  title: "Cut off",
  detail: "The chat ended while this message was being sent. The agent may have received it.",
  retry: "ask",
  code: "closed",
};

/** The messages of a stored chat. Messages that were open when the events ended have failed. */
export function loadTranscript(events: Iterable<UniversalEvent>): Restored {
  const { messages, branches, usage, cost, plan, context } = fold(events);
  let hidden = branches;
  for (const branch of branches) {
    const [first] = branch;
    if (first) hidden = hidden.with(first.id, ended(branch));
  }
  return { messages: ended(messages), branches: hidden, usage, cost, plan, context };
}

/** Returns the same list if no message was open. */
function ended(messages: List<ChatMessage>): List<ChatMessage> {
  const before = messages.toArray();
  const after = before.map(cutOff);
  return after.every((message, at) => message === before[at]) ? messages : listOf(after);
}
