// The prompts that wait, each with what can be done with it.
import { type ReactElement, useState } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { QueuedPrompt } from "../../chat/queue.ts";
import { useAgentChat, useChat } from "../index.ts";
import { EditForm } from "./edit-form.tsx";
import { useWords } from "./root.tsx";

export function QueueView(): ReactElement | null {
  const words = useWords();
  const queue = useAgentChat(undefined, (chat) => chat.queue);
  if (queue.length === 0) return null;
  return (
    <section className="aw-queue" aria-label={words.queue}>
      <ol>
        {queue.map((prompt, index) => (
          <Waiting key={prompt.id} prompt={prompt} before={queue[index - 1]?.id} />
        ))}
      </ol>
    </section>
  );
}

interface WaitingProps {
  readonly prompt: QueuedPrompt;
  /** The id of the prompt in front of this one. */
  readonly before: string | undefined;
}

function Waiting({ prompt: { id, input, held }, before }: WaitingProps): ReactElement {
  const chat = useChat();
  const words = useWords();
  const [isEditing, setEditing] = useState(false);
  const { text, ...more } = typeof input === "string" ? { text: input } : input;
  const images = "images" in more ? (more.images ?? []).length : 0;
  if (isEditing)
    return (
      <li className="aw-waits">
        <EditForm
          label={words.message}
          text={text}
          submit={words.saveEdit}
          onSubmit={(next) => {
            chat.editQueued(id, { ...more, text: next }); // a prompt that has gone meanwhile is a problem in the snapshot
            setEditing(false);
          }}
          onBack={() => setEditing(false)}
        />
      </li>
    );
  return (
    <li className="aw-waits">
      <p className="aw-said" dir="auto">
        {inert(text)}
        {images > 0 && ` (${words.images(images)})`}
      </p>
      <p className="aw-hint">{held ? words.held : words.waits}</p>
      <div className="aw-actions">
        <button className="aw-plain" type="button" onClick={() => chat.sendNow(id)}>
          {words.sendNow}
        </button>
        <button className="aw-plain" type="button" onClick={() => setEditing(true)}>
          {words.edit}
        </button>
        {before !== undefined && (
          <button className="aw-plain" type="button" onClick={() => chat.moveQueued(id, before)}>
            {words.moveUp}
          </button>
        )}
        <button className="aw-plain" type="button" onClick={() => chat.unqueue(id)}>
          {words.takeBack}
        </button>
      </div>
    </li>
  );
}
