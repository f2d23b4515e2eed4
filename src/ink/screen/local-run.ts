// One `!command`: its output while it runs, and its text for the next prompt.
import { foldedRows } from "../parts/folded.ts";
import { PROMPT_ROWS } from "../parts/message-rows.ts";
import { OUTPUT_ROWS } from "../parts/tool-rows.ts";
import { EMPTY_ROW, inLine, type Row, rowsOf, type Span } from "../rows/row.ts";
import type { Theme } from "../theme.ts";
import type { Sink } from "../transcript/sink.ts";

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

/** Starts a user's command on this machine. Never throws: a command that cannot start has `failed`. */
export type RunCommand = (command: string, onOutput: (text: string) => void) => RunningCommand;

/** Characters of a failed command, and of the reason, that the next prompt includes. */
const MAX_FAILED = 500;

const HANG: Span = { text: "  ", tone: "dim" };

export class LocalRun {
  readonly command: string;
  /** The user has stopped the command, so the next prompt omits its output. */
  isStopped = false;
  #output = "";
  #dropped = 0;
  #end: CommandEnd | undefined;
  #hasHead = false;

  constructor(command: string) {
    this.command = command;
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
    });
    const stopped = this.isStopped ? "; the next prompt does not take it along" : "";
    sink.print([...rows, ...rowsOf(`${this.#says(this.#end)}${stopped}`, "dim", { columns: sink.columns })]);
    if (isFolded) sink.fold([{ title: `The output of ${bounded(this.command)}`, text: this.#output }]);
    return true;
  }

  #printHead(sink: Sink): void {
    const { columns } = sink;
    const hang: Span = { text: "! ", tone: "user" };
    const options = { columns, tone: "user", hang, maxRows: PROMPT_ROWS, shows: "both" } as const;
    const { rows, isFolded } = foldedRows(this.command, options);
    sink.print([EMPTY_ROW, ...rows]);
    if (isFolded) sink.fold([{ title: "The command", text: this.command }]);
  }

  live(columns: number, maxRows: number, { symbols }: Theme): readonly Row[] {
    if (maxRows <= 0) return [];
    const says = this.isStopped
      ? "the command is being stopped; Ctrl-C leaves"
      : "the command runs; Ctrl-C stops it";
    const options = { columns, tone: "plain", hang: HANG, shows: "end" } as const;
    const rows = maxRows < 3 ? 0 : Math.min(OUTPUT_ROWS, maxRows - 1);
    const output = rows === 0 ? [] : foldedRows(this.#output, { ...options, maxRows: rows }).rows;
    const hints = rowsOf(`${symbols.running} ${says}`, "dim", { columns });
    return [...output, ...hints].slice(-maxRows);
  }

  /** The command and its output, for the agent. */
  get transcript(): string {
    const fence = "`".repeat(Math.max(3, longestRun(this.#output, "`") + 1));
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

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const found of text) {
    run = found === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
