import type { Chat } from "agentwire/chat";
import { useAgentChat, useChat } from "agentwire/react";
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
  useEffect,
  useRef,
} from "react";

export interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly label: string;
  /** Whether something is in front of it that Escape closes first. */
  readonly isBehind: boolean;
  /** Returns whether the message is taken: one that is refused stays in the field. */
  onSay(text: string): boolean;
}

/** Where messages are written. React does not know the text: typing renders nothing. */
export function Composer({ field, label, isBehind, onSay }: ComposerProps): ReactElement {
  const chat = useChat();
  const form = useRef<HTMLFormElement>(null);
  const canCancel = useAgentChat(undefined, ({ busy, queue }) => busy || queue.length > 0);
  useEffect(() => {
    if (isBehind) return;
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key === "Escape" && !event.isComposing) cancelIn(chat);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [chat, isBehind]);

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (text === "" || !field.current) return;
    if (onSay(text)) field.current.value = "";
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes a character, Enter is its own.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form ref={form} className="composer" onSubmit={onSubmit}>
      <label className="unseen" htmlFor="message">
        Your message
      </label>
      <textarea
        ref={field}
        id="message"
        rows={1}
        placeholder={`Say something to ${label}`}
        autoComplete="off"
        onKeyDown={onKeyDown}
      />
      {canCancel && (
        <button className="cancel" type="button" onClick={() => cancelIn(chat)}>
          Cancel
        </button>
      )}
      <button className="primary" type="submit">
        Send
      </button>
      <p className="hint">Enter sends, Shift+Enter begins a line, Esc cancels.</p>
    </form>
  );
}

/** First the turn that runs; what waits behind it goes out next. Without a turn, what waits is taken back. */
function cancelIn(chat: Chat): void {
  chat.cancel(chat.getSnapshot().busy ? "turn" : "all");
}
