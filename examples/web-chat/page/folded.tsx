import type { ReactElement } from "react";

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

/** A text as it is, such as an output. Long text is folded behind its label. */
export function Folded({ label, text, isFolded = false }: FoldedProps): ReactElement | null {
  if (text === "") return null;
  const shown =
    text.length > MAX_SHOWN
      ? `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} more characters`
      : text;
  const lines = text.trimEnd().split("\n").length;
  if (!isFolded && lines <= MAX_LINES && text.length <= MAX_LENGTH)
    return (
      <div className={lines === 1 ? "folded in-line" : "folded"}>
        <span className="folded-label">{label}</span>
        <pre>{shown}</pre>
      </div>
    );
  return (
    <details className="folded">
      <summary className="folded-label">{lines > 1 ? `${label}, ${lines} lines` : label}</summary>
      <pre>{shown}</pre>
    </details>
  );
}
