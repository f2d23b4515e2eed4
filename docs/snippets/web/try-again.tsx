// A failed message that is sent again, for docs/react.md.
// #region react-retry
// try-again.tsx
import type { ChatMessage, ChatSnapshot } from "agentwire/chat";
import { useAgentChat, useChat } from "agentwire/react";

export function TryAgain({ message: { id, error } }: { readonly message: ChatMessage }) {
  const { retry } = useChat();
  const isPast = useAgentChat(undefined, (now) => hasLaterPrompt(now, id));
  if (!error || error.retry === "no" || isPast) return null;
  const onClick = () => {
    if (error.retry === "safe" || confirm("The agent may have done it. Send it again?")) retry(id);
  };
  return (
    <button type="button" onClick={onClick}>
      Try again
    </button>
  );
}

/** Whether a prompt behind the message was sent, or waits: a retry, or something else that the user wrote. */
function hasLaterPrompt({ messages }: ChatSnapshot, id: string): boolean {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.id === id) return false;
    if (message?.role === "user" && (message.status === "sent" || message.status === "queued")) return true;
  }
  return false;
}
// #endregion
