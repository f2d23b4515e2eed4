// `<ChatProvider>` and `useChat`: the chat for the components below.
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import type { Chat } from "../chat/chat.ts";
import { InvalidInputError } from "../core/errors.ts";
import { checkReact } from "./peer.ts";

const ChatContext = createContext<Chat | undefined>(undefined);

export interface ChatProviderProps {
  readonly chat: Chat;
  readonly children?: ReactNode;
}

/** Gives the chat to the hooks and components below it that are given none. */
export function ChatProvider({ chat, children }: ChatProviderProps): ReactElement {
  checkReact();
  return createElement(ChatContext.Provider, { value: chat }, children);
}

/**
 * The chat of the nearest `<ChatProvider>`; `chat` itself if it is given.
 *
 * @throws InvalidInputError outside a provider, if no chat is given.
 */
export function useChat(chat?: Chat): Chat {
  checkReact();
  const provided = useContext(ChatContext);
  const found = chat ?? provided;
  if (found) return found;
  throw new InvalidInputError(
    "there is no chat: the component is outside <ChatProvider>.",
    "Put <ChatProvider chat={chat}> around it, or pass the chat to it.",
  );
}
