// A list of chats. Where the window is narrow it comes when asked for; where it is wide, it is always there.
import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import { inert } from "../../chat/print/inert.ts";
import { Icon } from "./icon.tsx";
import { useWords } from "./root.tsx";

export interface ChatsProps {
  /** Newest first. */
  readonly chats: readonly { readonly id: string; readonly title: string }[];
  /** The id of the chat that is shown. */
  readonly current: string;
  /** Above the list, such as the name of the app. */
  readonly head?: ReactNode;
  /** One line below the list, such as where the chats are kept. */
  readonly note?: string;
  /** At the bottom, such as the name of the user. */
  readonly foot?: ReactNode;
  onChoice(id: string): void;
  /** @default there is no button for a new chat */
  onNew?(): void;
}

export interface DrawerProps extends ChatsProps {
  readonly isOpen: boolean;
  onClose(): void;
}

export function Chats(props: ChatsProps & Partial<DrawerProps>): ReactElement {
  const { chats, current, head, note, foot, isOpen = false, onChoice, onNew, onClose } = props;
  const words = useWords();
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    close.current?.focus();
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") onClose?.();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOpen, onClose]);
  return (
    <aside className="aw-chats" aria-label={words.chats}>
      <header className="aw-chats-head">
        {head}
        {onClose && (
          <button
            ref={close}
            className="aw-icon aw-only-narrow"
            type="button"
            aria-label={words.closeChats}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        )}
      </header>
      {onNew && (
        <button className="aw-choice aw-new" type="button" onClick={onNew}>
          {words.newChat}
        </button>
      )}
      <nav aria-label={words.chatList}>
        <ul>
          {chats.map(({ id, title }) => (
            <li key={id}>
              <button
                className="aw-chat-title"
                type="button"
                dir="auto"
                aria-current={id === current ? "true" : undefined}
                onClick={() => onChoice(id)}
              >
                {inert(title, { keepNewlines: false })}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      {note !== undefined && <p className="aw-hint">{note}</p>}
      {foot !== undefined && <footer className="aw-chats-foot">{foot}</footer>}
    </aside>
  );
}
