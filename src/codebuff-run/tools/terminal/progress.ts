// Reports a running command's output at intervals.
import type { CancelTimer, Clock } from "../../../core/clock.ts";
import { HeadAndTail } from "./output.ts";

/** ms between reports. */
const INTERVAL = 100;

/** Characters of one report. Longer output is cut in the middle. */
const MAX_REPORT = 4_000;

/** Characters of all reports: the limit of a chat. The result has the end of the output. */
const MAX_REPORTED = 200_000;

const SILENT = "\n[...NO FURTHER PROGRESS IS SHOWN...]\n";

/** Reports output at once after a pause, then at most once per interval. */
export class OutputProgress {
  readonly #clock: Clock;
  readonly #report: (output: string) => void;
  #waiting = new HeadAndTail(MAX_REPORT);
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

  /** Reports the rest, then stops. */
  flush(): void {
    this.#pause?.();
    this.#tell();
    this.stop();
  }

  /** Drops the rest, then stops. */
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
