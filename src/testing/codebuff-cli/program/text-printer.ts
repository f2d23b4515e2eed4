// Prints only the text of the root agent.
import type { FakeCodebuffEvent } from "../script.ts";
import { hugeEvent } from "./canned.ts";
import { CollectingPrinter } from "./collecting-printer.ts";
import type { Failure } from "./failures.ts";
import type { Output } from "./output.ts";
import type { Printer } from "./printer.ts";
import { isOfRoot } from "./steps.ts";

/** The text of the root agent and nothing else, as it comes; its end is a newline. */
export class PlainPrinter implements Printer {
  readonly #stdout: Output;
  readonly #tellFailure: (failure: Failure) => Promise<void> | undefined;
  #chunked = false;
  #said = false;

  constructor(stdout: Output, tellFailure: (failure: Failure) => Promise<void> | undefined) {
    this.#stdout = stdout;
    this.#tellFailure = tellFailure;
  }

  event(event: FakeCodebuffEvent): Promise<void> | undefined {
    // Blocks repeat chunks.
    if (event.type !== "text" || !isOfRoot(event) || this.#chunked) return undefined;
    this.#said = true;
    return this.#stdout.raw(String(event["text"]));
  }

  chunk(text: string): Promise<void> | undefined {
    this.#said = this.#chunked = true;
    return this.#stdout.raw(text);
  }

  json(): undefined {}

  async huge(bytes: number): Promise<void> {
    await this.event(hugeEvent(bytes));
  }

  async end(failure: Failure | undefined): Promise<void> {
    if (this.#said) await this.#stdout.line("");
    if (failure) await this.#tellFailure(failure);
  }
}

/** The text of the root agent, at the end. */
export class QuietPrinter extends CollectingPrinter {
  readonly #plain: PlainPrinter;

  constructor(plain: PlainPrinter) {
    super();
    this.#plain = plain;
  }

  async end(failure: Failure | undefined): Promise<void> {
    const { text } = this.transcript;
    if (text !== "") await this.#plain.chunk(text);
    await this.#plain.end(failure);
  }
}
