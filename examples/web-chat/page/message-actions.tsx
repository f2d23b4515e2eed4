import type { ChatMessage } from "agentwire/chat";
import { useAgentChat, useChat } from "agentwire/react";
import type { ReactElement } from "react";

/** What a user can do with a prompt that waits. */
export function Waiting({ id }: { readonly id: string }): ReactElement {
  const chat = useChat();
  const queued = useAgentChat(undefined, ({ queue }) => queue.find((prompt) => prompt.id === id));
  return (
    <div className="waits">
      <p>{queued?.held ? "Waits: it was not sent before" : "Waits to be sent"}</p>
      {queued && (
        <>
          <button type="button" onClick={() => chat.sendNow(id)}>
            Send now
          </button>
          <button type="button" onClick={() => chat.unqueue(id)}>
            Take back
          </button>
        </>
      )}
    </div>
  );
}

/** The other answers or prompts in this place, and another answer. */
export function Branches({ message }: { readonly message: ChatMessage }): ReactElement | null {
  const chat = useChat();
  const canAsk = useAgentChat(undefined, ({ capabilities, busy, messages }) => {
    return capabilities?.branches === true && !busy && messages.at(-1)?.id === message.id;
  });
  const isBusy = useAgentChat(undefined, ({ busy }) => busy);
  const { branches } = message;
  const asks = canAsk && message.status === "completed";
  if (!branches && !asks) return null;
  const show = (step: number) => chat.selectBranch(branches?.ids[branches.at - 1 + step] ?? message.id);
  return (
    <div className="branches">
      {branches && (
        <>
          <button
            type="button"
            aria-label="The one before"
            disabled={isBusy || branches.at === 1}
            onClick={() => show(-1)}
          >
            ‹
          </button>
          <span>{`${branches.at} of ${branches.of}`}</span>
          <button
            type="button"
            aria-label="The next one"
            disabled={isBusy || branches.at === branches.of}
            onClick={() => show(1)}
          >
            ›
          </button>
        </>
      )}
      {asks && (
        <button
          type="button"
          title="What was done to files stays done"
          onClick={() => chat.regenerate(message.id)}
        >
          Another answer
        </button>
      )}
    </div>
  );
}
