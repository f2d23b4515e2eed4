// `<Composer>`: the text that the user writes, with a history and folded pastes.
import { usePaste } from "ink";
import type { ReactElement } from "react";
import { composerRows, withCursor } from "../composer/composer-rows.ts";
import { editorText, emptyEditor, stepEditor } from "../composer/editor.ts";
import { editorAction } from "../composer/editor-keys.ts";
import { clipped } from "../rows/row.ts";
import { Rows } from "../rows/rows.tsx";
import { screenWords } from "../theme.ts";
import { type KeyProps, type Look, useCanType, useKeys, useLook, useSpace } from "./hooks.ts";

export interface ComposerProps extends Look, KeyProps {
  /** Called on Enter with the whole text, long pastes included. Return `false` to keep the text. */
  readonly onSubmit: (text: string) => unknown;
  /** Shows nothing and takes no keys, such as during a dialog. Keeps the text. @default false */
  readonly isHidden?: boolean;
  /** Shown in an empty composer. @default nothing */
  readonly placeholder?: string;
  /** Maximum rows, around the cursor. @default 8; below a `<Transcript>` at most the space there */
  readonly maxRows?: number;
}

const MAX_ROWS = 8;

/**
 * A text input with a history (Up, Down) and folded pastes. Enter submits. Alt-Enter, Ctrl-J, or a backslash and Enter
 * start a new line. Ctrl-C clears the text; without text it calls `onInterrupt`.
 */
export function Composer(props: ComposerProps): ReactElement {
  const { onSubmit, onInterrupt, onEscape, placeholder, isHidden = false } = props;
  const isActive = !isHidden && (props.isActive ?? true);
  const { columns, theme } = useLook(props);
  const space = useSpace(props.maxRows).maxRows;
  const maxRows = props.maxRows ?? Math.min(MAX_ROWS, space);
  const [state, change] = useKeys(emptyEditor, { isActive }, (press, now, setNow) => {
    if (press.type === "key" && press.key === "escape") onEscape?.();
    if (press.type === "key" && press.key === "ctrl-c") {
      if (now.text === "") onInterrupt?.();
      else setNow(stepEditor(now, { type: "clear" }));
    }
    const action = editorAction(press, now);
    if (action === "submit") {
      const isTaken = editorText(now).trim() !== "" && onSubmit(editorText(now)) !== false;
      if (isTaken) setNow(stepEditor(now, { type: "sent" }));
    } else if (action) setNow(stepEditor(now, action));
  });
  const canType = useCanType();
  usePaste((text) => change((now) => stepEditor(now, { type: "paste", text })), {
    isActive: isActive && canType,
  });
  if (isHidden) return <Rows rows={[]} theme={theme} />;
  if (isActive && !canType)
    return (
      <Rows rows={[[{ text: clipped(screenWords(theme).noKeys, columns), tone: "warn" }]]} theme={theme} />
    );
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
