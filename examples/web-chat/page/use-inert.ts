import { createInert, type InertStream } from "agentwire/chat";
import { useRef } from "react";

/** The text without what only machines see. A text that grows costs what it grows by. */
export function useInert(text: string, isOpen: boolean): string {
  const last = useRef<Shown | undefined>(undefined);
  let shown = last.current;
  if (!shown || !text.startsWith(shown.text) || (shown.isOver && text !== shown.text)) {
    shown = { text: "", stream: createInert(), safe: "", isOver: false };
  }
  if (text !== shown.text)
    shown = { ...shown, text, safe: shown.safe + shown.stream.push(text.slice(shown.text.length)) };
  if (!isOpen && !shown.isOver) shown = { ...shown, safe: shown.safe + shown.stream.end(), isOver: true };
  last.current = shown;
  return shown.safe;
}

interface Shown {
  readonly text: string;
  readonly stream: InertStream;
  readonly safe: string;
  readonly isOver: boolean;
}
