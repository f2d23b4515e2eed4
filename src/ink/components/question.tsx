// `<Question>`: asks the questions of an agent, one after the other.
import type { ReactElement } from "react";
import type { Answer } from "../../core/values.ts";
import { withCursor } from "../composer/shown-cursor.ts";
import { fitsQuestion, questionRows, questionText } from "../dialogs/question-dialog.ts";
import { newQuestion, type PendingQuestion, stepQuestion } from "../dialogs/question-state.ts";
import { Rows } from "../rows/rows.tsx";
import { useAbove, useSpace } from "./space.ts";
import { insteadOf, type KeyProps, useCanType, useKeys, useOffer } from "./use-keys.ts";
import { type Look, useLook } from "./use-look.ts";

export interface QuestionProps extends Look, Omit<KeyProps, "onEscape"> {
  /** An entry of `snapshot.pending`. Set `key={pending.id}`, so that each request starts fresh. */
  readonly pending: PendingQuestion;
  /** For `chat.answer(pending.id, answer)`: labels or text per question; `null` after Esc at the first. */
  readonly onAnswer: (answer: Answer) => void;
  /** Maximum rows. @default the space in the surrounding `<Transcript>`; without one Infinity */
  readonly maxRows?: number;
}

/**
 * Asks an agent's questions, one after the other: one choice, several choices (Space), or free text. Only Enter
 * answers. Esc goes back; at the first question it leaves all unanswered. Keys work only after the choices are visible,
 * a moment after each question appears.
 */
export function Question({
  pending,
  onAnswer,
  maxRows,
  isActive = true,
  ...props
}: QuestionProps): ReactElement {
  const { columns, theme } = useLook(props);
  const { maxRows: limit, space } = useSpace(maxRows);
  const canType = useCanType();
  const [state] = useKeys(newQuestion, { ...props, isActive }, (press, now, set) => {
    if (!offer.takesKeys()) {
      offer.withdraw();
      return;
    }
    const step = stepQuestion(now, press, pending);
    if (step.type === "open") {
      set(step.state);
      if (step.state.answers.length !== now.answers.length) offer.pause(); // drop further keys of the same input
    } else {
      offer.withdraw();
      onAnswer(step.answer);
    }
  });
  const key = `${state.answers.length} ${pending.id}`;
  const fits = fitsQuestion(pending, state, { columns, theme, maxRows: limit });
  const text = fits ? undefined : () => questionText(pending, state, columns, theme);
  const standing = useAbove(space, key, text);
  const offer = useOffer(key, isActive && canType && standing !== "printing");
  const instead = insteadOf(isActive, canType, offer.isOffered && standing !== "printing");
  const options = { columns, theme, maxRows: limit, isTextAbove: standing !== "inside", ...instead };
  return <Rows rows={withCursor(questionRows(pending, state, options))} theme={theme} />;
}
