// A hook that closes a chat when its component unmounts.
import { useEffect, useRef, useState } from "react";
import type { Chat } from "../chat/chat.ts";
import { systemClock } from "../core/clock.ts";
import { checkReact } from "./peer.ts";

/**
 * A chat with the lifetime of the component. `make` is called once, and the chat is closed after the component has
 * unmounted. A component that mounts again at once, as in `StrictMode`, keeps its chat. Later it gets a new one.
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
