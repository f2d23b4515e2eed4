// `<ChatProvider>` and `useChat`: the chat for all components inside the provider.
import * as React from "react"; // no named imports: those that an older React lacks would fail before this check
import type { Chat } from "../chat/chat.ts";
import { InvalidInputError } from "../core/errors.ts";
import { isOlder, type Peer, peerError } from "../core/peers.ts";

const ChatContext = React.createContext<Chat | undefined>(undefined);

interface ChatProviderProps {
  readonly chat: Chat;
  readonly children?: React.ReactNode;
}

/** Provides the chat for the hooks and components inside it. */
export function ChatProvider({ chat, children }: ChatProviderProps): React.ReactElement {
  checkReact();
  return React.createElement(ChatContext.Provider, { value: chat }, children);
}

/** Returns `chat`, or the chat of the nearest `<ChatProvider>`. @throws InvalidInputError without one */
export function useChat(chat?: Chat): Chat {
  checkReact();
  const provided = React.useContext(ChatContext);
  const found = chat ?? provided;
  if (found) return found;
  throw new InvalidInputError(
    "there is no chat: the component is outside <ChatProvider>.",
    "Put <ChatProvider chat={chat}> around the component, or pass it the chat.",
  );
}

/** `useSyncExternalStore` came with React 18. */
const REACT: Peer = { name: "react", oldest: "18.0", install: "react" };

/** @throws UnsupportedError if the app's React is too old. */
export function checkReact(found: string = React.version): void {
  if (isOlder(found, REACT.oldest)) throw peerError("agentwire/react", REACT, found);
}
