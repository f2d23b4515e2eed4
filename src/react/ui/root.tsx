// `<ChatRoot>`: the chat, the words, the colours and the app's components for the parts inside it.
import { createContext, type ReactElement, type ReactNode, useContext, useMemo } from "react";
import type { Chat as AgentChat } from "../../chat/chat.ts";
import type { Highlighter } from "../../screens/highlight.ts";
import type { Words } from "../../screens/words.ts";
import { type PageWords, pageWords } from "../../screens/words-page.ts";
import { ChatProvider } from "../context.ts";
import { useChat } from "../index.ts";
import type { ChatSlots } from "./slots.ts";

export interface ChatRootProps {
  /** @default the chat of the nearest `<ChatProvider>` */
  readonly chat?: AgentChat;
  /** Replaces words of the page. */
  readonly words?: Partial<Words>;
  /** Colours code, such as `highlightWith(lowlight)`. @default code has one colour */
  readonly highlight?: Highlighter;
  readonly slots?: ChatSlots;
  /** @default as the system has it */
  readonly theme?: "light" | "dark";
  /** Classes of the element around everything. */
  readonly className?: string;
  readonly children?: ReactNode;
}

interface Look {
  readonly words: PageWords;
  readonly highlight: Highlighter | undefined;
  readonly slots: ChatSlots;
}

const NO_SLOTS: ChatSlots = {};
const LookContext = /* @__PURE__ */ createContext<Look>({
  words: pageWords,
  highlight: undefined,
  slots: NO_SLOTS,
});

/**
 * Surrounds the parts of a page of one's own. `<Chat>` has one. Pass the same objects at each render: new `words` or
 * `slots` render everything again.
 * @throws InvalidInputError without a chat, outside a provider
 */
export function ChatRoot(props: ChatRootProps): ReactElement {
  const { words, highlight, slots = NO_SLOTS, theme, className = "", children } = props;
  const chat = useChat(props.chat);
  const look = useMemo(
    () => ({ words: words ? { ...pageWords, ...words } : pageWords, highlight, slots }),
    [words, highlight, slots],
  );
  return (
    <ChatProvider chat={chat}>
      <LookContext.Provider value={look}>
        <div className={`aw-root ${className}`.trim()} data-theme={theme}>
          {children}
        </div>
      </LookContext.Provider>
    </ChatProvider>
  );
}

export function useWords(): PageWords {
  return useContext(LookContext).words;
}

export function useHighlight(): Highlighter | undefined {
  return useContext(LookContext).highlight;
}

export function useSlots(): ChatSlots {
  return useContext(LookContext).slots;
}
