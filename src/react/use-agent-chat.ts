// Hooks that render a chat: its snapshot or a part of it, its connection, its pending requests.
import * as React from "react";
import type { Chat } from "../chat/chat.ts";
import type { ChatConnection } from "../chat/connection.ts";
import type { ChatPending } from "../chat/pending.ts";
import type { ChatSnapshot } from "../chat/snapshot.ts";
import { useChat } from "./context.ts";

/** The current snapshot. Renders again after each change. Without `chat`, uses the chat of the provider. */
export function useAgentChat(chat?: Chat): ChatSnapshot;
/**
 * The part of the snapshot that `select` returns, such as `(chat) => chat.messages`. Renders again only if `isEqual`
 * finds it changed. @default Object.is
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

/** The last selection of a component. */
interface Selection<T> {
  readonly snapshot: ChatSnapshot;
  readonly select: (snapshot: ChatSnapshot) => T;
  readonly value: T;
}

const connectionOf = (snapshot: ChatSnapshot): ChatConnection => snapshot.connection;
const pendingOf = (snapshot: ChatSnapshot): readonly ChatPending[] => snapshot.pending;

/** The connection: its status, reconnect attempts, reason of a loss, and whether the context was lost. */
export function useConnection(chat?: Chat): ChatConnection {
  return useAgentChat(chat, connectionOf);
}

/** The requests that wait for the user, oldest first: for `chat.decide` and `chat.answer`. */
export function usePending(chat?: Chat): readonly ChatPending[] {
  return useAgentChat(chat, pendingOf);
}
