// Runs `!commands` one at a time. The next prompt includes the outputs of those that the user did not stop.
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { foldedRows, foldedText } from "../parts/folded.ts";
import { PROMPT_ROWS } from "../parts/message-rows.ts";
import { OUTPUT_ROWS } from "../parts/tool-rows.ts";
import { EMPTY_ROW, inLine, type Row, rowsOf, type Span } from "../rows/row.ts";
import type { Theme } from "../theme.ts";
import type { Sink } from "../transcript/sink.ts";

export class LocalCommands {
  readonly #start: RunCommand | undefined;
  readonly #words: TerminalWords;
  readonly #changed: () => void;
  #current: { readonly run: LocalRun; readonly running: RunningCommand; isOver: boolean } | undefined;
  #over: readonly LocalRun[] = [];

  constructor(start: RunCommand | undefined, words: TerminalWords, changed: () => void) {
    this.#start = start;
    this.#words = words;
    this.#changed = changed;
  }

  /** Runs a command. Returns the reason if the command was not started. */
  run(command: string): string | undefined {
    const start = this.#start;
    if (!start) return this.#words.localNotOffered;
    if (this.#current) return this.#words.localRunsAlready;
    const run = new LocalRun(command, this.#words);
    const running = started(() =>
      start(command, (text) => {
        run.add(text);
        this.#changed();
      }),
    );
    const current = { run, running, isOver: false };
    this.#current = current;
    void running.ended.then((end) => {
      run.end(end);
      current.isOver = true;
      this.#changed();
    });
    return undefined;
  }

  /** Stops the running command. Returns false if none runs, or if a stop was already requested. */
  stop(): boolean {
    if (!this.#current || this.#current.isOver) return false;
    const { run, running } = this.#current;
    const isFirst = !run.isStopped;
    run.isStopped = true;
    running.stop();
    return isFirst;
  }

  /** Whether a command runs, perhaps already told to stop. */
  get isBusy(): boolean {
    return this.#current !== undefined && !this.#current.isOver;
  }

  /** The prompt, after the transcripts of the commands since the last prompt. */
  attachTo(text: string): string {
    return [...this.#over.map(({ transcript }) => transcript), text].join("\n\n");
  }

  sent(): void {
    this.#over = [];
  }

  /** Prints new output. Returns whether nothing is left to print now. */
  print(sink: Sink): boolean {
    if (!this.#current) return true;
    const { run } = this.#current;
    const isPrinted = run.print(sink);
    if (isPrinted) {
      if (!run.isStopped) this.#over = [...this.#over, run];
      this.#current = undefined;
    }
    return isPrinted || sink.space > 0;
  }

  live(columns: number, maxRows: number, theme: Theme): readonly Row[] {
    return this.#current ? this.#current.run.live(columns, maxRows, theme) : [];
  }
}

/** If the caller's function throws, the command has failed. */
function started(start: () => RunningCommand): RunningCommand {
  try {
    return start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { stop: () => {}, ended: Promise.resolve({ type: "failed", reason }) };
  }
}

/** Characters of a `!command`'s output that are shown and sent: about 700 lines. The rest is only counted. */
export const COMMAND_OUTPUT_LIMIT = 50_000;

/** How a command of this machine ended. */
export type CommandEnd =
  | { readonly type: "exited"; readonly code: number }
  | { readonly type: "killed"; readonly signal: string }
  | { readonly type: "failed"; readonly reason: string };

export interface RunningCommand {
  /** Ends the command and its child processes. */
  readonly stop: () => void;
  /** Never rejects. */
  readonly ended: Promise<CommandEnd>;
}

/**
 * Starts a user's command on this machine, and gives its output to `onOutput` as it comes. Never throws: a command that
 * cannot start has `failed`. A command that the user stops does not go with the next prompt. A second Ctrl-C leaves, even
 * if the command does not end.
 *
 * With `spawn("sh", ["-c", command], { detached: true })` the shell leads a process group: `stop` ends the whole group by
 * `process.kill(-child.pid, "SIGTERM")`, while `child.kill()` would end the shell alone.
 */
export type RunCommand = (command: string, onOutput: (text: string) => void) => RunningCommand;

/** Characters of a failed command, and of the reason, that the next prompt includes. */
const MAX_FAILED = 500;

const HANG: Span = { text: "  ", tone: "dim" };

class LocalRun {
  readonly command: string;
  /** The user has stopped the command, so the next prompt omits its output. */
  isStopped = false;
  #output = "";
  #dropped = 0;
  #end: CommandEnd | undefined;
  #hasHead = false;
  readonly #words: TerminalWords;

  constructor(command: string, words: TerminalWords) {
    this.command = command;
    this.#words = words;
  }

  add(text: string): void {
    const space = COMMAND_OUTPUT_LIMIT - this.#output.length;
    this.#output += text.slice(0, Math.max(0, space));
    this.#dropped += Math.max(0, text.length - Math.max(0, space));
  }

  end(end: CommandEnd): void {
    this.#end = end;
  }

  /** Prints the command, and at its end the output, folded if long. Returns whether the command ended. */
  print(sink: Sink): boolean {
    if (!this.#hasHead) this.#printHead(sink);
    this.#hasHead = true;
    if (!this.#end) return false;
    const { rows, isFolded } = foldedRows(this.#output, {
      columns: sink.columns,
      tone: "plain",
      hang: HANG,
      maxRows: OUTPUT_ROWS,
      shows: "both",
      words: this.#words,
    });
    const stopped = this.isStopped ? `; ${this.#words.localStopped}` : "";
    sink.print([...rows, ...rowsOf(`${this.#says(this.#end)}${stopped}`, "dim", { columns: sink.columns })]);
    if (isFolded) sink.fold([foldedText(this.#words.foldedOutput(bounded(this.command)), this.#output)]);
    return true;
  }

  #printHead(sink: Sink): void {
    const { columns } = sink;
    const hang: Span = { text: "! ", tone: "user" };
    const options = {
      columns,
      tone: "user",
      hang,
      maxRows: PROMPT_ROWS,
      shows: "both",
      words: this.#words,
    } as const;
    const { rows, isFolded } = foldedRows(this.command, options);
    sink.print([EMPTY_ROW, ...rows]);
    if (isFolded) sink.fold([foldedText(this.#words.foldedCommand, this.command)]);
  }

  live(columns: number, maxRows: number, { symbols }: Theme): readonly Row[] {
    if (maxRows <= 0) return [];
    const says = this.isStopped ? this.#words.localIsStopping : this.#words.localRuns;
    const options = { columns, tone: "plain", hang: HANG, shows: "end", words: this.#words } as const;
    const rows = maxRows < 3 ? 0 : Math.min(OUTPUT_ROWS, maxRows - 1);
    const output = rows === 0 ? [] : foldedRows(this.#output, { ...options, maxRows: rows }).rows;
    const hints = rowsOf(`${symbols.running} ${says}`, "dim", { columns });
    return [...output, ...hints].slice(-maxRows);
  }

  /** The command and its output, for the agent. */
  get transcript(): string {
    const runs = this.#output.match(/`+/g) ?? [];
    const fence = "`".repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
    const said = this.#output.trimEnd();
    const end = this.#end ? this.#says(this.#end) : "still runs";
    const command = this.#end?.type === "failed" ? bounded(this.command) : this.command;
    if (said === "") return `I ran \`${command}\` (${end}): no output.`;
    return `I ran \`${command}\` (${end}). Its output:\n${fence}\n${said}\n${fence}`;
  }

  #says(end: CommandEnd): string {
    const dropped = this.#dropped > 0 ? `; ${this.#dropped} more characters of output were left out` : "";
    switch (end.type) {
      case "exited":
        return `exit code ${end.code}${dropped}`;
      case "killed":
        return `stopped by ${inLine(end.signal)}${dropped}`;
      case "failed":
        return `could not run: ${bounded(inLine(end.reason))}`;
    }
  }
}

function bounded(text: string): string {
  return text.length <= MAX_FAILED ? text : `${text.slice(0, MAX_FAILED)}...`;
}
