import type { ChatMessage, ChatSnapshot, ErrorDescription } from "agentwire/chat";
import { inert } from "agentwire/chat";
import { useAgentChat, useChat } from "agentwire/react";
import { memo, type ReactElement } from "react";
import type { Look } from "./avatar.tsx";
import { PerformingAvatar, Stage, usePerformer } from "./cass/stage.tsx";
import { factsOf } from "./facts.ts";
import { Branches, Waiting } from "./message-actions.tsx";
import { isShownElsewhere, Parts } from "./parts.tsx";
import { countRender } from "./render-count.ts";

/** One message. A message that has not changed is the same object, and is not rendered again. */
export const Message = memo(function Message({
  message,
}: {
  readonly message: ChatMessage;
}): ReactElement | null {
  countRender(message.id);
  switch (message.role) {
    case "user":
      return <Prompt message={message} />;
    case "assistant":
      return <Reply message={message} />;
    case "system":
      return <Notice message={message} />;
    default:
      message.role satisfies never;
      return null;
  }
});

/** What the user said. */
function Prompt({ message }: { readonly message: ChatMessage }): ReactElement {
  const { status, error, id } = message;
  return (
    <article className="message mine" aria-label="You">
      <div className="bubble">
        <Parts parts={message.parts} isOpen={false} />
      </div>
      {status === "queued" && <Waiting id={id} />}
      <Branches message={message} />
      {status === "cancelled" && (
        <Trouble id={id} end="cancelled" words="Cancelled. It was not sent." again="Send" />
      )}
      {error && <Failure id={id} error={error} />}
    </article>
  );
}

/** An answer, from the first sign of life to whatever end it takes. */
function Reply({ message }: { readonly message: ChatMessage }): ReactElement {
  const { status, parts, error, id } = message;
  const performer = usePerformer(message);
  const facts = factsOf(message);
  const isOpen = status === "open" || status === "recovering";
  return (
    <Stage value={performer}>
      <article className="message reply" aria-label="Answer" aria-busy={isOpen} data-end={status}>
        <div className="portrait">
          <PerformingAvatar mood={moodOf(message)} />
        </div>
        <div className="body">
          <Parts parts={parts} isOpen={status === "open"} />
          {status === "recovering" && <p className="progress">The link broke. Looking for the answer</p>}
          {status === "open" && parts.length === 0 && <p className="progress">Begins</p>}
          {status === "cancelled" && <Cancelled id={id} />}
          {error && <Failure id={id} error={error} />}
          <Branches message={message} />
          {!isOpen && facts.length > 0 && (
            <footer className="facts">
              {facts.map((fact) => (
                <span key={fact}>{fact}</span>
              ))}
            </footer>
          )}
        </div>
      </article>
    </Stage>
  );
}

/** Something that the backend says between turns. */
function Notice({ message }: { readonly message: ChatMessage }): ReactElement | null {
  if (message.parts.toArray().every(isShownElsewhere) && !message.error) return null;
  return (
    <div className="system">
      <Parts parts={message.parts} isOpen={false} />
      {message.error && <p>{wordsOf(message.error)}</p>}
    </div>
  );
}

function Cancelled({ id }: { readonly id: string }): ReactElement {
  const isHeard = useAgentChat(undefined, ({ capabilities }) => capabilities?.cancelOnWire !== false);
  // Where nothing on the wire stops the server, it finishes, and keeps what it has said.
  const words = isHeard
    ? "Cancelled."
    : "Cancelled. The agent may finish all the same, and keep what it says.";
  return <Trouble id={id} end="cancelled" words={words} />;
}

const AGAIN = { safe: "Try again", ask: "Send again", no: undefined } as const;

function Failure({ id, error }: { readonly id: string; readonly error: ErrorDescription }): ReactElement {
  return <Trouble id={id} end="failed" words={wordsOf(error)} again={AGAIN[error.retry]} />;
}

interface TroubleProps {
  readonly id: string;
  readonly end: "cancelled" | "failed";
  readonly words: string;
  /** On the button that sends the prompt again. Absent where that would not help. */
  readonly again?: string | undefined;
}

function Trouble({ id, end, words, again }: TroubleProps): ReactElement {
  const chat = useChat();
  const isPast = useAgentChat(undefined, ({ messages }) => hasLaterPrompt(messages, id));
  return (
    <div className="trouble" data-end={end}>
      <p>{words}</p>
      {again !== undefined && !isPast && (
        <button className="again" type="button" onClick={() => chat.retry(id)}>
          {again}
        </button>
      )}
    </div>
  );
}

/**
 * Whether a prompt behind the message was sent, or waits: the message was sent again, or the talk has gone on. A retry changes nothing of
 * the message itself, and a store does not know of it.
 */
function hasLaterPrompt(messages: ChatSnapshot["messages"], id: string): boolean {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.id === id) return false;
    if (message?.role === "user" && (message.status === "sent" || message.status === "queued")) return true;
  }
  return false;
}

function wordsOf({ title, detail }: ErrorDescription): string {
  return inert(`${title}. ${detail}`);
}

const MOODS = {
  thinks: { gesture: "think" },
  talks: { gesture: "talk" },
  worries: { emote: "concern" },
  rests: {},
} as const satisfies Record<string, Look>;

/** The same object for the same mood, so that the face does not begin anew with each piece of text. */
function moodOf({ status, parts }: ChatMessage): Look {
  if (status === "failed") return MOODS.worries;
  if (status === "recovering") return MOODS.thinks;
  if (status !== "open") return MOODS.rests;
  const last = parts.at(-1);
  return last?.type === "text" && last.open ? MOODS.talks : MOODS.thinks;
}
