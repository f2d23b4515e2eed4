// `<ChatProvider>` and `useChat`: the chat for all components inside the provider.
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import type { Chat } from "../chat/chat.ts";
import { InvalidInputError } from "../core/errors.ts";
import { checkReact } from "./peer.ts";

const ChatContext = createContext<Chat | undefined>(undefined);

export interface ChatProviderProps {
  readonly chat: Chat;
  readonly children?: ReactNode;
}

/** Provides the chat for the hooks and components inside it. */
export function ChatProvider({ chat, children }: ChatProviderProps): ReactElement {
  checkReact();
  return createElement(ChatContext.Provider, { value: chat }, children);
}

/** Returns `chat`, or the chat of the nearest `<ChatProvider>`. @throws InvalidInputError without one */
export function useChat(chat?: Chat): Chat {
  checkReact();
  const provided = useContext(ChatContext);
  const found = chat ?? provided;
  if (found) return found;
  throw new InvalidInputError(
    "there is no chat: the component is outside <ChatProvider>.",
    "Put <ChatProvider chat={chat}> around the component, or pass it the chat.",
  );
}
