import { useAgentChat, useChat } from "agentwire/react";
import { type ReactElement, useEffect, useRef } from "react";
import { Announcer } from "./announcer.tsx";
import { Avatar } from "./avatar.tsx";
import { Composer } from "./composer.tsx";
import { totalsOf } from "./facts.ts";
import { Icon } from "./icon.tsx";
import { Notices } from "./notices.tsx";
import { Pill } from "./pill.tsx";
import { Requests } from "./requests.tsx";
import { Standing } from "./standing.tsx";
import { Thread } from "./thread.tsx";
import { useFollow } from "./use-follow.ts";

export interface ChatViewProps {
  readonly title: string;
  readonly label: string;
  readonly suggestions: readonly string[];
  readonly isDrawerOpen: boolean;
  onDrawer(): void;
}

const WAVES = { gesture: "wave" } as const;

/** One chat: what was said, what waits for the user, and the place to write. */
export function ChatView({ title, label, suggestions, isDrawerOpen, onDrawer }: ChatViewProps): ReactElement {
  const chat = useChat();
  const message = useRef<HTMLTextAreaElement>(null);
  const { log, content, follow } = useFollow();
  const isEmpty = useAgentChat(undefined, ({ messages, loading }) => messages.length === 0 && !loading);
  useEffect(() => {
    if (!isDrawerOpen) message.current?.focus();
  }, [isDrawerOpen]);
  const say = (text: string): boolean => {
    follow();
    const sent = chat.send(text);
    message.current?.focus();
    return sent.ok || sent.id !== undefined; // a message in the thread says itself what went wrong
  };
  return (
    <main className="chat">
      <header className="chat-head">
        <button className="icon only-narrow" type="button" aria-label="Conversations" onClick={onDrawer}>
          <Icon name="list" />
        </button>
        <h1 className="title">{title}</h1>
        <Totals />
        <Pill />
      </header>
      {/* The answers are announced when they are whole: a log would read every piece of them. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it */}
      <section ref={log} className="log" aria-label="What was said" tabIndex={0}>
        {isEmpty && (
          <div className="welcome">
            <div className="portrait">
              <Avatar look={WAVES} />
            </div>
            <h2>What would you like to talk about?</h2>
            <div className="suggestions">
              {suggestions.map((text) => (
                <button key={text} className="suggestion" type="button" onClick={() => say(text)}>
                  {text}
                </button>
              ))}
            </div>
          </div>
        )}
        <div ref={content}>
          <Thread />
        </div>
      </section>
      <div className="foot">
        <Notices />
        <Standing />
        <Requests composer={message} />
        <Composer field={message} label={label} onSay={say} isBehind={isDrawerOpen} />
      </div>
      <Announcer />
    </main>
  );
}

/** What the whole chat has used. */
function Totals(): ReactElement | null {
  const words = useAgentChat(undefined, totalsOf);
  return words === "" ? null : <p className="totals">{words}</p>;
}
