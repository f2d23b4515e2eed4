import { type ReactElement, useState } from "react";
import type { Answer } from "../core/values.ts";
import { withCursor } from "./composer/shown-cursor.ts";
import { questionRows } from "./dialogs/question-dialog.ts";
import { newQuestion, type PendingQuestion, stepQuestion } from "./dialogs/question-state.ts";
import { Rows } from "./rows/rows.tsx";
import { NO_KEYS, useCanType, useKeys, useOffer } from "./use-keys.ts";
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

/**
 * Asks the questions of an agent, one after the other: choices, several choices (Space), or text of the user's own.
 * Only Enter answers. It takes no keys before it shows its choices, which is a moment after each question has appeared.
 */
export function Question({
  pending,
  onAnswer,
  maxRows,
  isActive = true,
  ...look
}: QuestionProps): ReactElement {
  const { columns, theme } = useLook(look);
  const canType = useCanType();
  const [settledAt, setSettledAt] = useState(0);
  const offer = useOffer(`${settledAt} ${pending.id}`, isActive && canType);
  const [state] = useKeys(newQuestion, isActive, (press, now, set) => {
    if (!offer.takesKeys()) {
      offer.withdraw();
      return;
    }
    const step = stepQuestion(now, press, pending);
    if (step.type === "open") {
      set(step.state);
      if (step.state.answers.length === now.answers.length) return;
      offer.pause();
      setSettledAt(step.state.answers.length);
    } else {
      offer.withdraw(); // more keys may have come with this one
      onAnswer(step.answer);
    }
  });
  const instead = isActive && !canType ? { instead: NO_KEYS } : offer.isOffered ? {} : { instead: "..." };
  const options = { columns, theme, maxRows: maxRows ?? Number.POSITIVE_INFINITY, ...instead };
  return <Rows rows={withCursor(questionRows(pending, state, options))} theme={theme} />;
}
