// Handles the keys of the whole screen: in the composer, in an open dialog, everywhere.
import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { Clock } from "../../core/clock.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { type EditorState, MAX_HISTORY } from "../composer/editor.ts";
import { doesOf } from "../keys.ts";
import type { Press } from "../press.ts";
import type { Row, Surface } from "../rows/row.ts";
import { messageText } from "./branch-commands.ts";
import { COMMANDS } from "./commands.ts";
import { type CommandOptions, type Desk, type ExitReason, reasonOf } from "./desk.ts";
import { ComposerDraft } from "./draft.ts";
import type { LocalCommands } from "./local-commands.ts";
import { lookupAt } from "./lookup.ts";
import type { Keys, OpenDialog } from "./open-dialog.ts";
import { QueueNumbers } from "./queue-numbers.ts";
import { SCREEN_KEYS } from "./screen-keys.ts";
import { submit } from "./submit.ts";

export interface KeyboardHost {
  readonly chat: Chat;
  readonly words: TerminalWords;
  readonly commands: CommandOptions;
  readonly clipboard: (text: string) => void;
  readonly clock: Pick<Clock, "now" | "wallTime">;
  readonly dialog: OpenDialog;
  readonly local: LocalCommands;
  readonly leave: (how: ExitReason) => void;
  readonly canRun: boolean;
  readonly say: (rows: (surface: Surface) => readonly Row[]) => void;
  readonly unfold: () => boolean;
  /** Something has changed without a key. */
  readonly changed: () => void;
}

/** ms in which a second Ctrl-C leaves. */
const LEAVE_PAUSE = 2_000;

export class Keyboard {
  readonly #host: KeyboardHost;
  readonly #desk: Desk;
  readonly #draft: ComposerDraft;
  #note: string | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #isAside = false;
  #foldsReasoning = true;
  /** The last Ctrl-C that had no text to clear. */
  #interruptedAt = Number.NEGATIVE_INFINITY;
  /** Ctrl-C has cancelled the running turn. */
  #isCancelled = false;
  /** The prompt whose answer was cancelled last. The next answer clears the note about it. */
  #cancelled: string | undefined;

  /** Whether earlier prompts are in the history. */
  #hasRemembered: boolean;

  constructor(host: KeyboardHost) {
    const { chat, words, commands, clipboard, clock, canRun, say, leave } = host;
    this.#host = host;
    this.#desk = {
      ...{ chat, words, options: commands, clipboard, clock, canRun, say, leave },
      numbers: new QueueNumbers(),
      compose: (composed) => {
        if (this.#draft.isEmpty) this.#draft.compose(composed);
      },
      later: (note) => {
        note.then(
          (text) => this.#tell(text),
          (error: unknown) => this.#tell(words.noteFailed(reasonOf(error))),
        );
      },
    };
    this.#draft = new ComposerDraft({
      words,
      lookup: (editor) => (host.dialog.isOpen ? undefined : lookupAt(editor, this.#desk, COMMANDS)),
      takesImages: () => chat.getSnapshot().capabilities?.images === true,
      note: (text) => this.#tell(text),
      changed: host.changed,
    });
    this.#hasRemembered = commands.history !== undefined;
    this.#draft.remember(commands.history?.prompts.slice(-MAX_HISTORY) ?? []);
  }

  get editor(): EditorState {
    return this.#draft.editor;
  }

  /** The rows above the composer. */
  above(surface: Surface, maxRows: number): readonly Row[] {
    return this.#draft.above(surface, maxRows);
  }

  /** The effect of the last key, or why it had none. */
  get note(): string | undefined {
    return this.#note;
  }

  /** ms in which a second Ctrl-C still leaves, as the note says. Undefined without this note. */
  get noteWait(): number | undefined {
    const { clock, words } = this.#host;
    return this.#note === words.noteLeaves ? this.#interruptedAt + LEAVE_PAUSE - clock.now() : undefined;
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
    if (!snapshot.loading) this.#remember(snapshot);
    if (!busy && queue.length === 0) this.#isCancelled = false;
    const { local, words } = this.#host;
    if (this.#note === words.localStopping && !local.isBusy) this.#note = undefined;
    if ((this.noteWait ?? LEAVE_PAUSE) <= 0) this.#note = undefined;
    if (this.#cancelled === undefined || !busy || lastSent(snapshot) === this.#cancelled) return;
    this.#cancelled = undefined;
    this.#note = undefined;
  }

  /** The open dialog has changed. */
  asked(): void {
    this.#isAside = this.#host.dialog.isOpen && !this.#draft.isEmpty;
    this.#draft.interrupted();
  }

  press(press: Press): void {
    const { dialog } = this.#host;
    this.#unsay();
    this.#pressedAt = this.#host.clock.now();
    if (!this.#afterLetter(press) && !this.#special(press) && !this.#command(press)) {
      if (this.#isAside && press.type === "key" && press.key === "tab") this.#toDialog();
      else if (!this.#isAside && dialog.takes(press)) dialog.press(press, this.#pressedAt);
      else this.#edit(press);
    }
    this.#follow();
  }

  /** Handles the key behind a letter for the dialog: text makes the letter a part of a message, Enter confirms it. */
  #afterLetter(press: Press): boolean {
    const { dialog } = this.#host;
    const letter = dialog.takeLetter();
    if (!letter) return false;
    if (press.type === "text") this.#edit({ type: "text", text: letter.text + press.text });
    else if (press.key === "enter") dialog.carryOut(letter);
    else return press.key === "escape" || press.key === "backspace"; // the letter is forgotten
    return true;
  }

  #toDialog(): void {
    this.#isAside = false;
    this.#typedAt = Number.NEGATIVE_INFINITY;
    this.#host.dialog.hide();
  }

  paste(text: string): void {
    const { clock, dialog } = this.#host;
    this.#unsay();
    this.#pressedAt = clock.now();
    if (dialog.takesPaste && !this.#isAside) {
      dialog.press({ type: "text", text: text.replace(/\s+/g, " ") }, this.#pressedAt);
      return;
    }
    const letter = dialog.takeLetter();
    if (letter) this.#edit(letter);
    this.#typedAt = clock.now();
    this.#draft.paste(text);
    this.#writes();
    this.#follow();
  }

  #tell(note: string): void {
    if (note !== "") this.#note = note;
    this.#host.changed();
  }

  /** Once, with the messages of an earlier chat. */
  #remember({ messages }: ChatSnapshot): void {
    if (this.#hasRemembered) return;
    this.#hasRemembered = true;
    const prompts: string[] = [];
    for (let at = messages.length - 1; at >= 0 && prompts.length < MAX_HISTORY; at--) {
      const message = messages.at(at);
      if (message?.role === "user") prompts.unshift(messageText(message));
    }
    if (prompts.length > 0) this.#draft.remember(prompts);
  }

  #unsay(): void {
    this.#note = undefined;
    this.#cancelled = undefined;
  }

  /** Returns to the dialog once the composer is empty. */
  #follow(): void {
    if (this.#isAside && this.#draft.isEmpty) this.#toDialog();
  }

  /** Handles keys of the menu above the composer, and of the search. */
  #special(press: Press): boolean {
    if (this.#host.dialog.takesKeys && !this.#isAside) return false;
    const done = this.#draft.special(press);
    if (done === undefined) return false;
    this.#typedAt = this.#host.clock.now();
    if (done === "submit") this.#send();
    return true;
  }

  /** Handles keys that do the same in the composer and in dialogs. */
  #command(press: Press): boolean {
    const { dialog, words } = this.#host;
    switch (doesOf(SCREEN_KEYS, press)) {
      case "interrupt":
        this.#interrupt();
        return true;
      case "leave":
        if (!this.#draft.isEmpty || this.#isWritingInDialog) return false;
        this.#host.leave("quit");
        return true;
      case "search":
        if (dialog.takesKeys && !this.#isAside) return false;
        this.#typedAt = this.#host.clock.now();
        this.#draft.search();
        return true;
      case "reasoning":
        this.#foldsReasoning = !this.#foldsReasoning;
        this.#note = this.#foldsReasoning ? words.noteReasoningFolded : words.noteReasoningShown;
        return true;
      case "unfold":
        if (!this.#host.unfold()) this.#note = words.noteNothingFolded;
        return true;
      case "cancel":
        if (dialog.takesEscape && !this.#isAside) return false;
        if (dialog.ignoresEscape) return true;
        this.#cancelTurn("turn");
        return true;
      case undefined:
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
    if (!this.#draft.isEmpty) {
      this.#draft.clear();
      return;
    }
    const { words, local, clock, leave } = this.#host;
    const before = this.#interruptedAt;
    this.#interruptedAt = clock.now();
    const isStopped = busy || queue.length > 0 ? this.#isCancelled : local.isBusy;
    if (local.stop()) this.#note = words.localStopping;
    else if ((busy || queue.length > 0) && !this.#isCancelled) {
      this.#isCancelled = true;
      this.#cancelTurn("all");
    } else if (isStopped || clock.now() - before <= LEAVE_PAUSE) leave("interrupted");
    else this.#note = words.noteLeaves;
  }

  #cancelTurn(what: "turn" | "all"): void {
    const { chat, words } = this.#host;
    const snapshot = chat.getSnapshot();
    const { busy, queue } = snapshot;
    if (!busy && (what === "turn" || queue.length === 0)) {
      this.#note = words.noteNothingRuns;
      return;
    }
    chat.cancel(what);
    this.#host.dialog.hide(); // further keys of the same input must not decide
    this.#note = what === "all" ? words.noteAllCancelled : words.noteCancelled;
    this.#cancelled = lastSent(snapshot);
  }

  #edit(press: Press): void {
    this.#typedAt = this.#host.clock.now();
    const done = this.#draft.press(press);
    if (done === "submit") this.#send();
    else if (done) this.#writes();
  }

  /** The user writes a message: an open dialog takes no keys. */
  #writes(): void {
    const { dialog } = this.#host;
    if (!dialog.isOpen) return;
    this.#isAside = true;
    dialog.leave();
  }

  /** The user has finished typing. */
  #send(): void {
    this.#typedAt = Number.NEGATIVE_INFINITY;
    this.#note = submit(this.#draft, this.#desk, this.#host.local) ?? this.#note;
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
