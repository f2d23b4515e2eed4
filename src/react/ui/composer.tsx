// Where messages are written. React does not know the text: typing renders nothing.
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from "react";
import type { Chat } from "../../chat/chat.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import { useAgentChat, useChat } from "../index.ts";
import { Choices } from "./choices.tsx";
import { usePictures } from "./pictures.tsx";
import { useRecall } from "./recall.ts";
import { useWords } from "./root.tsx";

interface ComposerProps {
  /** The name of the agent, for the empty field. */
  readonly agent?: string;
  readonly field?: RefObject<HTMLTextAreaElement | null>;
  /** Whether something is in front of it that Escape closes first. @default false */
  readonly isBehind?: boolean;
  /**
   * Sends the text, or the text and its images. Returns whether it is taken: what is refused stays in the field.
   * @default `chat.send`
   */
  onSay?(input: string | PromptInput): boolean;
}

/**
 * Enter sends. Escape cancels the turn that runs, wherever the focus is. What waits behind it goes out next. Without a turn, Escape does nothing.
 * Takes images where the agent does: by a button, pasted, or dropped on the `<ChatRoot>`.
 */
export function ComposerView(props: ComposerProps): ReactElement {
  const { agent, isBehind = false } = props;
  const chat = useChat();
  const words = useWords();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const recall = useRecall();
  const own = useRef<HTMLTextAreaElement>(null);
  const field = props.field ?? own;
  const pictures = usePictures(form);
  const canCancel = useAgentChat(undefined, ({ busy }) => busy);
  useEffect(() => {
    if (isBehind) return;
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key === "Escape" && !event.isComposing) chat.cancel();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [chat, isBehind]);

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    const images = pictures.take();
    if (text === "" || !images || !field.current) return;
    const input = images.length > 0 ? { text, images } : text;
    if (!(props.onSay ? props.onSay(input) : say(chat, input))) return;
    field.current.value = "";
    pictures.clear();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData;
    if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
    event.preventDefault();
    pictures.add(files);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // While an input method composes a character, its keys are its own.
    if (event.nativeEvent.isComposing || event.shiftKey) return;
    if (event.key === "Enter") form.current?.requestSubmit();
    else if (!recall(event.currentTarget, event.key, chat.getSnapshot().messages)) return;
    event.preventDefault();
  };
  return (
    <form ref={form} className="aw-composer" onSubmit={onSubmit}>
      {pictures.list}
      <label className="aw-unseen" htmlFor={id}>
        {words.message}
      </label>
      <textarea
        ref={field}
        id={id}
        rows={1}
        dir="auto"
        placeholder={words.emptyField(agent)}
        autoComplete="off"
        required={pictures.count > 0} // an image does not go without words
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {pictures.button}
      {canCancel && (
        <button className="aw-cancel" type="button" onClick={() => chat.cancel()}>
          {words.cancel}
        </button>
      )}
      <button className="aw-primary" type="submit">
        {words.send}
      </button>
      <Choices />
      <p className="aw-hint">{words.hint}</p>
    </form>
  );
}

/** Whether the message is taken. A message in the thread says itself what went wrong. */
export function say(chat: Chat, input: string | PromptInput): boolean {
  const sent = chat.send(input);
  return sent.ok || sent.id !== undefined;
}
