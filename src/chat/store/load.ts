// Reads a chat from the events of a store: its messages, and its queue.
import { isObject } from "../../core/checks.ts";
import type { ContentPart, UniversalEvent } from "../../universal/events.ts";
import { cutOff } from "../../universal/transcript/cut-off.ts";
import { type List, listOf } from "../../universal/transcript/list.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { CHAT_PROTOCOL, fold } from "../../universal/transcript/reduce.ts";
import type { ErrorDescription } from "../../universal/words/error-description.ts";
import { messageOf, readPrompt } from "../prompt.ts";
import type { Restored } from "../timeline.ts";

/** A chat loaded from a store. */
export interface LoadedChat {
  readonly restored: Restored;
  /** The prompts that were being sent when the stored events ended. They may have been sent. */
  readonly started: readonly ChatMessage[];
  /** The prompts that were queued. */
  readonly waiting: readonly ChatMessage[];
}

export function loadedChat(events: readonly UniversalEvent[]): LoadedChat {
  const { waiting, started } = queueIn(events);
  return {
    restored: loadTranscript(events),
    started: [...started.values()].map((message) => ({ ...message, status: "failed", error: BEING_SENT })),
    waiting: [...waiting.values()],
  };
}

const BEING_SENT: ErrorDescription = {
  title: "Cut off",
  detail: "The chat ended while this message was being sent. The agent may have received it.",
  retry: "ask",
  code: "closed",
};

/** The session of the chat that sends a prompt, if any: the first chat that claimed it. */
export function senderIn(events: readonly UniversalEvent[], promptId: string): string | undefined {
  return queueIn(events).senders.get(promptId);
}

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

/** Reads the queue from the events of a store. A prompt that any turn shows is no longer queued. */
function queueIn(events: Iterable<UniversalEvent>): Queue {
  const chats = new Set<string>();
  /** The prompts of the running turns, by session. */
  const turns = new Map<string, string | undefined>();
  const shown = new Set<string>();
  const queue = new Queue();
  for (const { session_id, type, data } of events) {
    if (type === "session.started" && protocolIn(data.metadata) === CHAT_PROTOCOL) chats.add(session_id);
    if (type === "turn.started") turns.set(session_id, data.metadata?.prompt_id);
    const prompt = type === "item.started" && data.item.role === "user" ? turns.get(session_id) : undefined;
    if (prompt !== undefined) shown.add(prompt);
    // Only chats may change the queue, not backends: queued prompts are sent in the user's name.
    if (type === "item.completed" && chats.has(session_id)) queue.apply(data.item.content, session_id);
  }
  for (const id of shown) queue.take(id);
  return queue;
}

/** Ignores changes of prompts that are not queued. */
class Queue {
  waiting = new Map<string, ChatMessage>();
  readonly started = new Map<string, ChatMessage>();
  readonly senders = new Map<string, string>();

  /** @param chat the session of the chat that has made the status */
  apply([status, more]: readonly ContentPart[], chat: string): void {
    if (status?.type !== "status" || status.label !== "queue" || more?.type !== "json") return;
    const { put, take, start, move, before } = isObject(more.json) ? more.json : {};
    if (isObject(put)) this.#put(put, chat);
    else if (typeof take === "string") this.take(take);
    else if (typeof start === "string") this.#start(start, chat);
    else if (typeof move === "string") this.#move(move, before);
  }

  take(id: string): void {
    this.waiting.delete(id);
    this.started.delete(id);
  }

  /** Skips an invalid prompt, so that the rest of the chat loads. */
  #put({ id, input, at }: Readonly<Record<string, unknown>>, chat: string): void {
    if (typeof id !== "string" || id === "" || typeof at !== "number") return;
    let message: ChatMessage;
    try {
      message = messageOf(id, readPrompt(input), at);
    } catch {
      return; // invalid
    }
    const sender = this.senders.get(id);
    if (sender === undefined) this.waiting.set(id, message);
    if (sender !== chat) return;
    // The prompt was not sent: put it at the front of the queue.
    this.started.delete(id);
    this.senders.delete(id);
    this.waiting = new Map([[id, message], ...this.waiting]);
  }

  #start(id: string, chat: string): void {
    const message = this.waiting.get(id);
    if (!message) return;
    this.waiting.delete(id);
    this.started.set(id, message);
    this.senders.set(id, chat);
  }

  #move(id: string, before: unknown): void {
    const moved = this.waiting.get(id);
    if (!moved || before === id) return;
    this.waiting.delete(id);
    const entries = [...this.waiting];
    const found = entries.findIndex(([other]) => other === before);
    const at = found < 0 ? entries.length : found;
    this.waiting = new Map([...entries.slice(0, at), [id, moved], ...entries.slice(at)]);
  }
}

function protocolIn(metadata: unknown): unknown {
  return isObject(metadata) ? metadata["protocol"] : undefined;
}
