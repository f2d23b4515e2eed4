// The dialogs `<Approval>`, `<Question>` and `<Resume>`: what waits for the user.
import type { ReactElement } from "react";
import type { ChatResume } from "../../chat/chat.ts";
import type { Answer, Decision } from "../../core/values.ts";
import { withCursor } from "../composer/composer-rows.ts";
import {
  approvalInput,
  approvalRows,
  fitsApproval,
  isBehindChoice,
  newApproval,
  type PendingApproval,
  stepApproval,
  takesPress,
} from "../dialogs/approval-dialog.ts";
import { resumeRows, stepResume } from "../dialogs/dialog.ts";
import {
  fitsQuestion,
  newQuestion,
  type PendingQuestion,
  questionRows,
  questionText,
  stepQuestion,
} from "../dialogs/question-dialog.ts";
import { Rows } from "../rows/rows.tsx";
import { type KeyProps, type Look, useDialog, useKeys } from "./hooks.ts";

export interface ApprovalProps extends Look, KeyProps {
  /** An entry of `snapshot.pending`. Set `key={pending.id}`, so that each request starts fresh. */
  readonly pending: PendingApproval;
  /** Called with the decision, for `chat.decide(pending.id, decision)`. */
  readonly onDecide: (decision: Decision) => void;
  /**
   * Maximum number of rows. Below a `<Transcript>`, a longer input is printed above the dialog. Without a
   * `<Transcript>`, the input is cut, and a row says so: show the input elsewhere first.
   * @default the space in the surrounding `<Transcript>`; without one Infinity: the whole input
   */
  readonly maxRows?: number;
}

/**
 * Asks whether a tool may run. Shows the whole input through `reveal`, so that nothing is hidden. Says what the lasting
 * choices cover; a call without `grant` has none. Keys: `y` once, `t` this turn, `a` always, `n` reject, `r` a reason
 * and Enter, `e` and then `y` every call of the tool, or arrows and Enter. Keys work only after the choices are
 * visible, a moment after the dialog appears.
 */
export function Approval({ pending, onDecide, ...props }: ApprovalProps): ReactElement {
  const { offer, isTextAbove, options } = useDialog(props, pending.id, {
    fits: (given) => fitsApproval(pending, given),
    rows: (surface) => approvalInput(pending, surface),
  });
  const [state] = useKeys(newApproval, props, (press, now, set) => {
    const isEscape = press.type === "key" && press.key === "escape";
    if (isEscape && !isBehindChoice(now)) {
      props.onEscape?.();
      return;
    }
    if (!offer.takesKeys() || !takesPress(now, press, pending)) {
      offer.withdraw();
      return;
    }
    const step = stepApproval(now, press, pending);
    if (step.type === "open") set(step.state);
    else {
      offer.withdraw(); // drop further keys of the same input
      onDecide(step.decision);
    }
  });
  const rows = approvalRows(pending, state, { ...options, isInputAbove: isTextAbove });
  return <Rows rows={withCursor(rows)} theme={options.theme} />;
}

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
export function Question({ pending, onAnswer, ...props }: QuestionProps): ReactElement {
  const [state] = useKeys(newQuestion, props, (press, now, set) => {
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
  const { offer, isTextAbove, options } = useDialog(props, key, {
    fits: (given) => fitsQuestion(pending, state, given),
    rows: (surface) => questionText(pending, state, surface),
  });
  const rows = questionRows(pending, state, { ...options, isTextAbove });
  return <Rows rows={withCursor(rows)} theme={options.theme} />;
}

export interface ResumeProps extends Look, KeyProps {
  /** Called with the choice, for `chat.resume(how)`. */
  readonly onResume: (how: ChatResume) => void;
  /** Maximum rows. @default the space in the surrounding `<Transcript>`; without one Infinity */
  readonly maxRows?: number;
}

/**
 * Asks how to continue after the agent has forgotten the conversation. Show the dialog while
 * `snapshot.connection.contextLost` is set, because prompts wait for the choice. Keys: `y` sends the transcript, `n`
 * continues without it. Keys work only after the choices are visible, a moment after the dialog appears.
 */
export function Resume({ onResume, ...props }: ResumeProps): ReactElement {
  const { offer, options } = useDialog(props, "resume");
  useKeys(undefined, props, (press) => {
    const how = stepResume(press);
    if (press.type === "key" && press.key === "escape") props.onEscape?.();
    else if (how && offer.takesKeys()) onResume(how);
    else offer.withdraw();
  });
  return <Rows rows={resumeRows(options).rows} theme={options.theme} />;
}
