// What a user can do with a message: edit it, ask for another answer, choose one, copy it.
import { createContext, type ReactElement, type ReactNode, useContext, useState } from "react";
import { promptWith } from "../../screens/attached.ts";
import type { ChatBranches, ChatMessage } from "../../universal/transcript/message.ts";
import { useAgentChat, useChat } from "../index.ts";
import { Copy } from "./copy.tsx";
import { EditForm } from "./edit-form.tsx";
import { useWords } from "./root.tsx";

/** Whether the backend can go on from an earlier message. One subscription for all messages. */
export const BranchContext = /* @__PURE__ */ createContext(false);

/** The client has the prompt, which waits for the connection. */
export function Waiting(): ReactElement {
  const words = useWords();
  return <p className="aw-waits">{words.waits}</p>;
}

/** The other answers or prompts in this place. */
export function BranchChoice({
  message,
  branches: { at, of, ids },
}: {
  readonly message: ChatMessage;
  readonly branches: ChatBranches;
}): ReactElement {
  const chat = useChat();
  const words = useWords();
  const isBusy = useAgentChat(undefined, ({ busy }) => busy);
  const show = (step: number) => chat.selectBranch(ids[at - 1 + step] ?? message.id);
  return (
    <div className="aw-actions">
      <button
        className="aw-plain"
        type="button"
        aria-label={words.branchBefore}
        disabled={isBusy || at === 1}
        onClick={() => show(-1)}
      >
        ‹
      </button>
      <span>{words.branch(at, of)}</span>
      <button
        className="aw-plain"
        type="button"
        aria-label={words.branchNext}
        disabled={isBusy || at === of}
        onClick={() => show(1)}
      >
        ›
      </button>
    </div>
  );
}

/** What can be done with the last answer. Only here, so that no message depends on what follows it. */
export function LastActions(): ReactElement | null {
  const chat = useChat();
  const words = useWords();
  const last = useAgentChat(undefined, ({ messages }) => messages.at(-1));
  const canAsk = useAgentChat(
    undefined,
    ({ capabilities, busy }) => capabilities?.branches === true && !busy,
  );
  if (last?.role !== "assistant" || last.status === "open" || last.status === "recovering") return null;
  const text = textOfMessage(last);
  const asks = canAsk && last.status === "completed";
  if (text === "" && !asks) return null;
  return (
    <div className="aw-actions aw-last-actions">
      {text !== "" && <Copy text={() => text} />}
      {asks && (
        <button
          className="aw-plain"
          type="button"
          title={words.branchNote}
          onClick={() => chat.regenerate(last.id)}
        >
          {words.anotherAnswer}
        </button>
      )}
    </div>
  );
}

/** The text of a message, as the agent wrote it. */
export function textOfMessage({ parts }: ChatMessage): string {
  const texts = parts.toArray().flatMap((part) => (part.type === "text" ? part.text : []));
  return texts.join("\n\n");
}

/** A prompt with a button that puts another one in its place, where the backend allows it. */
export function EditPrompt({
  message,
  children,
}: {
  readonly message: ChatMessage;
  readonly children: ReactNode;
}): ReactElement {
  const chat = useChat();
  const words = useWords();
  const canEdit = useContext(BranchContext) && message.status === "sent";
  const [isEditing, setEditing] = useState(false);
  if (isEditing)
    return (
      <EditForm
        label={words.editPrompt}
        text={textOfMessage(message)}
        submit={words.send}
        note={words.branchNote}
        onSubmit={(text) => {
          setEditing(!chat.edit(message.id, promptWith(text, message)).ok);
        }}
        onBack={() => setEditing(false)}
      />
    );
  return (
    <>
      {children}
      {canEdit && (
        <div className="aw-actions aw-mine-actions">
          <button className="aw-plain" type="button" onClick={() => setEditing(true)}>
            {words.edit}
          </button>
        </div>
      )}
    </>
  );
}
