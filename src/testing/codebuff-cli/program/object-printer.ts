// Prints one JSON object at the end.
import { CollectingPrinter } from "./collecting-printer.ts";
import type { Failure } from "./failures.ts";
import type { Output } from "./output.ts";

/** One object at the end, over many lines; a failure is a part of it. */
export class ObjectPrinter extends CollectingPrinter {
  readonly #stdout: Output;
  readonly #instead: unknown;

  /** @param instead what is printed in place of what the events make */
  constructor(stdout: Output, instead: unknown) {
    super();
    this.#stdout = stdout;
    this.#instead = instead;
  }

  async end(failure: Failure | undefined): Promise<void> {
    await this.#stdout.line(JSON.stringify(this.#instead ?? this.#object(failure), null, 2));
  }

  #object(failure: Failure | undefined): unknown {
    const { text, traces } = this.transcript;
    if (!failure) return { success: true, output: text, traces };
    const { error, stack, late } = failure;
    const said = stack === undefined ? error : `${error}\n\n${stack}`;
    return { success: false, output: text, ...(late ? { traces } : {}), error: said };
  }
}
