// The hooks: a chat's snapshot, connection and requests; a component's own chat; seconds since a time.
import * as React from "react";
import type { Chat } from "../chat/chat.ts";
import type { ChatConnection } from "../chat/connection.ts";
import type { ChatPending } from "../chat/pending.ts";
import type { ChatSnapshot } from "../chat/snapshot.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { checkReact, useChat } from "./context.ts";

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

/**
 * A chat with the lifetime of the component. `make` is called once, and the chat is closed after the component has
 * unmounted. A component that mounts again at once, as in `StrictMode`, keeps its chat. Later it gets a new one.
 */
export function useOwnChat(make: () => Chat): Chat {
  checkReact();
  const first = React.useRef<Chat | undefined>(undefined); // `StrictMode` calls an initializer of `useState` twice
  first.current ??= make();
  const [chat, setChat] = React.useState(first.current);
  const closed = React.useRef<Chat | undefined>(undefined);
  const cancelClose = React.useRef<() => void>(() => {});
  const latest = React.useRef(make);
  latest.current = make;
  React.useEffect(() => {
    cancelClose.current();
    if (closed.current === chat) setChat(latest.current());
    return () => {
      cancelClose.current = systemClock.setTimeout(() => {
        closed.current = chat;
        void chat.close();
      }, 0);
    };
  }, [chat]);
  return chat;
}

const SECOND = 1_000;

/** Whole seconds since `from` (ms since the epoch), negative before. Renders each second. Without `from`: 0. */
export function useSeconds(
  from: number | undefined,
  clock: Pick<Clock, "wallTime" | "setTimeout"> = systemClock,
): number {
  const [, tick] = React.useState(0);
  const passed = from === undefined ? 0 : clock.wallTime() - from;
  React.useEffect(() => {
    if (from === undefined) return;
    let cancel = (): void => {};
    const wait = (): void => {
      const since = clock.wallTime() - from;
      cancel = clock.setTimeout(
        () => {
          tick((count) => count + 1);
          wait();
        },
        SECOND - (((since % SECOND) + SECOND) % SECOND),
      );
    };
    wait();
    return () => cancel();
  }, [from, clock]);
  return Math.floor(passed / SECOND);
}
