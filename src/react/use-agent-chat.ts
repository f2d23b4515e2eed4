// Hooks that render a chat: its snapshot or a part of it, its connection, its open requests.
import * as React from "react";
import type { Chat } from "../chat/chat.ts";
import type { ChatConnection } from "../chat/connection.ts";
import type { ChatPending } from "../chat/pending.ts";
import type { ChatSnapshot } from "../chat/snapshot.ts";
import { useChat } from "./context.ts";

/** The chat now. Renders again after each change of the chat. Without a chat: the chat of the provider. */
export function useAgentChat(chat?: Chat): ChatSnapshot;
/**
 * What `select` takes from the chat, such as `(chat) => chat.messages`. Renders again only if the selected value differs from the value
 * before, by `isEqual`. @default Object.is
 */
export function useAgentChat<T>(
  chat: Chat | undefined,
  select: (snapshot: ChatSnapshot) => T,
  isEqual?: (before: T, now: T) => boolean,
): T;
export function useAgentChat<T>(
  given?: Chat,
  select?: (snapshot: ChatSnapshot) => T,
  isEqual: (before: T, now: T) => boolean = Object.is,
): ChatSnapshot | T {
  const chat = useChat(given);
  const last = React.useRef<Selection<T> | undefined>(undefined);
  const read = (): ChatSnapshot | T => {
    const snapshot = chat.getSnapshot();
    if (!select) return snapshot;
    const before = last.current;
    if (before && before.snapshot === snapshot && before.select === select) return before.value;
    const value = select(snapshot);
    const kept = before && isEqual(before.value, value) ? before.value : value;
    last.current = { snapshot, select, value: kept };
    return kept;
  };
  return React.useSyncExternalStore(chat.subscribe, read, read);
}

/** What a component has selected last. */
interface Selection<T> {
  readonly snapshot: ChatSnapshot;
  readonly select: (snapshot: ChatSnapshot) => T;
  readonly value: T;
}

const connectionOf = (snapshot: ChatSnapshot): ChatConnection => snapshot.connection;
const pendingOf = (snapshot: ChatSnapshot): readonly ChatPending[] => snapshot.pending;

/** The connection: its status, the attempt and the time of the next one, the reason of a loss, whether the context was lost. */
export function useConnection(chat?: Chat): ChatConnection {
  return useAgentChat(chat, connectionOf);
}

/** What waits for the user, oldest first: approvals for `chat.decide`, questions for `chat.answer`. */
export function usePending(chat?: Chat): readonly ChatPending[] {
  return useAgentChat(chat, pendingOf);
}
