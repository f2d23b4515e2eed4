import type { FakeCodebuffEvent } from "../scenario.ts";
import { hugeEvent } from "./canned.ts";
import type { Failure } from "./failures.ts";
import type { Output } from "./output.ts";
import type { Printer } from "./printer.ts";
import { Transcript } from "./transcript.ts";

/** One object at the end, over many lines; a failure is a part of it. */
export class ObjectPrinter implements Printer {
  readonly #stdout: Output;
  readonly #instead: unknown;
  readonly #transcript = new Transcript();

  /** @param instead what is printed in place of what the events make */
  constructor(stdout: Output, instead: unknown) {
    this.#stdout = stdout;
    this.#instead = instead;
  }

  event(event: FakeCodebuffEvent): undefined {
    this.#transcript.event(event);
  }

  chunk(text: string): undefined {
    this.#transcript.chunk(text);
  }

  json(): undefined {}

  async huge(bytes: number): Promise<void> {
    this.event(hugeEvent(bytes));
  }

  async end(failure: Failure | undefined): Promise<void> {
    await this.#stdout.line(JSON.stringify(this.#instead ?? this.#object(failure), null, 2));
  }

  #object(failure: Failure | undefined): unknown {
    const { text, traces } = this.#transcript;
    if (!failure) return { success: true, output: text, traces };
    const { error, stack, late } = failure;
    const said = stack === undefined ? error : `${error}\n\n${stack}`;
    return { success: false, output: text, ...(late ? { traces } : {}), error: said };
  }
}
