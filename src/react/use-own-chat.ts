// A hook for a chat that lives as long as its component.
import { useEffect, useRef, useState } from "react";
import type { Chat } from "../chat/chat.ts";
import { systemClock } from "../core/clock.ts";
import { checkReact } from "./peer.ts";

/**
 * A chat that lives as long as the component: `make` is called once, and the chat is closed after the component is gone. A component that
 * is mounted again at once, as `StrictMode` does, keeps its chat; one that comes back later gets a new chat.
 */
export function useOwnChat(make: () => Chat): Chat {
  checkReact();
  const first = useRef<Chat | undefined>(undefined); // `StrictMode` calls an initializer of `useState` twice
  first.current ??= make();
  const [chat, setChat] = useState(first.current);
  const closed = useRef<Chat | undefined>(undefined);
  const cancelClose = useRef<() => void>(() => {});
  const latest = useRef(make);
  latest.current = make;
  useEffect(() => {
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
