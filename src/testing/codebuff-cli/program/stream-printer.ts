// Prints one JSON value a line, as events happen.
import type { FakeCodebuffEvent } from "../script.ts";
import { HUGE_HEAD, HUGE_TAIL } from "./canned.ts";
import type { Failure } from "./failures.ts";
import type { Output } from "./output.ts";
import type { Printer } from "./printer.ts";

/** One JSON value on each line. A failure is told on stderr. */
export class StreamPrinter implements Printer {
  readonly #stdout: Output;
  readonly #errors: Output;
  readonly #tellFailure: (failure: Failure) => Promise<void> | undefined;

  constructor(stdout: Output, errors: Output, tellFailure: (failure: Failure) => Promise<void> | undefined) {
    this.#stdout = stdout;
    this.#errors = errors;
    this.#tellFailure = tellFailure;
  }

  event(event: FakeCodebuffEvent): Promise<void> | undefined {
    return (event.type === "error" ? this.#errors : this.#stdout).line(JSON.stringify(event));
  }

  chunk(text: string): Promise<void> | undefined {
    return this.#stdout.line(JSON.stringify(text));
  }

  json(value: unknown): Promise<void> | undefined {
    return this.#stdout.line(JSON.stringify(value));
  }

  huge(bytes: number): Promise<void> {
    return this.#stdout.huge(HUGE_HEAD, HUGE_TAIL, bytes);
  }

  async end(failure: Failure | undefined): Promise<void> {
    if (failure) await this.#tellFailure(failure);
  }
}
