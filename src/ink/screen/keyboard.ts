// Handles the keys of the whole screen: in the composer, in an open dialog, everywhere.
import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { Clock } from "../../core/clock.ts";
import type { ChatMessage } from "../../universal/transcript/message.ts";
import { type EditorState, editorAction, editorText, emptyEditor, stepEditor } from "../composer/editor.ts";
import type { Press } from "../press.ts";
import { displayed } from "../rows/row.ts";
import { helpOf, readInput } from "./commands.ts";
import type { LocalCommands } from "./local-commands.ts";
import type { Keys, OpenDialog } from "./open-dialog.ts";

/** How the user leaves. `quit`: by `/quit` or Ctrl-D. `interrupted`: by Ctrl-C. */
export type ExitReason = "quit" | "interrupted";

export interface KeyboardHost {
  readonly chat: Chat;
  readonly clock: Pick<Clock, "now">;
  readonly dialog: OpenDialog;
  readonly local: LocalCommands;
  readonly leave: (how: ExitReason) => void;
  readonly canRun: boolean;
  readonly say: (text: string) => void;
  readonly unfold: () => boolean;
}

export class Keyboard {
  readonly #host: KeyboardHost;
  #editor: EditorState = emptyEditor;
  #note: string | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #isAside = false;
  #foldsReasoning = true;
  /** Ctrl-C has cancelled the running turn. */
  #isCancelled = false;
  /** The prompt whose answer was cancelled last. The next answer clears the note about it. */
  #cancelled: string | undefined;

  constructor(host: KeyboardHost) {
    this.#host = host;
  }

  get editor(): EditorState {
    return this.#editor;
  }

  /** The effect of the last key, or why it had none. */
  get note(): string | undefined {
    return this.#note;
  }

  get keys(): Keys {
    return { typedAt: this.#typedAt, pressedAt: this.#pressedAt };
  }

  /** The user writes in the composer while a dialog waits. Sending or clearing the text ends this. */
  get isAside(): boolean {
    return this.#isAside;
  }

  get foldsReasoning(): boolean {
    return this.#foldsReasoning;
  }

  /** Updates the state for a new snapshot. */
  follow(snapshot: ChatSnapshot): void {
    const { busy, queue } = snapshot;
    if (!busy && queue.length === 0) this.#isCancelled = false;
    if (this.#cancelled === undefined || !busy || lastSent(snapshot) === this.#cancelled) return;
    this.#cancelled = undefined;
    this.#note = undefined;
  }

  /** The open dialog has changed. */
  asked(): void {
    this.#isAside = false;
  }

  press(press: Press): void {
    const { dialog } = this.#host;
    this.#unsay();
    this.#pressedAt = this.#host.clock.now();
    if (!this.#command(press)) {
      if (!this.#isAside && dialog.takes(press, this.#editor.text !== "")) dialog.press(press);
      else this.#edit(press);
    }
    this.#follow();
  }

  paste(text: string): void {
    const { clock, dialog } = this.#host;
    this.#unsay();
    this.#pressedAt = clock.now();
    if (dialog.takesPaste && !this.#isAside) {
      dialog.press({ type: "text", text: text.replace(/\s+/g, " ") });
      return;
    }
    this.#typedAt = clock.now();
    this.#editor = stepEditor(this.#editor, { type: "paste", text });
    this.#isAside ||= dialog.takesKeys;
    this.#follow();
  }

  #unsay(): void {
    this.#note = undefined;
    this.#cancelled = undefined;
  }

  /** Returns to the dialog once the composer is empty. */
  #follow(): void {
    if (!this.#isAside || this.#editor.text !== "") return;
    this.#isAside = false;
    this.#typedAt = Number.NEGATIVE_INFINITY;
    this.#host.dialog.hide();
  }

  /** Handles keys that do the same in the composer and in dialogs. */
  #command(press: Press): boolean {
    if (press.type === "text") return false;
    switch (press.key) {
      case "ctrl-c":
        this.#interrupt();
        return true;
      case "ctrl-d":
        if (this.#editor.text !== "" || this.#isWritingInDialog) return false;
        this.#host.leave("quit");
        return true;
      case "ctrl-r":
        this.#foldsReasoning = !this.#foldsReasoning;
        this.#note = this.#foldsReasoning
          ? "reasoning is folded from now on"
          : "reasoning is shown from now on";
        return true;
      case "ctrl-o":
        if (!this.#host.unfold()) this.#note = "nothing is folded";
        return true;
      case "escape":
        if (this.#host.dialog.takesEscape && !this.#isAside) return false;
        if (this.#host.dialog.ignoresEscape) return true;
        this.#cancelTurn("turn");
        return true;
      default:
        return false;
    }
  }

  get #isWritingInDialog(): boolean {
    return !this.#isAside && this.#host.dialog.hasText;
  }

  #interrupt(): void {
    const { busy, queue } = this.#host.chat.getSnapshot();
    if (this.#isWritingInDialog) {
      this.#host.dialog.clearText();
      return;
    }
    if (this.#editor.text !== "") this.#editor = stepEditor(this.#editor, { type: "clear" });
    else if (this.#host.local.stop()) this.#note = "the command is being stopped; Ctrl-C again leaves";
    else if ((busy || queue.length > 0) && !this.#isCancelled) {
      this.#isCancelled = true;
      this.#cancelTurn("all");
    } else this.#host.leave("interrupted");
  }

  #cancelTurn(what: "turn" | "all"): void {
    const { chat } = this.#host;
    const snapshot = chat.getSnapshot();
    const { busy, queue } = snapshot;
    if (!busy && (what === "turn" || queue.length === 0)) {
      this.#note = "nothing runs";
      return;
    }
    chat.cancel(what);
    this.#host.dialog.hide(); // further keys of the same input must not decide
    this.#note = what === "all" ? "cancelled; Ctrl-C again leaves" : "cancelled";
    this.#cancelled = lastSent(snapshot);
  }

  #edit(press: Press): void {
    this.#typedAt = this.#host.clock.now();
    const action = editorAction(press, this.#editor);
    if (action === "submit") {
      this.#typedAt = Number.NEGATIVE_INFINITY; // the user has finished typing
      this.#submit();
    } else if (action) {
      this.#editor = stepEditor(this.#editor, action);
      this.#isAside ||= this.#host.dialog.takesKeys;
    }
  }

  #submit(): void {
    const { chat } = this.#host;
    const input = readInput(editorText(this.#editor));
    switch (input.type) {
      case "blank":
        this.#note = "there is nothing to send";
        return;
      case "unknown":
        this.#note = `there is no command ${displayed(input.name)}: /help shows them`;
        return;
      case "help":
        this.#host.say(helpOf(this.#host.canRun));
        break;
      case "quit":
        this.#host.leave("quit");
        break;
      case "dismiss":
        if (chat.getSnapshot().problem) chat.dismiss();
        else this.#note = "there is nothing to dismiss";
        break;
      case "retry": {
        const last = lastTurn(chat.getSnapshot());
        if (last) chat.retry(last.id);
        else this.#note = "there is nothing to send again";
        break;
      }
      case "again": {
        const last = lastTurn(chat.getSnapshot());
        if (last) chat.regenerate(last.id);
        else this.#note = "there is nothing to ask again";
        break;
      }
      case "send":
        if (!chat.getSnapshot().queue.some(({ held }) => held)) this.#note = "no prompt of before waits";
        else chat.resume();
        break;
      case "local": {
        const refused = this.#host.local.run(input.command);
        if (refused) {
          this.#note = refused;
          return;
        }
        break;
      }
      case "prompt": {
        const result = chat.send(this.#host.local.attachTo(input.text));
        if (!result.ok && result.id === undefined) return; // the banner says why, and the text stays
        this.#host.local.sent();
      }
    }
    this.#editor = stepEditor(this.#editor, { type: "sent" });
  }
}

/** The id of the last sent prompt, or an empty string. */
function lastSent({ messages }: ChatSnapshot): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages.at(at);
    if (message?.role === "user" && message.status === "sent") return message.id;
  }
  return "";
}

/** The last prompt or answer. Skips system messages between turns. */
function lastTurn({ messages }: ChatSnapshot): ChatMessage | undefined {
  return messages.toArray().findLast(({ role }) => role !== "system");
}
