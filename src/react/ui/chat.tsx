// `<Chat>`: the whole page of a chat.
import { type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import { useAgentChat, useChat } from "../index.ts";
import { Announcer } from "./announcer.tsx";
import { Chats, type ChatsProps } from "./chats.tsx";
import { ComposerView, say } from "./composer.tsx";
import { ConnectionState } from "./connection.tsx";
import { totalsOf } from "./facts.ts";
import { GrantList } from "./grants.tsx";
import { Icon } from "./icon.tsx";
import { NoticeList } from "./notices.tsx";
import { PlanView } from "./plan.tsx";
import { QueueView } from "./queue.tsx";
import { RequestPanel } from "./request-panel.tsx";
import { ChatRoot, type ChatRootProps, useWords } from "./root.tsx";
import { Log, Welcome } from "./transcript.tsx";
import { useFollow } from "./use-follow.ts";

interface ChatProps extends Omit<ChatRootProps, "children"> {
  /** The heading of the page. @default none */
  readonly title?: string;
  /** The name of the agent, for the empty message field. */
  readonly agent?: string;
  /** What one may say first. */
  readonly suggestions?: readonly string[];
  /** A list of chats at the side. @default none */
  readonly chats?: ChatsProps;
}

/**
 * The whole page of a chat: fills its parent, which needs a height, such as `100dvh`. Needs the styles of
 * `agentwire/react/ui.css`. Another chat gets an empty message field.
 * @throws InvalidInputError outside a provider, if `chat` is missing
 */
export function Chat({ title, agent, suggestions = NONE, chats, ...root }: ChatProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const onClose = useCallback(() => setOpen(false), []);
  const onDrawer = useCallback(() => setOpen(true), []);
  const page = (
    <PageOfChat
      title={title}
      agent={agent}
      suggestions={suggestions}
      isBehind={isOpen}
      onDrawer={chats && onDrawer}
    />
  );
  if (!chats) return <ChatRoot {...root}>{page}</ChatRoot>;
  const { onChoice, onNew, ...list } = chats;
  const choose = (id: string): void => {
    onClose();
    onChoice(id);
  };
  const begin = (): void => {
    onClose();
    onNew?.();
  };
  return (
    <ChatRoot {...root}>
      <div className="aw-columns" data-open={isOpen || undefined}>
        <Chats
          {...list}
          onChoice={choose}
          {...(onNew ? { onNew: begin } : {})}
          isOpen={isOpen}
          onClose={onClose}
        />
        {page}
      </div>
    </ChatRoot>
  );
}

const NONE: readonly string[] = [];

interface PageProps {
  readonly title: string | undefined;
  readonly agent: string | undefined;
  readonly suggestions: readonly string[];
  /** Whether the list of chats is in front. */
  readonly isBehind: boolean;
  readonly onDrawer: (() => void) | undefined;
}

/** A new page for each chat: a half-written message does not go to another one. */
function PageOfChat(props: PageProps): ReactElement {
  const chat = useChat();
  const shown = useRef({ chat, key: 0 });
  if (shown.current.chat !== chat) shown.current = { chat, key: shown.current.key + 1 };
  return <Page key={shown.current.key} {...props} />;
}

/** One chat: what was said, what waits for the user, and the place to write. */
function Page({ title, agent, suggestions, isBehind, onDrawer }: PageProps): ReactElement {
  const chat = useChat();
  const words = useWords();
  const message = useRef<HTMLTextAreaElement>(null);
  const following = useFollow();
  useEffect(() => {
    if (!isBehind) message.current?.focus();
  }, [isBehind]);
  const onSay = (input: string | PromptInput): boolean => {
    following.follow();
    message.current?.focus();
    return say(chat, input);
  };
  return (
    <main className="aw-chat">
      <header className="aw-chat-head">
        {onDrawer && (
          <button
            className="aw-icon aw-only-narrow"
            type="button"
            aria-label={words.openChats}
            onClick={onDrawer}
          >
            <Icon name="list" />
          </button>
        )}
        {title !== undefined && (
          <h1 className="aw-title" dir="auto">
            {title}
          </h1>
        )}
        <Totals />
        <ConnectionState />
      </header>
      <Log welcome={<Welcome suggestions={suggestions} onSay={onSay} />} following={following} />
      <div className="aw-foot">
        <NoticeList />
        <PlanView />
        <GrantList />
        <RequestPanel composer={message} />
        <QueueView />
        <ComposerView
          field={message}
          {...(agent === undefined ? {} : { agent })}
          onSay={onSay}
          isBehind={isBehind}
        />
      </div>
      <Announcer />
    </main>
  );
}

/** What the whole chat has used. */
function Totals(): ReactElement | null {
  const words = useWords();
  const said = useAgentChat(undefined, (snapshot) => totalsOf(snapshot, words));
  return said === "" ? null : <p className="aw-totals">{said}</p>;
}
