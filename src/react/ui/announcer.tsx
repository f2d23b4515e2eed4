// Tells a screen reader what has changed: sentences of an answer, and not each piece of it.
import { type ReactElement, useEffect, useState } from "react";
import { useChat } from "../index.ts";
import { Hearing } from "./hearing.ts";
import { useWords } from "./root.tsx";

/** Sentences that stay: a screen reader takes each when it is added. */
const MAX_KEPT = 20;

interface Said {
  readonly id: number;
  readonly text: string;
}

export function Announcer(): ReactElement {
  const chat = useChat();
  const words = useWords();
  const [said, setSaid] = useState<readonly Said[]>([]);
  useEffect(() => {
    let count = 0;
    const hearing = new Hearing(words, chat.getSnapshot());
    setSaid([]);
    return chat.subscribe(() => {
      const news = hearing.next(chat.getSnapshot()).map((text) => ({ id: ++count, text }));
      if (news.length > 0) setSaid((before) => [...before, ...news].slice(-MAX_KEPT));
    });
  }, [chat, words]);
  return (
    <div className="aw-unseen" role="status" aria-atomic="false">
      {said.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
