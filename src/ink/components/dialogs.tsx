// The dialogs `<Approval>`, `<Question>` and `<Resume>`: what waits for the user.
import type { ReactElement } from "react";
import type { ChatResume } from "../../chat/chat.ts";
import type { Answer, Decision } from "../../core/values.ts";
import { withCursor } from "../composer/composer-rows.ts";
import {
  type ApprovalState,
  approvalInput,
  approvalRows,
  fitsApproval,
  isBehindChoice,
  isDeciding,
  newApproval,
  type PendingApproval,
  pointed,
  stepApproval,
  takesPress,
  unpointed,
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
import type { KeyName, Press } from "../press.ts";
import { Rows } from "../rows/rows.tsx";
import { type KeyProps, type Look, useDialog, useKeys, useLetter } from "./hooks.ts";

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
 * and Enter, `e` and then `y` every call of the tool, or arrows and Enter. A letter decides when no other key follows it
 * for 0.4 s, or with Enter. Keys work only after the choices are visible, a moment after the dialog appears.
 */
export function Approval({ pending, onDecide, ...props }: ApprovalProps): ReactElement {
  const { offer, isTextAbove, options } = useDialog(props, pending.id, {
    fits: (given) => fitsApproval(pending, given),
    rows: (surface) => approvalInput(pending, surface),
  });
  const letter = useLetter(props.isActive);
  const [state] = useKeys(newApproval, props, (press, now, set) => {
    const carryOut = (given: Press, from: ApprovalState): void => {
      const step = stepApproval(from, given, pending);
      if (step.type === "open") set(step.state);
      else {
        offer.withdraw(); // drop further keys of the same input
        onDecide(step.decision);
      }
    };
    const before = letter.take();
    const from = before ? unpointed(now) : now;
    if (from !== now) set(from);
    if (before && isKey(press, "enter")) {
      carryOut(before, from);
      return;
    }
    if (before && (isKey(press, "escape") || isKey(press, "backspace"))) return;
    if (isKey(press, "escape") && !isBehindChoice(from)) {
      props.onEscape?.();
      return;
    }
    const isWord = before !== undefined && press.type === "text";
    if (isWord || !offer.takesKeys() || !takesPress(from, press, pending)) {
      offer.withdraw();
      if (from.isForEveryCall) set(newApproval);
    } else if (press.type === "text" && isDeciding(from, press, pending)) {
      const next = pointed(from, press, pending);
      set(next);
      letter.wait(press, () => carryOut(press, next));
    } else carryOut(press, from);
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
  const letter = useLetter(props.isActive);
  useKeys(undefined, props, (press) => {
    const before = letter.take();
    const how = stepResume(before && isKey(press, "enter") ? before : press);
    if (before && how && isKey(press, "enter")) onResume(how);
    else if (isKey(press, "escape")) {
      if (!before) props.onEscape?.();
    } else if (how && press.type === "text" && !before && offer.takesKeys())
      letter.wait(press, () => onResume(how));
    else offer.withdraw();
  });
  return <Rows rows={resumeRows(options).rows} theme={options.theme} />;
}

function isKey(press: Press, key: KeyName): boolean {
  return press.type === "key" && press.key === key;
}
