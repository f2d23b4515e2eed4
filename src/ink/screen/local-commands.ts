// Runs `!commands` one at a time. The next prompt includes the outputs of those that the user did not stop.
import type { Row } from "../rows/row.ts";
import type { Theme } from "../theme.ts";
import type { Sink } from "../transcript/sink.ts";
import { LocalRun, type RunCommand, type RunningCommand } from "./local-run.ts";

export type { CommandEnd, RunCommand, RunningCommand } from "./local-run.ts";

export class LocalCommands {
  readonly #start: RunCommand | undefined;
  readonly #changed: () => void;
  #current: { readonly run: LocalRun; readonly running: RunningCommand; isOver: boolean } | undefined;
  #over: readonly LocalRun[] = [];

  constructor(start: RunCommand | undefined, changed: () => void) {
    this.#start = start;
    this.#changed = changed;
  }

  /** Runs a command. Returns the reason if the command was not started. */
  run(command: string): string | undefined {
    const start = this.#start;
    if (!start) return "commands of this machine are not offered here";
    if (this.#current) return "a command runs already: Ctrl-C stops it";
    const run = new LocalRun(command);
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
