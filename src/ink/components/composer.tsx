// `<Composer>`: the text that the user writes, with a history and folded pastes.
import { usePaste } from "ink";
import type { ReactElement } from "react";
import { composerRows } from "../composer/composer-rows.ts";
import { emptyEditor, stepEditor, textOf } from "../composer/editor.ts";
import { editorAction } from "../composer/editor-keys.ts";
import { withCursor } from "../composer/shown-cursor.ts";
import { clipped } from "../rows/row.ts";
import { Rows } from "../rows/rows.tsx";
import { useRoom } from "./space.ts";
import { type KeyProps, NO_KEYS, useCanType, useKeys } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface ComposerProps extends Look, KeyProps {
  /** Enter: the whole text, long pastes included. Return `false` to keep the text in the composer. */
  readonly onSubmit: (text: string) => unknown;
  /** Whether it shows nothing and takes no keys, such as while a dialog is open. The text stays. @default false */
  readonly isHidden?: boolean;
  /** What stands in an empty composer. @default nothing */
  readonly placeholder?: string;
  /** Rows at most: the ones around the cursor are shown. @default 8; below a `<Transcript>` no more than its place */
  readonly maxRows?: number;
}

/** Rows of a composer, if nothing else is said. */
const MAX_ROWS = 8;

/**
 * A text of one or more lines that the user writes, with a history (Up, Down) and long pastes folded. Enter submits; Alt-Enter, Ctrl-J, or
 * a backslash and Enter begin a new line. Ctrl-C clears the text; `onInterrupt` is called where there is none.
 */
export function Composer(props: ComposerProps): ReactElement {
  const { onSubmit, onInterrupt, onEscape, placeholder, isHidden = false } = props;
  const isActive = !isHidden && (props.isActive ?? true);
  const { columns, theme } = useLook(props);
  const room = useRoom(props.maxRows).maxRows;
  const maxRows = props.maxRows ?? Math.min(MAX_ROWS, room);
  const [state, change] = useKeys(emptyEditor, { isActive }, (press, now, setNow) => {
    if (press.type === "key" && press.key === "escape") onEscape?.();
    if (press.type === "key" && press.key === "ctrl-c") {
      if (now.text === "") onInterrupt?.();
      else setNow(stepEditor(now, { type: "clear" }));
    }
    const action = editorAction(press, now);
    if (action === "submit") {
      const isTaken = textOf(now).trim() !== "" && onSubmit(textOf(now)) !== false;
      if (isTaken) setNow(stepEditor(now, { type: "sent" }));
    } else if (action) setNow(stepEditor(now, action));
  });
  const canType = useCanType();
  usePaste((text) => change((now) => stepEditor(now, { type: "paste", text })), {
    isActive: isActive && canType,
  });
  if (isHidden) return <Rows rows={[]} theme={theme} />;
  if (isActive && !canType)
    return <Rows rows={[[{ text: clipped(NO_KEYS, columns), tone: "warn" }]]} theme={theme} />;
  const options = {
    columns,
    theme,
    maxRows,
    isDim: !isActive,
    ...(placeholder === undefined ? {} : { placeholder }),
  };
  const shown = composerRows(state, options);
  return <Rows rows={isActive ? withCursor(shown) : shown.rows} theme={theme} />;
}
