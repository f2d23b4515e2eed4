import { describeError } from "agentwire/chat";
import { useEffect, useState } from "react";
import type { BrowserStore, StoredChat } from "./browser-store.ts";

interface Listed {
  readonly chats: readonly StoredChat[];
  /** Why there is no list. */
  readonly problem: string | undefined;
}

/** The chats of the store whose ids begin with `prefix`, newest first. */
export function useStoredChats(store: BrowserStore, prefix: string): Listed {
  const [listed, setListed] = useState<Listed>({ chats: [], problem: undefined });
  useEffect(() => {
    let latest = 0;
    const read = async (): Promise<void> => {
      const request = ++latest;
      let next: Listed;
      try {
        next = { chats: await store.chats(prefix), problem: undefined };
      } catch (error) {
        next = { chats: [], problem: describeError(error).detail };
      }
      if (request === latest) setListed(next); // otherwise a later request tells more
    };
    const unsubscribe = store.subscribe(() => void read());
    void read();
    return () => {
      latest = -1;
      unsubscribe();
    };
  }, [store, prefix]);
  return listed;
}
