import { useAgentChat } from "agentwire/react";
import type { ReactElement } from "react";
import { Avatar } from "./avatar.tsx";
import { Message } from "./message.tsx";

const THINKS = { gesture: "think" } as const;

/** All messages, and the place of an answer that has not begun. */
export function Thread(): ReactElement {
  const messages = useAgentChat(undefined, (chat) => chat.messages);
  const isBusy = useAgentChat(undefined, (chat) => chat.busy);
  const queued = useAgentChat(undefined, (chat) => chat.queue.length);
  const shown = messages.toArray();
  const hasAnswer = shown.some(({ status }) => status === "open" || status === "recovering");
  // One more than the chat has queued: the client's prompt waits for the link, and its message says so.
  const isSent = shown.filter(({ status }) => status === "queued").length <= queued;
  return (
    <div className="thread">
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {isBusy && isSent && !hasAnswer && (
        <article className="message reply" aria-label="Answer" aria-busy="true">
          <div className="portrait">
            <Avatar look={THINKS} />
          </div>
          <div className="body">
            <p className="progress">Sent</p>
          </div>
        </article>
      )}
    </div>
  );
}
