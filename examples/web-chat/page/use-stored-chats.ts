import { describeError } from "agentwire/chat";
import { useEffect, useState } from "react";
import type { Archive, StoredChat } from "./archive.ts";

interface Listed {
  readonly chats: readonly StoredChat[];
  /** Why there is no list. */
  readonly problem: string | undefined;
}

/** The chats of the archive whose ids begin with `prefix`, newest first. */
export function useStoredChats(archive: Archive, prefix: string): Listed {
  const [listed, setListed] = useState<Listed>({ chats: [], problem: undefined });
  useEffect(() => {
    let latest = 0;
    const read = async (): Promise<void> => {
      const request = ++latest;
      let next: Listed;
      try {
        next = { chats: await archive.chats(prefix), problem: undefined };
      } catch (error) {
        next = { chats: [], problem: describeError(error).detail };
      }
      if (request === latest) setListed(next); // otherwise a later request tells more
    };
    const unsubscribe = archive.subscribe(() => void read());
    void read();
    return () => {
      latest = -1;
      unsubscribe();
    };
  }, [archive, prefix]);
  return listed;
}
