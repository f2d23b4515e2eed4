// Reads the queued prompts from the events of a store.
import { isObject } from "../../core/checks.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { CHAT_PROTOCOL } from "../../universal/transcript/reduce.ts";
import { messageOf, readPrompt } from "../prompt.ts";

/** The prompts of a stored chat that no turn has shown. */
export interface StoredQueue {
  readonly waiting: readonly ChatMessage[];
  /** The prompts that the chat was sending when the events ended. They may have been sent. */
  readonly started: readonly ChatMessage[];
  /** From a prompt's id to the session of the chat that sends it: the first chat that claimed it. */
  readonly senders: ReadonlyMap<string, string>;
}

/** Reads the queue from the events of a store. A prompt that any turn shows is no longer queued. */
export function queueIn(events: Iterable<UniversalEvent>): StoredQueue {
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
    const change =
      type === "item.completed" && chats.has(session_id) ? changeIn(data.item.content) : undefined;
    if (change) queue.apply(change, session_id);
  }
  const isUnseen = ({ id }: ChatMessage): boolean => !shown.has(id);
  return {
    waiting: [...queue.waiting.values()].filter(isUnseen),
    started: [...queue.started.values()].filter(isUnseen),
    senders: queue.senders,
  };
}

/** Ignores changes of prompts that are not queued. */
class Queue {
  waiting = new Map<string, ChatMessage>();
  readonly started = new Map<string, ChatMessage>();
  readonly senders = new Map<string, string>();

  apply(change: ReadChange, chat: string): void {
    const { id } = change;
    const sender = this.senders.get(id);
    switch (change.type) {
      case "put":
        if (sender === undefined) this.waiting.set(id, change.message);
        else if (sender === chat) this.#giveBack(change.message);
        return;
      case "take":
        this.waiting.delete(id);
        this.started.delete(id);
        return;
      case "start": {
        const message = this.waiting.get(id);
        if (!message) return;
        this.waiting.delete(id);
        this.started.set(id, message);
        this.senders.set(id, chat);
        return;
      }
      case "move":
        this.#move(id, change.before);
        return;
    }
  }

  /** The prompt was not sent: put it at the front of the queue. */
  #giveBack(message: ChatMessage): void {
    this.started.delete(message.id);
    this.senders.delete(message.id);
    this.waiting = new Map([[message.id, message], ...this.waiting]);
  }

  #move(id: string, before: unknown): void {
    const moved = this.waiting.get(id);
    if (!moved || before === id) return;
    this.waiting.delete(id);
    if (typeof before !== "string" || !this.waiting.has(before)) {
      this.waiting.set(id, moved);
      return;
    }
    const entries = [...this.waiting];
    const at = entries.findIndex(([other]) => other === before);
    this.waiting = new Map([...entries.slice(0, at), [id, moved], ...entries.slice(at)]);
  }
}

type ReadChange = { readonly id: string } & (
  | { readonly type: "put"; readonly message: ChatMessage }
  | { readonly type: "take" | "start" }
  | { readonly type: "move"; readonly before: unknown }
);

type Content = Extract<UniversalEvent, { type: "item.completed" }>["data"]["item"]["content"];

function changeIn([status, more]: Content): ReadChange | undefined {
  if (status?.type !== "status" || status.label !== "queue" || more?.type !== "json") return undefined;
  const change: { readonly [Name in "put" | "take" | "start" | "move" | "before"]?: unknown } = isObject(
    more.json,
  )
    ? more.json
    : {};
  const { put, take, start, move, before } = change;
  if (isObject(put)) return putIn(put);
  if (typeof take === "string") return { type: "take", id: take };
  if (typeof start === "string") return { type: "start", id: start };
  return typeof move === "string" ? { type: "move", id: move, before } : undefined;
}

/** Skips an invalid prompt, so that the rest of the chat loads. */
function putIn({ id, input, at }: Readonly<Record<string, unknown>>): ReadChange | undefined {
  if (typeof id !== "string" || id === "" || typeof at !== "number") return undefined;
  try {
    return { type: "put", id, message: messageOf(id, readPrompt(input), at) };
  } catch {
    return undefined;
  }
}

function protocolIn(metadata: unknown): unknown {
  return isObject(metadata) ? metadata["protocol"] : undefined;
}
