// Reports the output of a command while it runs, in intervals.
import type { CancelTimer, Clock } from "../../../core/clock.ts";
import { HeadAndTail } from "./output.ts";

/** ms between two reports of output: ten a second look continuous. */
const INTERVAL = 100;

/** Characters of one report. More output than that in one interval is not read, and its middle is left out. */
const MAX_REPORT = 4_000;

/** Characters of all reports of a command: what a chat keeps of one call. The end of the output is in the result. */
const MAX_REPORTED = 200_000;

const SILENT = "\n[...NO FURTHER PROGRESS IS SHOWN...]\n";

/** Reports the output of a command while it runs: at once after a silence, then at most once in each interval. */
export class Progress {
  readonly #clock: Clock;
  readonly #report: (output: string) => void;
  #waiting = new HeadAndTail(MAX_REPORT);
  /** Runs for an interval after each report. */
  #pause: CancelTimer | undefined;
  #left = MAX_REPORTED;

  constructor(clock: Clock, report: (output: string) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  readonly push = (text: string): void => {
    if (this.#left <= 0) return;
    this.#waiting.push(text);
    if (!this.#pause) this.#tell();
  };

  /** The end: reports what waits, and nothing more. */
  flush(): void {
    this.#pause?.();
    this.#tell();
    this.stop();
  }

  /** The end: drops what waits, and reports nothing more. */
  stop(): void {
    this.#left = 0;
    this.#pause?.();
    this.#pause = undefined;
  }

  #tell(): void {
    const { text } = this.#waiting;
    this.#pause = undefined;
    if (text === "") return;
    this.#waiting = new HeadAndTail(MAX_REPORT);
    this.#left -= text.length;
    if (this.#left > 0) this.#pause = this.#clock.setTimeout(() => this.#tell(), INTERVAL);
    this.#report(this.#left > 0 ? text : text + SILENT);
  }
}
