// Decides which dialog waits for the user, and when it takes keys.
import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { emptyEditor } from "../composer/editor.ts";
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
import { type DialogOptions, resumeRows, stepResume } from "../dialogs/dialog.ts";
import {
  fitsQuestion,
  newQuestion,
  type PendingQuestion,
  type QuestionState,
  questionRows,
  questionText,
  stepQuestion,
  takesText,
} from "../dialogs/question-dialog.ts";
import type { Press, TextPress } from "../press.ts";
import { type Piece, type Row, rowsOf } from "../rows/row.ts";

type Asked =
  | { readonly type: "approval"; readonly pending: PendingApproval; readonly state: ApprovalState }
  | { readonly type: "question"; readonly pending: PendingQuestion; readonly state: QuestionState }
  | { readonly type: "resume" };

/** ms after the last key until the user no longer types. A dialog that appears meanwhile waits. */
export const TYPING_PAUSE = 500;

/**
 * ms without a key before a dialog shows its choices. The user may press the key that sent a prompt or answered the
 * previous dialog twice; the second press must not answer this dialog.
 */
export const SETTLING = 300;

/** ms after a letter until it decides. With text behind it, the letter begins a message. */
export const LETTER_PAUSE = 400;

/** Why a dialog takes no keys. `aside`: the user writes another text in the composer. */
export type DialogHold = "typing" | "settling" | "aside";

/** The times of the user's keys, by the clock of the screen. */
export interface Keys {
  /** The last key for the composer; -Infinity after the text was sent. */
  readonly typedAt: number;
  /** The last key. */
  readonly pressedAt: number;
}

/** The current dialog: the oldest waiting request, otherwise a lost context. */
export class OpenDialog {
  readonly #chat: Chat;
  readonly #words: TerminalWords;
  #asked: Asked | undefined;
  #openedAt = 0;
  /** The number of the question whose text was printed above the dialog, because it is too tall. */
  #above: number | undefined;
  #isShown = false;
  readonly #inputsAbove = new Set<string>();
  /** The letter that decides unless text follows it. */
  #letter: { readonly press: TextPress; readonly at: number } | undefined;
  /** Between two questions of one request: the next one does not show its choices yet. */
  #isBetween = false;

  constructor(chat: Chat, words: TerminalWords) {
    this.#chat = chat;
    this.#words = words;
  }

  get inputsAbove(): ReadonlySet<string> {
    return this.#inputsAbove;
  }

  get isOpen(): boolean {
    return this.#asked !== undefined;
  }

  /** Follows the chat. Returns whether the dialog has changed. */
  follow({ pending, connection }: ChatSnapshot, now: number): boolean {
    const [first] = pending;
    const before = this.#asked;
    if (
      first
        ? before && "pending" in before && before.pending === first
        : before?.type === (connection.contextLost ? "resume" : undefined)
    )
      return false;
    this.#asked = askedOf(first, connection.contextLost);
    this.#openedAt = now;
    this.#above = undefined;
    this.#isBetween = false;
    this.hide();
    return true;
  }

  /** The rows that must be printed above the dialog because they are too tall. Once for each text. */
  tooTall(options: DialogOptions): readonly Row[] {
    const asked = this.#asked;
    if (!asked || asked.type === "resume") return [];
    if (this.isAbove) return [];
    const fits =
      asked.type === "approval"
        ? fitsApproval(asked.pending, options)
        : fitsQuestion(asked.pending, asked.state, options);
    if (fits) return [];
    this.#above = textNumber(asked);
    this.#isShown = false;
    if (asked.type === "question") return questionText(asked.pending, asked.state, options);
    this.#inputsAbove.add(asked.pending.id);
    return approvalInput(asked.pending, options);
  }

  /** @param hold why the dialog hides its choices, if it does */
  rows(given: DialogOptions, snapshot: ChatSnapshot, hold: DialogHold | undefined): Piece {
    const asked = this.#asked;
    if (!asked) return { rows: [] };
    if (hold === "typing") {
      const { columns, theme, maxRows } = given;
      const { dialogWaitsQuestion, dialogWaitsApproval } = this.#words;
      const what = asked.type === "question" ? dialogWaitsQuestion : dialogWaitsApproval;
      const text = `${theme.symbols.waiting} ${what}`;
      return { rows: rowsOf(text, "warn", { columns }).slice(0, maxRows) };
    }
    const options = hold ? { ...given, instead: this.#words[INSTEAD[hold]] } : given;
    switch (asked.type) {
      case "approval": {
        const further = snapshot.pending.length - 1;
        return approvalRows(asked.pending, asked.state, { ...options, isInputAbove: this.isAbove, further });
      }
      case "question":
        return questionRows(asked.pending, asked.state, { ...options, isTextAbove: this.isAbove });
      case "resume":
        return resumeRows(options);
    }
  }

  /** Hides the choices until a frame shows them again. */
  hide(): void {
    this.#isShown = false;
    this.#letter = undefined;
  }

  /** The user writes a message instead: leaves the second step of an approval. */
  leave(): void {
    const asked = this.#asked;
    if (asked?.type === "approval" && asked.state.isForEveryCall)
      this.#asked = { ...asked, state: newApproval };
  }

  /** The whole dialog is on the screen: from now on, keys decide. */
  shown(): void {
    this.#isShown = this.#asked !== undefined;
    this.#isBetween = false;
  }

  /** Whether Esc does nothing, because the next question is not shown yet. */
  get ignoresEscape(): boolean {
    return this.#isBetween;
  }

  get takesKeys(): boolean {
    return this.#isShown;
  }

  /** Why the dialog must not show its choices yet, and for how many ms. Undefined: it may. */
  wait(
    now: number,
    { typedAt, pressedAt }: Keys,
  ): { readonly hold: "typing" | "settling"; readonly ms: number } | undefined {
    if (!this.#asked || this.#isShown) return undefined;
    const typing = typedAt > this.#openedAt - TYPING_PAUSE ? typedAt + TYPING_PAUSE - now : 0;
    if (typing > 0) return { hold: "typing", ms: typing };
    const settling = Math.max(pressedAt, this.#openedAt) + SETTLING - now;
    return settling > 0 ? { hold: "settling", ms: settling } : undefined;
  }

  /** Whether a key is for the dialog. Other text is for the composer. */
  takes(press: Press): boolean {
    const asked = this.#asked;
    if (!this.#isShown || !asked) return false;
    switch (asked.type) {
      case "approval":
        return takesPress(asked.state, press, asked.pending);
      case "question":
        return true;
      case "resume":
        return press.type === "key" || stepResume(press) !== undefined;
    }
  }

  get takesText(): boolean {
    const asked = this.#asked;
    if (!this.#isShown || !asked) return false;
    if (asked.type === "approval") return asked.state.reason !== undefined;
    return asked.type === "question" && takesText(asked.pending, asked.state);
  }

  get hasText(): boolean {
    const asked = this.#asked;
    if (!this.takesText || !asked || asked.type === "resume") return false;
    return ((asked.type === "approval" ? asked.state.reason : asked.state.free)?.text ?? "") !== "";
  }

  clearText(): void {
    const asked = this.#asked;
    if (asked?.type === "approval")
      this.#asked = { ...asked, state: { ...asked.state, reason: emptyEditor } };
    if (asked?.type === "question") this.#asked = { ...asked, state: { ...asked.state, free: emptyEditor } };
  }

  /** Whether the dialog's text was printed above it. */
  get isAbove(): boolean {
    const asked = this.#asked;
    if (!asked || asked.type === "resume") return false;
    return this.#above === textNumber(asked);
  }

  get takesPaste(): boolean {
    return this.takesText || (this.#isShown && this.#asked?.type === "question");
  }

  /** Whether Esc is for the dialog: it skips a question or leaves a reason. Else it cancels the turn. */
  get takesEscape(): boolean {
    const asked = this.#asked;
    return this.takesPaste || (this.#isShown && asked?.type === "approval" && isBehindChoice(asked.state));
  }

  press(press: Press, now: number): void {
    const asked = this.#asked;
    const isLetter =
      press.type === "text" &&
      (asked?.type === "resume" ||
        (asked?.type === "approval" && isDeciding(asked.state, press, asked.pending)));
    if (!isLetter) this.carryOut(press);
    else {
      this.#letter = { press, at: now };
      if (asked.type === "approval")
        this.#asked = { ...asked, state: pointed(asked.state, press, asked.pending) };
    }
  }

  /** Returns the letter that waits, which then decides nothing. */
  takeLetter(): TextPress | undefined {
    const press = this.#letter?.press;
    const asked = this.#asked;
    this.#letter = undefined;
    if (press && asked?.type === "approval") this.#asked = { ...asked, state: unpointed(asked.state) };
    return press;
  }

  /** ms until the letter that waits decides. Undefined without one. */
  letterWait(now: number): number | undefined {
    return this.#letter && this.#letter.at + LETTER_PAUSE - now;
  }

  /** Carries out the letter that waits, if its time is over. */
  settleLetter(now: number): void {
    const wait = this.letterWait(now);
    if (wait === undefined || wait > 0) return;
    const letter = this.takeLetter();
    if (letter) this.carryOut(letter);
  }

  carryOut(press: Press): void {
    const asked = this.#asked;
    switch (asked?.type) {
      case "approval": {
        const step = stepApproval(asked.state, press, asked.pending);
        if (step.type === "open") this.#asked = { ...asked, state: step.state };
        else {
          this.hide();
          this.#chat.decide(asked.pending.id, step.decision);
        }
        return;
      }
      case "question": {
        const step = stepQuestion(asked.state, press, asked.pending);
        if (step.type === "answered") {
          this.hide();
          this.#chat.answer(asked.pending.id, step.answer);
        } else {
          if (step.state.answers.length !== asked.state.answers.length) {
            this.hide();
            this.#isBetween = true;
          }
          this.#asked = { ...asked, state: step.state };
        }
        return;
      }
      case "resume": {
        const how = stepResume(press);
        if (!how) return;
        this.hide();
        this.#chat.resume(how);
        return;
      }
      case undefined:
        return;
    }
  }
}

/** The number of the question; 0 for an approval. */
function textNumber(asked: Exclude<Asked, { readonly type: "resume" }>): number {
  return asked.type === "question" ? asked.state.answers.length : 0;
}

const INSTEAD = {
  settling: "dialogSettling",
  aside: "dialogAside",
} as const;

function askedOf(
  first: ChatSnapshot["pending"][number] | undefined,
  isContextLost: boolean,
): Asked | undefined {
  if (first?.type === "approval") return { type: "approval", pending: first, state: newApproval };
  if (first) return { type: "question", pending: first, state: newQuestion };
  return isContextLost ? { type: "resume" } : undefined;
}
