import type { Chat } from "../../chat/chat.ts";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { composerRows } from "../composer/composer-rows.ts";
import { type EditorState, emptyEditor, stepEditor, textOf } from "../composer/editor.ts";
import { editorAction } from "../composer/editor-keys.ts";
import { statusRows } from "../parts/status-rows.ts";
import type { Press } from "../press.ts";
import { displayed, EMPTY_ROW, type Row, rowsOf } from "../rows/row.ts";
import type { Theme } from "../theme.ts";
import type { Sink } from "../transcript/sink.ts";
import { Transcript } from "../transcript/transcript.ts";
import { HELP, readInput } from "./commands.ts";
import { dialogRows, type Live, layOut, type Size } from "./layout.ts";
import { LocalCommands, type RunCommand } from "./local-commands.ts";
import { OpenDialog } from "./open-dialog.ts";
import { Pace } from "./pace.ts";
import { type Printed, Printout } from "./printed.ts";

export interface ScreenOptions {
  readonly chat: Chat;
  readonly theme: Theme;
  readonly clock: Clock;
  readonly size: Size;
  readonly placeholder: string;
  /** Absent: `!command` is not offered. */
  readonly runCommand?: RunCommand | undefined;
  /** The user leaves. `interrupted`: with Ctrl-C. */
  readonly onExit: (how: ExitReason) => void;
}

export type ExitReason = "quit" | "interrupted";

/** One frame of the screen. The same object until the next frame. */
export interface Frame extends Live {
  readonly printed: Printed;
}

/** Rows of an open text that stay in the live region. The rows before them go to the scrollback. */
const TAIL_ROWS = 4;

/**
 * The whole screen of a chat: what is printed for good, what is live, what the user types. Holds all state, so that no key is lost when
 * keys come faster than frames, and makes 25 frames a second at most.
 */
export class ChatScreen {
  readonly #options: ScreenOptions;
  readonly #pace: Pace;
  readonly #transcript = new Transcript();
  readonly #printout = new Printout();
  readonly #dialog: OpenDialog;
  readonly #local: LocalCommands;
  readonly #listeners = new Set<() => void>();
  #editor: EditorState = emptyEditor;
  #size: Size;
  #theme: Theme;
  #foldsReasoning = true;
  #note: string | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;
  #busySince: number | undefined;
  #isCancelled = false;
  #frame: Frame;
  #isWholeDialog = false;
  /** ms until the dialog may offer its choices. */
  #dialogWait = 0;
  #cancelTick: CancelTimer = () => {};

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#theme = options.theme;
    this.#dialog = new OpenDialog(options.chat);
    this.#local = new LocalCommands(options.runCommand, () => this.#pace.request());
    this.#pace = new Pace(options.clock, () => this.#draw());
    this.#frame = { printed: this.#printout.printed, rows: [] };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getFrame = (): Frame => this.#frame;

  /** Follows the chat until the returned function is called. A `!command` that runs is stopped then. */
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
  }

  resize(size: Size): void {
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#pace.request();
  }

  restyle(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.#pace.request();
  }

  press(press: Press): void {
    this.#note = undefined;
    if (!this.#command(press)) {
      if (this.#dialog.takesKeys) this.#dialog.press(press);
      else this.#edit(press);
    }
    this.#pace.request();
  }

  paste(text: string): void {
    this.#note = undefined;
    this.#typedAt = this.#options.clock.now();
    this.#editor = stepEditor(this.#editor, { type: "paste", text });
    this.#pace.request();
  }

  /** The keys that do the same whatever is open. */
  #command(press: Press): boolean {
    if (press.type === "text") return false;
    switch (press.key) {
      case "ctrl-c":
        this.#interrupt();
        return true;
      case "ctrl-d":
        if (this.#editor.text !== "") return false;
        this.#options.onExit("quit");
        return true;
      case "ctrl-r":
        this.#foldsReasoning = !this.#foldsReasoning;
        this.#note = this.#foldsReasoning
          ? "reasoning is folded from now on"
          : "reasoning is shown from now on";
        return true;
      case "ctrl-o":
        this.#unfold();
        return true;
      case "escape":
        if (this.#dialog.takesKeys) return false;
        this.#cancelTurn("turn");
        return true;
      default:
        return false;
    }
  }

  #interrupt(): void {
    const { busy, queued } = this.#options.chat.getSnapshot();
    if (this.#editor.text !== "") this.#editor = stepEditor(this.#editor, { type: "clear" });
    else if (this.#local.stop()) this.#note = "the command is stopped";
    else if ((busy || queued > 0) && !this.#isCancelled) {
      this.#isCancelled = true;
      this.#cancelTurn("all");
    } else this.#options.onExit("interrupted");
  }

  #cancelTurn(what: "turn" | "all"): void {
    const { chat } = this.#options;
    const { busy, queued } = chat.getSnapshot();
    if (!busy && (what === "turn" || queued === 0)) {
      this.#note = "nothing runs";
      return;
    }
    chat.cancel(what);
    this.#note = what === "all" ? "cancelled; Ctrl-C again leaves" : "cancelled";
  }

  #edit(press: Press): void {
    this.#typedAt = this.#options.clock.now();
    const action = editorAction(press, this.#editor);
    if (action === "submit") {
      this.#typedAt = Number.NEGATIVE_INFINITY; // the user is done
      this.#submit();
    } else if (action) this.#editor = stepEditor(this.#editor, action);
  }

  #submit(): void {
    const { chat } = this.#options;
    const input = readInput(textOf(this.#editor));
    switch (input.type) {
      case "blank":
        this.#note = "there is nothing to send";
        return;
      case "unknown":
        this.#note = `there is no command ${displayed(input.name)}: /help shows them`;
        return;
      case "help":
        this.#say(HELP);
        break;
      case "quit":
        this.#options.onExit("quit");
        break;
      case "dismiss":
        chat.dismiss();
        break;
      case "retry": {
        const last = chat.getSnapshot().messages.at(-1);
        if (last) chat.retry(last.id);
        else this.#note = "there is nothing to send again";
        break;
      }
      case "local": {
        const refused = this.#local.run(input.command);
        if (refused) {
          this.#note = refused;
          return;
        }
        break;
      }
      case "prompt": {
        const result = chat.send(this.#local.attachTo(input.text));
        if (!result.ok && result.id === undefined) return; // the banner says why, and the text stays
        this.#local.sent();
      }
    }
    this.#editor = stepEditor(this.#editor, { type: "sent" });
  }

  #unfold(): void {
    const { folded } = this.#printout;
    if (!folded) {
      this.#note = "nothing is folded";
      return;
    }
    this.#say(`${displayed(folded.title)}:\n${displayed(folded.text).trimEnd()}`);
  }

  /** Something that the program itself says, to the scrollback. */
  #say(text: string): void {
    const { columns } = this.#size;
    const { symbols } = this.#theme;
    const rows = rowsOf(text, "dim", { columns, hang: { text: `${symbols.bar} `, tone: "dim" } });
    this.#printout.enqueue([EMPTY_ROW, ...rows]);
  }

  #draw(): void {
    const snapshot = this.#options.chat.getSnapshot();
    const { clock } = this.#options;
    const now = clock.wallTime();
    this.#follow(snapshot, now);
    const dialogOptions = {
      columns: this.#size.columns,
      theme: this.#theme,
      maxRows: dialogRows(this.#size),
    };
    const tall = this.#dialog.tooTall(dialogOptions);
    if (tall.length > 0) this.#printout.enqueue([EMPTY_ROW, ...tall]);
    let isDone = true;
    const facts = {
      columns: this.#size.columns,
      theme: this.#theme,
      foldsReasoning: this.#foldsReasoning,
      now,
      tailRows: TAIL_ROWS,
    };
    this.#printout.frame(facts, (sink) => {
      isDone = this.#print(snapshot, sink);
    });
    this.#dialogWait = this.#dialog.wait(clock.now(), this.#typedAt);
    this.#isWholeDialog = this.#dialog.isOpen && this.#printout.isDrained && this.#dialogWait === 0;
    this.#frame = { printed: this.#printout.printed, ...this.#live(snapshot, now) };
    for (const listener of this.#listeners) listener();
    if (!isDone) this.#pace.request();
    this.#tick(snapshot, now);
  }

  /** Prints in the order of time: the answer, then what the program says. Returns whether there is no more to print. */
  #print(snapshot: ChatSnapshot, sink: Sink): boolean {
    const isPrinted = this.#transcript.print(snapshot.messages, sink);
    if (!isPrinted || sink.room <= 0) return false;
    this.#printout.drain(sink);
    if (sink.room <= 0) return false;
    return this.#local.print(sink);
  }

  #follow(snapshot: ChatSnapshot, now: number): void {
    if (!snapshot.busy) this.#busySince = undefined;
    else this.#busySince ??= now;
    if (!snapshot.busy && snapshot.queued === 0) this.#isCancelled = false;
    this.#dialog.follow(snapshot, this.#options.clock.now());
  }

  #live(snapshot: ChatSnapshot, now: number): Live {
    const { columns } = this.#size;
    const theme = this.#theme;
    const isAsking = this.#dialog.isOpen && this.#printout.isDrained;
    return layOut(this.#size, {
      dialog: isAsking
        ? (maxRows) => this.#dialog.rows({ columns, theme, maxRows }, snapshot, this.#dialogWait > 0)
        : undefined,
      isTyping: !isAsking || this.#dialogWait > 0,
      status: (maxRows) => statusRows(this.#facts(snapshot, now), { columns, theme, now, maxRows }),
      composer: (maxRows) =>
        composerRows(this.#editor, { columns, theme, maxRows, placeholder: this.#options.placeholder }),
      tail: (maxRows) => this.#tail(snapshot, now, maxRows),
    });
  }

  #tail(snapshot: ChatSnapshot, now: number, maxRows: number): readonly Row[] {
    const { columns } = this.#size;
    const theme = this.#theme;
    const room = maxRows > 8 ? maxRows - 1 : maxRows;
    const local = this.#local.live(columns, room, theme);
    const options = {
      columns,
      theme,
      foldsReasoning: this.#foldsReasoning,
      now,
      maxRows: room - local.length,
    };
    const rows = [...this.#transcript.live(snapshot.messages, options), ...local];
    return room < maxRows ? [...rows, EMPTY_ROW] : rows;
  }

  #facts(snapshot: ChatSnapshot, now: number) {
    const { connection, busy, queued, usage, cost, problem, messages } = snapshot;
    const seconds = this.#busySince === undefined ? undefined : Math.floor((now - this.#busySince) / 1_000);
    const recovering = messages.at(-1 - queued)?.status === "recovering";
    return { connection, busy, queued, usage, cost, problem, recovering, seconds, note: this.#note };
  }

  /** A new frame at the next second, while the screen shows a time, and when the dialog may offer its choices. */
  #tick({ busy, connection }: ChatSnapshot, now: number): void {
    this.#cancelTick();
    const from = connection.retryAt ?? this.#busySince ?? now;
    const second = 1_000 - ((((now - from) % 1_000) + 1_000) % 1_000);
    const isTicking = busy || connection.retryAt !== undefined;
    const waits = [...(isTicking ? [second] : []), ...(this.#dialogWait > 0 ? [this.#dialogWait] : [])];
    if (waits.length === 0) return;
    this.#cancelTick = this.#options.clock.setTimeout(() => this.#pace.request(), Math.min(...waits));
  }
}
