import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type IPty, spawn } from "@lydell/node-pty";
import headless, { type IBufferLine } from "@xterm/headless";
import { fastStart } from "../../helpers/sources.ts";
import { KEYS, type Key, pasteOf } from "./keys.ts";
import { MARK_ID } from "./output.ts";
import { processesWith } from "./processes.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FROM_SOURCE = fileURLToPath(new URL("../../helpers/from-source.ts", import.meta.url));

/** Lines above the screen that are kept: more than any test writes. */
const SCROLLBACK = 20_000;
const TERM = "xterm-256color";
/** The variable that names the file of the modes. No other program has its value. */
const LEFT_BEHIND = "LEFT_BEHIND";
/** The file that holds the modes of the terminal after the program. */
const MODES = "modes";
/** DEC private modes. */
const CURSOR = 25;
const SYNCHRONIZED = 2026;
/** ms after which a condition that does not come true fails its test. */
const LIMIT = 12_000;

/** Runs the program as a shell does, and notes the modes of the terminal that the program leaves behind. */
const SHELL = `trap : INT TERM HUP; "$@"; code=$?; stty -a > "$LEFT_BEHIND"; exit $code`;

export interface TerminalOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** @default 80 */
  readonly columns?: number;
  /** @default 24 */
  readonly rows?: number;
}

/** The terminal as a program has left it. */
export interface Left {
  /** As a shell counts: 128 and the number of the signal that has ended the program. */
  readonly code: number;
  readonly cursorVisible: boolean;
  readonly bracketedPaste: boolean;
  readonly mouse: boolean;
  readonly alternateScreen: boolean;
  /** Whether keys still come one by one, and are not shown. */
  readonly raw: boolean;
  /** The number of processes that the program has started and that still run. */
  readonly processes: number;
}

export const CLEAN = {
  cursorVisible: true,
  bracketedPaste: false,
  mouse: false,
  alternateScreen: false,
  raw: false,
  processes: 0,
} as const satisfies Omit<Left, "code">;

type Condition = string | RegExp | ((terminal: Terminal) => boolean);

/** A program in a pseudo-terminal, and the screen that its user sees. */
export class Terminal implements AsyncDisposable {
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof headless.Terminal>;
  readonly #folder: string;
  readonly #exited: Promise<void>;
  readonly #watchers = new Set<() => void>();
  #raw = "";
  /** Pieces of output that the screen does not show yet. */
  #unparsed = 0;
  #code: number | undefined;
  #isCursorVisible = true;
  /** Whether a frame is drawn only in part: what the screen then lacks says nothing. */
  #isDrawing = false;

  /** Starts a program from the sources. It has shown nothing yet. */
  static async start(program: string, options: TerminalOptions = {}): Promise<Terminal> {
    return new Terminal(program, options, await mkdtemp(join(tmpdir(), "agentwire-tui-")));
  }

  private constructor(
    program: string,
    { args = [], env = {}, columns = 80, rows = 24 }: TerminalOptions,
    folder: string,
  ) {
    this.#folder = folder;
    const allowProposedApi = true; // `modes` and `parser`
    this.#screen = new headless.Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi });
    this.#watchModes();
    const command = [process.execPath, "--import", FROM_SOURCE, program, ...args];
    this.#pty = spawn("sh", ["-c", SHELL, "sh", ...command], {
      name: env["TERM"] ?? TERM,
      cols: columns,
      rows,
      cwd: ROOT,
      env: environmentOf(folder, env),
    });
    this.#screen.onData((reply) => this.#pty.write(reply)); // what a terminal answers to questions
    this.#pty.onData((piece) => this.#show(piece));
    this.#exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#code = signal ? 128 + signal : exitCode;
        resolve();
        this.#look();
      });
    });
  }

  /** The lines of the screen, without the blanks at their ends. */
  screen(): readonly string[] {
    const { baseY } = this.#screen.buffer.active;
    return this.#lines(baseY, baseY + this.#screen.rows);
  }

  /** All lines, with those above the screen. */
  scrollback(): readonly string[] {
    return this.#lines(0, this.#screen.buffer.active.baseY + this.#screen.rows);
  }

  /** The cells of all lines, with their colours, and the number of lines above the screen. */
  cells(): { readonly lines: readonly IBufferLine[]; readonly above: number } {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.baseY + this.#screen.rows }, (_, at) => active.getLine(at));
    return { lines: lines.filter((line) => line !== undefined), above: active.baseY };
  }

  /** All that the program has written, as it was written. */
  get raw(): string {
    return this.#raw;
  }

  /** Whether `what` is on the screen, or holds. */
  shows(what: Condition): boolean {
    if (typeof what === "function") return what(this);
    const text = this.screen().join("\n");
    return typeof what === "string" ? text.includes(what) : what.test(text);
  }

  /**
   * Waits for text on the screen, or for a condition, and looks when a piece of output has ended a frame. The error of a condition that
   * does not come true shows the screen.
   */
  async until(what: Condition): Promise<void> {
    const holds = (): boolean => (!this.#isDrawing || this.isOver) && this.shows(what);
    for (const end = Date.now() + LIMIT; !holds(); await this.#change(end)) {
      if (this.#code !== undefined && this.#unparsed === 0) throw this.#failure("ended", what);
      if (Date.now() >= end) throw this.#failure("goes on", what);
    }
  }

  /** Calls `listener` at the end of each frame, when the screen shows the frame, and nothing later. */
  onFrame(listener: () => void): void {
    this.#screen.parser.registerCsiHandler({ prefix: "?", final: "l" }, (modes) => {
      if (modes.includes(SYNCHRONIZED)) listener();
      return false;
    });
  }

  /** Calls `listener` at each mark of a test program, in its place between the frames. */
  onMark(listener: (text: string) => void): void {
    this.#screen.parser.registerOscHandler(MARK_ID, (text) => {
      listener(text);
      return true;
    });
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  press(...keys: readonly Key[]): void {
    for (const key of keys) this.#pty.write(KEYS[key]);
  }

  paste(text: string): void {
    this.#pty.write(pasteOf(text));
  }

  /** Another size of the window. The program hears of it, as from a terminal. */
  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Sends a signal to the program: `SIGHUP` when its window is closed, `SIGTERM` when the system shuts down. */
  signal(name: NodeJS.Signals): void {
    process.kill(-this.#pty.pid, name);
  }

  /** Resolves when the program has ended, with how it has left the terminal. */
  async exit(): Promise<Left> {
    await this.until(({ isOver }) => isOver);
    const { bracketedPasteMode, mouseTrackingMode } = this.#screen.modes;
    const modes = readFileSync(join(this.#folder, MODES), "utf8");
    return {
      code: this.#code ?? Number.NaN,
      cursorVisible: this.#isCursorVisible,
      bracketedPaste: bracketedPasteMode,
      mouse: mouseTrackingMode !== "none",
      alternateScreen: this.#screen.buffer.active.type === "alternate",
      processes: this.#processes.length,
      raw: /-icanon|-echo\b|-isig/.test(modes),
    };
  }

  /** Whether the program has ended, and all of its output is on the screen. */
  get isOver(): boolean {
    return this.#code !== undefined && this.#unparsed === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#code === undefined) this.signal("SIGKILL");
    await this.#exited;
    for (const pid of this.#processes) process.kill(pid, "SIGKILL");
    this.#screen.dispose();
    await rm(this.#folder, { recursive: true });
  }

  get #processes(): readonly number[] {
    return processesWith(LEFT_BEHIND, join(this.#folder, MODES));
  }

  #show(piece: string): void {
    this.#raw += piece;
    this.#unparsed++;
    this.#screen.write(piece, () => {
      this.#unparsed--;
      this.#look();
    });
  }

  #watchModes(): void {
    const { parser } = this.#screen;
    const watch = (final: "h" | "l", isSet: boolean): void => {
      parser.registerCsiHandler({ prefix: "?", final }, (modes) => {
        if (modes.includes(CURSOR)) this.#isCursorVisible = isSet;
        if (modes.includes(SYNCHRONIZED)) this.#isDrawing = isSet;
        return false;
      });
    };
    watch("h", true);
    watch("l", false);
  }

  #lines(from: number, to: number): readonly string[] {
    const { active } = this.#screen.buffer;
    return Array.from(
      { length: to - from },
      (_, at) => active.getLine(from + at)?.translateToString(true) ?? "",
    );
  }

  #look(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves after the next piece of output, at the end of the program, or at `end` (ms since the epoch). */
  async #change(end: number): Promise<void> {
    let look = (): void => {};
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      look = resolve;
      this.#watchers.add(look);
      timer = setTimeout(resolve, end - Date.now());
    });
    clearTimeout(timer);
    this.#watchers.delete(look);
  }

  #failure(how: string, what: Condition): Error {
    const screen = this.screen().map((line) => `  |${line}`);
    return new Error(`the program ${how} without ${String(what)}. Its screen:\n${screen.join("\n")}`);
  }
}

/** Nothing of the machine but `PATH`, and what makes the program start fast: no `CI`, and no variable of colours. */
function environmentOf(folder: string, more: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    LANG: "C.UTF-8",
    TERM,
    ...fastStart(),
    [LEFT_BEHIND]: join(folder, MODES),
    ...more,
  };
}
