import { type ReactElement, useEffect, useRef } from "react";
import type { StoredChat } from "./archive.ts";
import { Icon } from "./icon.tsx";
import { switchTheme } from "./theme.ts";

export interface DrawerProps {
  readonly label: string;
  readonly user: string;
  readonly chats: readonly StoredChat[];
  /** One line below the list. */
  readonly note: string;
  readonly current: string;
  readonly isOpen: boolean;
  readonly leaveLabel: string;
  onClose(): void;
  onChoice(id: string): void;
  onNew(): void;
  onLeave(): void;
}

/** The list of chats. Where the window is narrow it comes when asked for; where it is wide, it is always there. */
export function Drawer(props: DrawerProps): ReactElement {
  const { label, user, chats, note, current, isOpen, leaveLabel, onClose, onChoice, onNew, onLeave } = props;
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    close.current?.focus();
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") onClose();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOpen, onClose]);
  return (
    <aside className="drawer" aria-label="Conversations">
      <header className="drawer-head">
        <strong className="brand">{label}</strong>
        <button
          ref={close}
          className="icon only-narrow"
          type="button"
          aria-label="Close the list"
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </header>
      <button className="wide" type="button" onClick={onNew}>
        New conversation
      </button>
      <nav aria-label="Your conversations">
        <ul>
          {chats.map(({ id, title }) => (
            <li key={id}>
              <button
                className="conversation"
                type="button"
                aria-current={id === current ? "true" : undefined}
                onClick={() => onChoice(id)}
              >
                {title}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <p className="note">{note}</p>
      <footer className="drawer-foot">
        <span className="user">{user}</span>
        <button className="icon" type="button" aria-label="Dark or light" onClick={switchTheme}>
          <Icon name="theme" />
        </button>
        <button className="plain" type="button" onClick={onLeave}>
          {leaveLabel}
        </button>
      </footer>
    </aside>
  );
}
