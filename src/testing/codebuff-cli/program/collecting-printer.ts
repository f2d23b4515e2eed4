// The base of printers that print only at the end.
import type { FakeCodebuffEvent } from "../script.ts";
import { hugeEvent } from "./canned.ts";
import type { Failure } from "./failures.ts";
import type { Printer } from "./printer.ts";
import { Transcript } from "./transcript.ts";

/** Prints nothing before the end. */
export abstract class CollectingPrinter implements Printer {
  protected readonly transcript = new Transcript();

  event(event: FakeCodebuffEvent): undefined {
    this.transcript.event(event);
  }

  chunk(text: string): undefined {
    this.transcript.chunk(text);
  }

  json(): undefined {}

  async huge(bytes: number): Promise<void> {
    this.event(hugeEvent(bytes));
  }

  abstract end(failure: Failure | undefined): Promise<void>;
}
