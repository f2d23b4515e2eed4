// One message: a prompt, an answer, or something that the backend says between turns.
import { memo, type ReactElement } from "react";
import { inert } from "../../chat/print/inert.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import type { ErrorDescription } from "../../universal/words/error-description.ts";
import { useAgentChat, useChat } from "../index.ts";
import { answerFacts } from "./facts.ts";
import { BranchChoice, EditPrompt, textOfMessage, Waiting } from "./message-actions.tsx";
import { isShownElsewhere, PartList } from "./part.tsx";
import { useSlots, useWords } from "./root.tsx";

interface MessageProps {
  readonly message: ChatMessage;
}

/** A message that has not changed is the same object, and is not rendered again. */
export const MessageView = /* @__PURE__ */ memo(function MessageViewView({
  message,
}: MessageProps): ReactElement {
  const { Message: Own } = useSlots();
  const shown = <OwnMessage message={message} />;
  return Own ? <Own message={message}>{shown}</Own> : shown;
});

function OwnMessage({ message }: MessageProps): ReactElement | null {
  switch (message.role) {
    case "user":
      return message.status === "queued" ? <Queued message={message} /> : <Prompt message={message} />;
    case "assistant":
      return <Reply message={message} />;
    case "system":
      return <Notice message={message} />;
    default:
      message.role satisfies never;
      return null;
  }
}

/** `<QueueView>` shows what the chat still has. */
function Queued({ message }: MessageProps): ReactElement | null {
  const isInQueue = useAgentChat(undefined, ({ queue }) => queue.some(({ id }) => id === message.id));
  return isInQueue ? null : <Prompt message={message} />;
}

/** What the user said. */
function Prompt({ message }: MessageProps): ReactElement {
  const words = useWords();
  const { status, error, id } = message;
  return (
    <article className="aw-message aw-mine" aria-label={words.you}>
      <EditPrompt message={message}>
        <div className="aw-bubble">
          <PartList parts={message.parts} isOpen={false} isPlain />
        </div>
      </EditPrompt>
      {status === "queued" && <Waiting />}
      {message.branches && <BranchChoice message={message} branches={message.branches} />}
      {status === "cancelled" && (
        <Trouble id={id} end="cancelled" says={words.notSent} again={words.sendPrompt} />
      )}
      {error && <Failure id={id} error={error} />}
    </article>
  );
}

/** An answer, from the first sign of life to whatever end it takes. */
function Reply({ message }: MessageProps): ReactElement {
  const words = useWords();
  const { Face, facts = noFacts } = useSlots();
  const { status, parts, error, id, branches } = message;
  const isOpen = status === "open" || status === "recovering";
  const small = isOpen ? [] : [...facts(message), ...answerFacts(message, words)];
  return (
    <article className="aw-message aw-reply" aria-label={words.answer} aria-busy={isOpen} data-end={status}>
      {Face && (
        <div className="aw-face">
          <Face message={message} />
        </div>
      )}
      <div className="aw-body">
        <PartList parts={parts} isOpen={status === "open"} />
        {status === "recovering" && <p className="aw-progress">{words.recovering}</p>}
        {status === "open" && parts.length === 0 && <p className="aw-progress">{words.begins}</p>}
        {status === "cancelled" && <Cancelled id={id} />}
        {error && <Failure id={id} error={error} />}
        {branches && <BranchChoice message={message} branches={branches} />}
        {small.length > 0 && (
          <footer className="aw-facts">
            {small.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </footer>
        )}
      </div>
    </article>
  );
}

const noFacts = (): readonly string[] => [];

/** Something that the backend says between turns. */
function Notice({ message: { parts, error } }: MessageProps): ReactElement | null {
  if (parts.toArray().every(isShownElsewhere) && !error) return null;
  return (
    <div className="aw-message aw-system">
      <PartList parts={parts} isOpen={false} />
      {error && <p>{errorWords(error)}</p>}
    </div>
  );
}

function Cancelled({ id }: { readonly id: string }): ReactElement {
  const words = useWords();
  // Where nothing on the wire stops the server, it finishes, and keeps what it has said.
  const isHeard = useAgentChat(undefined, ({ capabilities }) => capabilities?.cancelOnWire !== false);
  return <Trouble id={id} end="cancelled" says={isHeard ? words.cancelled : words.cancelledHere} />;
}

function Failure({ id, error }: { readonly id: string; readonly error: ErrorDescription }): ReactElement {
  const words = useWords();
  const again = { safe: words.tryAgain, ask: words.sendAgain, no: undefined }[error.retry];
  return <Trouble id={id} end="failed" says={errorWords(error)} again={again} />;
}

interface TroubleProps {
  readonly id: string;
  readonly end: "cancelled" | "failed";
  readonly says: string;
  /** On the button that sends the prompt again. Absent where that would not help. */
  readonly again?: string | undefined;
}

function Trouble({ id, end, says, again }: TroubleProps): ReactElement {
  const chat = useChat();
  const isPast = useAgentChat(undefined, ({ messages }) => hasLaterPrompt(messages, id));
  return (
    <div className="aw-trouble" data-end={end}>
      <p>{says}</p>
      {again !== undefined && !isPast && (
        <button className="aw-again" type="button" onClick={() => chat.retry(id)}>
          {again}
        </button>
      )}
    </div>
  );
}

/**
 * Whether the talk has gone on behind the message, or its prompt waits to be sent again: the same words wait. A retry
 * changes nothing of the message itself, and a store does not know of it.
 */
function hasLaterPrompt(messages: ChatSnapshot["messages"], id: string): boolean {
  const waiting: string[] = [];
  let isFound = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    isFound ||= message?.id === id;
    if (message?.role !== "user") continue;
    if (isFound) return waiting.includes(textOfMessage(message));
    if (message.status === "sent") return true;
    if (message.status === "queued") waiting.push(textOfMessage(message));
  }
  return false;
}

function errorWords({ title, detail }: ErrorDescription): string {
  return inert(`${title}. ${detail}`);
}
