import type { ReactElement } from "react";
import type { Answer } from "../core/values.ts";
import { withCursor } from "./composer/shown-cursor.ts";
import { newQuestion, type PendingQuestion, questionRows, stepQuestion } from "./dialogs/question-dialog.ts";
import { Rows } from "./rows/rows.tsx";
import { useKeys } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface QuestionProps extends Look {
  /** An entry of `snapshot.pending`. Give the component `key={pending.id}`, so that the next question begins anew. */
  readonly pending: PendingQuestion;
  /** Goes to `chat.answer(pending.id, answer)`: the labels or the text for each question, or `null` after Esc. */
  readonly onAnswer: (answer: Answer) => void;
  /** Rows at most. @default Infinity */
  readonly maxRows?: number;
  /** Whether it takes keys. @default true */
  readonly isActive?: boolean;
}

/** Asks the questions of an agent, one after the other: choices, several choices (Space), or text of the user's own. */
export function Question({
  pending,
  onAnswer,
  maxRows,
  isActive = true,
  ...look
}: QuestionProps): ReactElement {
  const { columns, theme } = useLook(look);
  const [state] = useKeys(newQuestion, isActive, (press, now, set) => {
    const step = stepQuestion(now, press, pending);
    if (step.type === "open") set(step.state);
    else onAnswer(step.answer);
  });
  const options = { columns, theme, maxRows: maxRows ?? Number.POSITIVE_INFINITY };
  return <Rows rows={withCursor(questionRows(pending, state, options))} theme={theme} />;
}
