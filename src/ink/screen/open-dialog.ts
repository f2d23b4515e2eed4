import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import {
  type ApprovalState,
  approvalInput,
  approvalRows,
  fitsApproval,
  newApproval,
  type PendingApproval,
  stepApproval,
} from "../dialogs/approval-dialog.ts";
import type { DialogOptions, DialogRows } from "../dialogs/dialog.ts";
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
import { resumeRows, stepResume } from "../dialogs/resume-dialog.ts";
import type { Press } from "../press.ts";
import { clippedRow, type Row } from "../rows/row.ts";

type Asked =
  | { readonly type: "approval"; readonly pending: PendingApproval; readonly state: ApprovalState }
  | { readonly type: "question"; readonly pending: PendingQuestion; readonly state: QuestionState }
  | { readonly type: "resume" };

/** ms without a key after which a user is not typing any more. A dialog that appears while the user types waits so long for its answer. */
export const TYPING_PAUSE = 500;

/** The dialog that the user has to answer now: the oldest request that waits, or else a lost context. */
export class OpenDialog {
  readonly #chat: Chat;
  #asked: Asked | undefined;
  #openedAt = 0;
  /** What is too tall for the dialog was printed above it: for the question with this number. */
  #above: number | undefined;
  #isShown = false;

  constructor(chat: Chat) {
    this.#chat = chat;
  }

  get isOpen(): boolean {
    return this.#asked !== undefined;
  }

  /** Follows the chat. Returns whether another dialog is open than before. */
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
    this.#isShown = false;
    return true;
  }

  /** What has to be printed above the dialog before it asks, because it is too tall. Once for each text. */
  tooTall(options: DialogOptions): readonly Row[] {
    const asked = this.#asked;
    if (!asked || asked.type === "resume") return [];
    const { columns, theme } = options;
    const at = asked.type === "question" ? asked.state.answers.length : 0;
    if (this.#above === at) return [];
    const fits =
      asked.type === "approval"
        ? fitsApproval(asked.pending, options)
        : fitsQuestion(asked.pending, asked.state, options);
    if (fits) return [];
    this.#above = at;
    this.#isShown = false;
    return asked.type === "approval"
      ? approvalInput(asked.pending, columns, theme)
      : questionText(asked.pending, asked.state, columns, theme);
  }

  /** @param isWaiting the dialog does not offer its choices yet */
  rows(options: DialogOptions, snapshot: ChatSnapshot, isWaiting: boolean): DialogRows {
    const asked = this.#asked;
    if (!asked) return { rows: [] };
    if (isWaiting) {
      const { columns, theme } = options;
      const what = asked.type === "question" ? "asks you something" : "waits for your decision";
      const text = `${theme.symbols.waiting} The agent ${what}: stop typing to see it`;
      return { rows: [clippedRow([{ text, tone: "warn" }], columns)] };
    }
    switch (asked.type) {
      case "approval": {
        const isInputAbove = this.#above === 0;
        return approvalRows(asked.pending, asked.state, {
          ...options,
          isInputAbove,
          further: snapshot.pending.length - 1,
        });
      }
      case "question": {
        const isTextAbove = this.#above === asked.state.answers.length;
        return questionRows(asked.pending, asked.state, { ...options, isTextAbove });
      }
      case "resume":
        return resumeRows(snapshot.connection, options);
    }
  }

  /** A frame with the whole dialog and its choices is on the screen: from now on, keys decide. */
  shown(): void {
    this.#isShown = this.#asked !== undefined;
  }

  get takesKeys(): boolean {
    return this.#isShown;
  }

  /**
   * ms until the dialog may offer its choices. While the user goes on with what was being typed when it appeared, keys go to the composer.
   * 0: now.
   *
   * @param typedAt when a key went into the composer last
   */
  wait(now: number, typedAt: number): number {
    if (!this.#asked || this.#isShown || typedAt <= this.#openedAt - TYPING_PAUSE) return 0;
    return Math.max(0, typedAt + TYPING_PAUSE - now);
  }

  /** Whether the dialog takes text, such as a reason. */
  get takesText(): boolean {
    const asked = this.#asked;
    if (!this.#isShown || !asked) return false;
    if (asked.type === "approval") return asked.state.reason !== undefined;
    return asked.type === "question" && takesText(asked.pending, asked.state);
  }

  /** Whether Esc is for the dialog: a question gets no answer, a reason is left. Otherwise Esc cancels the turn. */
  get takesEscape(): boolean {
    return this.takesText || (this.#isShown && this.#asked?.type === "question");
  }

  press(press: Press): void {
    const asked = this.#asked;
    switch (asked?.type) {
      case "approval": {
        const step = stepApproval(asked.state, press);
        if (step.type === "open") this.#asked = { ...asked, state: step.state };
        else {
          this.#isShown = false;
          this.#chat.decide(asked.pending.id, step.decision);
        }
        return;
      }
      case "question": {
        const step = stepQuestion(asked.state, press, asked.pending);
        if (step.type === "answered") {
          this.#isShown = false;
          this.#chat.answer(asked.pending.id, step.answer);
        } else {
          if (step.state.answers.length !== asked.state.answers.length) this.#isShown = false;
          this.#asked = { ...asked, state: step.state };
        }
        return;
      }
      case "resume": {
        const how = stepResume(press);
        if (!how) return;
        this.#isShown = false;
        this.#chat.resume(how);
        return;
      }
      case undefined:
        return;
    }
  }
}

function askedOf(
  first: ChatSnapshot["pending"][number] | undefined,
  isContextLost: boolean,
): Asked | undefined {
  if (first?.type === "approval") return { type: "approval", pending: first, state: newApproval };
  if (first) return { type: "question", pending: first, state: newQuestion };
  return isContextLost ? { type: "resume" } : undefined;
}
