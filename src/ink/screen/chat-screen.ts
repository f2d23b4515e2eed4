// The state of the whole screen of a chat, without Ink.
import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { Highlighter } from "../../screens/highlight.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { composerRows } from "../composer/composer-rows.ts";
import { statusRows } from "../parts/status-rows.ts";
import { progressOf, waitingRows } from "../parts/waiting-rows.ts";
import type { Press } from "../press.ts";
import { displayed, EMPTY_ROW, type Piece, type Row, rowsOf, type Surface } from "../rows/row.ts";
import { type Theme, worded } from "../theme.ts";
import { MessagesPrinter } from "../transcript/messages-printer.ts";
import type { PartLook, Sink } from "../transcript/sink.ts";
import type { CommandOptions, ExitReason } from "./desk.ts";
import { type ChatHeader, headerRows } from "./header.ts";
import { Keyboard } from "./keyboard.ts";
import { dialogRows, hasSpaceForBoth, layOut, liveRows, type Size } from "./layout.ts";
import { LocalCommands, type RunCommand } from "./local-commands.ts";
import { type DialogHold, OpenDialog } from "./open-dialog.ts";
import { Pace } from "./pace.ts";
import { type Printed, Printout, TAIL_ROWS } from "./printed.ts";

export interface ScreenOptions {
  readonly chat: Chat;
  readonly theme: Theme;
  readonly highlight?: Highlighter | undefined;
  readonly clock: Clock;
  readonly size: Size;
  readonly placeholder: string;
  readonly words: TerminalWords;
  /** @default nothing is known */
  readonly header?: ChatHeader | undefined;
  /** What the commands may do. @default nothing */
  readonly commands?: CommandOptions | undefined;
  /** Puts a text on the clipboard of the terminal. */
  readonly clipboard: (text: string) => void;
  /** Absent: `!command` is not available. */
  readonly runCommand?: RunCommand | undefined;
  readonly onExit: (how: ExitReason) => void;
}

/** One frame of the screen. The object is stable until the next frame. */
export interface Frame extends Piece {
  readonly printed: Printed;
}

/**
 * The whole screen of a chat: the printed rows, the live region and the user's input. Holds all state, so that no key
 * is lost between frames. Draws at most 25 frames a second.
 */
export class ChatScreen {
  readonly #options: ScreenOptions;
  readonly #pace: Pace;
  readonly #transcript = new MessagesPrinter();
  readonly #printout = new Printout();
  readonly #dialog: OpenDialog;
  readonly #local: LocalCommands;
  readonly #keyboard: Keyboard;
  readonly #listeners = new Set<() => void>();
  #size: Size;
  /** With the words. */
  #theme: Theme;
  #given: Theme;
  #busySince: number | undefined;
  #frame: Frame;
  #hasHeader = false;
  #isWholeDialog = false;
  /** Why, and for how many ms, the dialog hides its choices. `aside` has no time limit. */
  #held: { readonly hold: DialogHold; readonly ms: number } | undefined;
  /** The user leaves: the next frame is the last, without the composer. `isTold`: the app was notified. */
  #leaving: { readonly how: ExitReason; frame?: Frame; isTold?: boolean } | undefined;
  /** The dialog's text is above the live region: print nothing else until the dialog is settled. */
  #isHolding = false;
  #cancelTick: CancelTimer = () => {};

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#theme = worded(options.theme, options.words);
    this.#given = options.theme;
    const { words, commands = {} } = options;
    const changed = (): void => this.#pace.request();
    this.#dialog = new OpenDialog(options.chat, words);
    this.#local = new LocalCommands(options.runCommand, words, changed);
    this.#keyboard = new Keyboard({
      ...options,
      commands,
      changed,
      dialog: this.#dialog,
      local: this.#local,
      canRun: options.runCommand !== undefined,
      leave: (how) => {
        this.#leaving = { how };
        changed();
      },
      say: (rows) => this.#printout.enqueue(rows(this.#surface)),
      unfold: () => this.#unfold(),
    });
    this.#pace = new Pace(options.clock, () => this.#draw());
    this.#frame = { printed: this.#printout.printed, rows: [] };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getFrame = (): Frame => this.#frame;

  /** Follows the chat until the returned function is called. That also stops a running `!command`. */
  start(): () => void {
    this.#pace.start();
    const unsubscribe = this.#options.chat.subscribe(() => this.#pace.request());
    this.#pace.request();
    return () => {
      unsubscribe();
      this.#pace.stop();
      this.#cancelTick();
      this.#local.stop();
    };
  }

  /** The frame is on the screen. */
  shown(frame: Frame): void {
    if (frame.printed === this.#printout.printed) this.#printout.shown();
    if (frame === this.#frame && this.#isWholeDialog) this.#dialog.shown();
    const leaving = this.#leaving;
    if (leaving?.frame !== frame || leaving.isTold) return;
    queueMicrotask(() => {
      leaving.isTold = true;
      this.#options.onExit(leaving.how);
    }); // not inside an effect of the component that unmounts
  }

  resize(size: Size): void {
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#pace.request();
  }

  restyle(theme: Theme): void {
    if (theme === this.#given) return;
    this.#given = theme;
    this.#theme = worded(theme, this.#options.words);
    this.#pace.request();
  }

  press(press: Press): void {
    if (this.#leaving && !this.#leaving.isTold) return; // ignore keys after the exit key
    this.#leaving = undefined; // the app has not unmounted the screen
    this.#keyboard.press(press);
    this.#pace.request();
  }

  paste(text: string): void {
    this.#keyboard.paste(text);
    this.#pace.request();
  }

  /** Prints the last folded text in full. Returns false if there is none. */
  #unfold(): boolean {
    const { folded } = this.#printout;
    if (!folded) return false;
    this.#say(`${displayed(folded.title)}:`);
    this.#printout.enqueue(folded.rows(this.#surface));
    return true;
  }

  #say(text: string): void {
    const { columns } = this.#size;
    const { symbols } = this.#theme;
    const rows = rowsOf(text, "dim", { columns, hang: { text: `${symbols.bar} `, tone: "dim" } });
    this.#printout.enqueue([EMPTY_ROW, ...rows]);
  }

  #draw(): void {
    const { clock } = this.#options;
    this.#dialog.settleLetter(clock.now());
    const snapshot = this.#options.chat.getSnapshot();
    const now = clock.wallTime();
    this.#follow(snapshot, now);
    const tall = this.#dialog.tooTall({ ...this.#surface, maxRows: dialogRows(this.#size) });
    if (tall.length > 0) this.#printout.enqueue([EMPTY_ROW, ...tall]);
    let isDone = true;
    const facts = { ...this.#printing, hasCommands: true, now, tailRows: TAIL_ROWS };
    this.#printout.frame(facts, (sink) => {
      if (!this.#hasHeader) sink.print(headerRows(this.#options.header ?? {}, this.#surface));
      this.#hasHeader = true;
      isDone = this.#print(snapshot, sink);
    });
    const wait = this.#dialog.wait(clock.now(), this.#keyboard.keys);
    this.#held = this.#keyboard.isAside && wait?.hold !== "typing" ? { hold: "aside", ms: 0 } : wait;
    this.#isWholeDialog = this.#dialog.isOpen && this.#printout.isDrained && !this.#held && !this.#leaving;
    const live = this.#leaving
      ? { rows: this.#tail(snapshot, now, liveRows(this.#size)) }
      : this.#live(snapshot, now);
    this.#frame = { printed: this.#printout.printed, ...live };
    if (this.#leaving) this.#leaving.frame = this.#frame;
    for (const listener of this.#listeners) listener();
    if (!isDone) this.#pace.request();
    this.#tick(snapshot, now);
  }

  /** Prints the answer, then messages of the screen. Returns whether nothing is left to print. */
  #print(snapshot: ChatSnapshot, sink: Sink): boolean {
    this.#isHolding = this.#dialog.isAbove && !this.#leaving && (this.#isHolding || this.#printout.hasBegun);
    const isPrinted = this.#isHolding || this.#transcript.print(snapshot.messages, sink, snapshot.plan);
    if (!isPrinted || sink.space <= 0) return false;
    this.#printout.drain(sink);
    if (sink.space <= 0) return false;
    return this.#isHolding || this.#local.print(sink);
  }

  #follow(snapshot: ChatSnapshot, now: number): void {
    if (!progressOf(snapshot).isWorking) this.#busySince = undefined;
    else this.#busySince ??= now;
    this.#keyboard.follow(snapshot);
    if (!this.#dialog.follow(snapshot, this.#options.clock.now())) return;
    this.#keyboard.asked();
    this.#isHolding = false;
  }

  #live(snapshot: ChatSnapshot, now: number): Piece {
    const surface = this.#surface;
    const hold = this.#held?.hold;
    const isTyping = hold === "typing" || hold === "aside";
    const isAsking =
      this.#dialog.isOpen && this.#printout.isDrained && !(isTyping && !hasSpaceForBoth(this.#size));
    const keysAreAbove = isAsking && !isTyping;
    return layOut(this.#size, {
      dialog: isAsking ? (maxRows) => this.#dialog.rows({ ...surface, maxRows }, snapshot, hold) : undefined,
      isTyping: !keysAreAbove,
      status: (maxRows) => statusRows(this.#facts(snapshot, now), { ...surface, now, maxRows }),
      above: (maxRows) => this.#keyboard.above(surface, maxRows),
      composer: (maxRows) =>
        composerRows(this.#keyboard.editor, {
          ...surface,
          maxRows,
          placeholder: keysAreAbove ? "" : this.#options.placeholder,
          isDim: keysAreAbove,
        }),
      tail: (maxRows) => (isAsking && this.#dialog.isAbove ? [] : this.#tail(snapshot, now, maxRows)),
    });
  }

  /** The open end of the answer and of a command, and below it the waiting prompts. */
  #tail(snapshot: ChatSnapshot, now: number, maxRows: number): readonly Row[] {
    const { columns, theme } = this.#surface;
    const count = this.#leaving ? 0 : progressOf(snapshot).waiting;
    const waiting = waitingRows(snapshot.messages, count, { columns, theme, maxRows });
    const left = maxRows - waiting.length;
    const space = maxRows > 8 ? left - 1 : left;
    const local = this.#local.live(columns, space, theme);
    const options = { ...this.#printing, now, maxRows: space - local.length };
    const rows = [...this.#transcript.live(snapshot.messages, options), ...local];
    return [...rows, ...(space < left ? [EMPTY_ROW] : []), ...waiting];
  }

  get #surface(): Surface {
    return { columns: this.#size.columns, theme: this.#theme, highlight: this.#options.highlight };
  }

  get #printing(): PartLook {
    const { foldsReasoning } = this.#keyboard;
    return { ...this.#surface, foldsReasoning, inputsAbove: this.#dialog.inputsAbove };
  }

  #facts(snapshot: ChatSnapshot, now: number) {
    const { queue, messages } = snapshot;
    const seconds = this.#busySince === undefined ? undefined : Math.floor((now - this.#busySince) / 1_000);
    const recovering = messages.at(-1 - queue.length)?.status === "recovering";
    const { note } = this.#keyboard;
    return { ...snapshot, recovering, seconds, note, hasCommands: true };
  }

  /** Schedules a frame: each second while a time is shown, and when the dialog, a letter or the note is due. */
  #tick({ connection }: ChatSnapshot, now: number): void {
    this.#cancelTick();
    const from = connection.retryAt ?? this.#busySince ?? now;
    const second = 1_000 - ((((now - from) % 1_000) + 1_000) % 1_000);
    const isTicking = this.#busySince !== undefined || connection.retryAt !== undefined;
    const { clock } = this.#options;
    const waits = [
      isTicking ? second : undefined,
      this.#held?.ms,
      this.#dialog.letterWait(clock.now()),
      this.#keyboard.noteWait,
    ].flatMap((ms = 0) => (ms > 0 ? [ms] : []));
    if (waits.length === 0) return;
    this.#cancelTick = clock.setTimeout(() => this.#pace.request(), Math.min(...waits));
  }
}
