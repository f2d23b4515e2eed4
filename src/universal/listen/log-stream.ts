// A universal stream over the log of its events.
import { type Checks, checkCallOptions, checks, describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { checkName } from "../../core/names.ts";
import type { ListenOptions, Unsubscribe } from "../../core/tell/events.ts";
import type { UniversalEvent } from "../events.ts";
import type { EventListener, ReplayOptions, UniversalStream } from "../stream.ts";
import type { StreamLog } from "./log.ts";

const REPLAY: Checks<ReplayOptions> = { after: checks.tries, signal: checks.signal };

/** A universal stream over the log of its events. */
export class LogStream implements UniversalStream {
  readonly #log: StreamLog;
  readonly close: () => void;

  /** @param close ends the source of the events, and the log */
  constructor(log: StreamLog, close: () => void) {
    this.#log = log;
    this.close = close;
  }

  get count(): number {
    return this.#log.count;
  }

  get ended(): boolean {
    return this.#log.isEnded;
  }

  events(options: ReplayOptions = {}): AsyncIterable<UniversalEvent> {
    checkCallOptions(options, REPLAY);
    return this.#log.read(options);
  }

  [Symbol.asyncIterator](): AsyncIterator<UniversalEvent> {
    return this.#log.read({})[Symbol.asyncIterator]();
  }

  on(name: "event", listener: EventListener, options: ListenOptions = {}): Unsubscribe {
    checkName(name, { event: true }, "event");
    checkCallOptions(options, { signal: checks.signal });
    if (typeof listener !== "function")
      throw new InvalidInputError(`the listener for \`event\` is ${describe(listener)}.`, "Pass a function.");
    const { signal } = options;
    if (signal?.aborted) return () => {};
    const off = this.#log.listen(listener);
    signal?.addEventListener("abort", off, { once: true });
    return () => {
      signal?.removeEventListener("abort", off);
      off();
    };
  }
}
