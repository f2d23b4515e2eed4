// `<Question>`: asks the questions of an agent, one after the other.
import type { ReactElement } from "react";
import type { Answer } from "../../core/values.ts";
import { withCursor } from "../composer/shown-cursor.ts";
import { fitsQuestion, questionRows, questionText } from "../dialogs/question-dialog.ts";
import { newQuestion, type PendingQuestion, stepQuestion } from "../dialogs/question-state.ts";
import { Rows } from "../rows/rows.tsx";
import { useAbove, useRoom } from "./space.ts";
import { insteadOf, type KeyProps, useCanType, useKeys, useOffer } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface QuestionProps extends Look, Omit<KeyProps, "onEscape"> {
  /** An entry of `snapshot.pending`. Give the component `key={pending.id}`, so that the next question begins anew. */
  readonly pending: PendingQuestion;
  /** Goes to `chat.answer(pending.id, answer)`: the labels or the text for each question, or `null` after Esc at the first question. */
  readonly onAnswer: (answer: Answer) => void;
  /** Rows at most. @default what the `<Transcript>` around it gives; without one Infinity */
  readonly maxRows?: number;
}

/**
 * Asks the questions of an agent, one after the other: choices, several choices (Space), or text of the user's own.
 * Only Enter answers; Esc goes back, and at the first question gives no answer to all. It takes no keys before it shows its choices, which is a moment after each question has appeared.
 */
export function Question({
  pending,
  onAnswer,
  maxRows,
  isActive = true,
  ...props
}: QuestionProps): ReactElement {
  const { columns, theme } = useLook(props);
  const { maxRows: limit, room } = useRoom(maxRows);
  const canType = useCanType();
  const [state] = useKeys(newQuestion, { ...props, isActive }, (press, now, set) => {
    if (!offer.takesKeys()) {
      offer.withdraw();
      return;
    }
    const step = stepQuestion(now, press, pending);
    if (step.type === "open") {
      set(step.state);
      if (step.state.answers.length !== now.answers.length) offer.pause(); // more keys may have come with this one
    } else {
      offer.withdraw();
      onAnswer(step.answer);
    }
  });
  const key = `${state.answers.length} ${pending.id}`;
  const fits = fitsQuestion(pending, state, { columns, theme, maxRows: limit });
  const text = fits ? undefined : () => questionText(pending, state, columns, theme);
  const standing = useAbove(room, key, text);
  const offer = useOffer(key, isActive && canType && standing !== "printing");
  const instead = insteadOf(isActive, canType, offer.isOffered && standing !== "printing");
  const options = { columns, theme, maxRows: limit, isTextAbove: standing !== "inside", ...instead };
  return <Rows rows={withCursor(questionRows(pending, state, options))} theme={theme} />;
}
