// The interface of the printers, one for each output mode.
import type { FakeCodebuffEvent } from "../script.ts";
import type { Failure } from "./failures.ts";

/** How a run is printed: what each output mode makes of events. What returns a promise has to be awaited. */
export interface Printer {
  event(event: FakeCodebuffEvent): Promise<void> | undefined;
  /** A chunk of text of the root agent. */
  chunk(text: string): Promise<void> | undefined;
  /** Any value where an event belongs. */
  json(value: unknown): Promise<void> | undefined;
  /** A `text` event of so many bytes. */
  huge(bytes: number): Promise<void>;
  /** Whatever is printed at the end. */
  end(failure: Failure | undefined): Promise<void>;
}
