// A text as it is, such as an output.
import type { ReactElement } from "react";
import { useWords } from "./root.tsx";

/** Lines and characters that are shown at once. More is folded. */
const MAX_LINES = 8;
const MAX_LENGTH = 600;
/** Characters that are shown at all: a browser still scrolls through them smoothly. */
const MAX_SHOWN = 200_000;

export interface FoldedProps {
  readonly label: string;
  /** Text that is safe to show. */
  readonly text: string;
  /** Whether a short text is folded too. @default false */
  readonly isFolded?: boolean;
}

/** Long text is folded behind its label. */
export function FoldedText({ label, text, isFolded = false }: FoldedProps): ReactElement | null {
  const words = useWords();
  if (text === "") return null;
  const shown =
    text.length > MAX_SHOWN
      ? `${text.slice(0, MAX_SHOWN)}\n… ${words.moreCharacters(text.length - MAX_SHOWN)}`
      : text;
  const lines = text.trimEnd().split("\n").length;
  if (!isFolded && lines <= MAX_LINES && text.length <= MAX_LENGTH)
    return (
      <div className={lines === 1 ? "aw-folded aw-in-line" : "aw-folded"}>
        <span className="aw-label">{label}</span>
        <pre dir="auto">{shown}</pre>
      </div>
    );
  return (
    <details className="aw-folded">
      <summary className="aw-label">{lines > 1 ? words.lines(label, lines) : label}</summary>
      <pre dir="auto">{shown}</pre>
    </details>
  );
}
