import { describeError } from "agentwire/chat";
import { Chat } from "agentwire/react/ui";
import { type ReactElement, useEffect, useState } from "react";
import type { About } from "../about.ts";
import { readPlace, writePlace } from "./address.ts";
import type { Archive } from "./archive.ts";
import { keepLeftChat, takeLeftChat } from "./left-chat.ts";
import { OpenChats } from "./open-chats.ts";
import type { Session } from "./session.ts";
import { HIGHLIGHT, SLOTS } from "./slots.tsx";
import type { Theme } from "./theme.ts";
import { NEW_TITLE } from "./title.ts";
import { useOnce } from "./use-once.ts";
import { useStoredChats } from "./use-stored-chats.ts";

export interface RoomProps {
  readonly session: Session;
  /** Absent for a backend that the page does not know. */
  readonly about: About | undefined;
  readonly archive: Archive;
  readonly theme: Theme | undefined;
  onTheme(): void;
  onLeave(): void;
  /** The user has left, and something of theirs may still be in the browser. */
  onTrouble(words: string): void;
}

/** Everything behind the entrance. */
export function Room({
  session,
  about,
  archive,
  theme,
  onTheme,
  onLeave,
  onTrouble,
}: RoomProps): ReactElement {
  const { backend, user } = session;
  // The next one to log in may be somebody else, so the chats of an account are apart.
  const prefix = user === undefined ? `${backend}/` : `${backend}:${user}/`;
  const [id, setId] = useState(() => prefix + ((user === undefined && readPlace().chat) || newId()));
  // Whoever has an account logs in again. Without a store, the source brings back what was said.
  const keepsLeft = user === undefined && archive.store !== undefined;
  const chats = useOnce(() => {
    const opened = new OpenChats(session.sourceOf, archive);
    opened.get(id, keepsLeft ? takeLeftChat(id) : undefined);
    return opened;
  });
  const chat = chats.get(id);
  const stored = useStoredChats(archive, prefix);
  const title = stored.chats.find((chat) => chat.id === id)?.title ?? NEW_TITLE;
  const { label = backend, suggestions = [] } = about ?? {};
  useEffect(() => {
    document.title = `${title} · ${label}`;
  }, [title, label]);
  useEffect(() => {
    writePlace({ backend, chat: user === undefined ? id.slice(prefix.length) : undefined });
    chats.trim();
  }, [backend, user, id, prefix, chats]);

  useEffect(() => {
    if (!keepsLeft) return;
    const onLeft = (): void => keepLeftChat(id, chat.getSnapshot().saved);
    addEventListener("pagehide", onLeft);
    return () => removeEventListener("pagehide", onLeft);
  }, [keepsLeft, id, chat]);

  const leave = async (): Promise<void> => {
    writePlace({ backend, chat: undefined });
    onLeave();
    try {
      // Nothing of the user is left on the machine: neither what was kept, nor what a chat keeps at its end.
      if (user !== undefined) await archive.removeAll(prefix);
      await chats.close();
      if (user !== undefined) await archive.removeAll(prefix);
    } catch (error) {
      onTrouble(describeError(error).detail);
    }
  };

  const foot = (
    <>
      <span className="user">{user ?? "No account"}</span>
      <button className="aw-plain" type="button" aria-label="Dark or light" onClick={onTheme}>
        ◐
      </button>
      <button className="aw-plain" type="button" onClick={() => void leave()}>
        {user === undefined ? "Leave" : "Log out"}
      </button>
    </>
  );
  return (
    <Chat
      chat={chat}
      title={title}
      agent={label}
      suggestions={suggestions}
      slots={SLOTS}
      highlight={HIGHLIGHT}
      {...(theme ? { theme } : {})}
      chats={{
        chats: stored.chats,
        current: id,
        head: <strong>{label}</strong>,
        note: stored.problem ?? (stored.chats.length === 0 ? "Nothing was said yet." : archive.about),
        foot,
        onChoice: setId,
        onNew: () => setId(prefix + newId()),
      }}
    />
  );
}

function newId(): string {
  return crypto.getRandomValues(new Uint32Array(2)).join("-");
}
