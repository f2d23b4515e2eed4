// The universal stream of a chat on a relay: the events as the relay tells them.
import { checkCallOptions, checks, describe } from "../core/checks.ts";
import { deferred } from "../core/deferred.ts";
import { InvalidInputError } from "../core/errors.ts";
import { checkName } from "../core/names.ts";
import type { ListenOptions, Unsubscribe } from "../core/tell/events.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { StreamLog } from "../universal/listen/log.ts";
import { reportError } from "../universal/listen/report-error.ts";
import type {
  EventListener,
  ReplayOptions,
  ResetListener,
  UniversalOptions,
  UniversalStream,
} from "../universal/stream.ts";

/** 64 MiB, as all streams keep. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

export class RemoteStream implements UniversalStream {
  readonly caughtUp: Promise<void>;
  readonly #log: StreamLog;
  readonly #left: (stream: RemoteStream) => void;
  readonly #listeners = new Map<object, EventListener>();
  readonly #resets = new Map<object, ResetListener>();
  readonly #caught = deferred<void>();

  /** @param left called when the stream has ended */
  constructor({ maxLogBytes = MAX_LOG_BYTES }: UniversalOptions, left: (stream: RemoteStream) => void) {
    this.#log = new StreamLog(maxLogBytes);
    this.#left = left;
    this.caughtUp = this.#caught.promise;
  }

  get count(): number {
    return this.#log.count;
  }

  get ended(): boolean {
    return this.#log.isEnded;
  }

  events(options: ReplayOptions = {}): AsyncIterable<UniversalEvent> {
    checkCallOptions(options, { after: checks.tries, signal: checks.signal });
    return this.#log.read(options);
  }

  [Symbol.asyncIterator](): AsyncIterator<UniversalEvent> {
    return this.#log.read({})[Symbol.asyncIterator]();
  }

  on(name: "event", listener: EventListener, options: ListenOptions = {}): Unsubscribe {
    checkName(name, { event: true }, "event");
    checkCallOptions(options, { signal: checks.signal });
    return this.#listen(this.#listeners, listener, options.signal);
  }

  readonly onReset = (listener: ResetListener): Unsubscribe =>
    this.#listen(this.#resets, listener, undefined);

  close(): void {
    if (this.ended) return;
    this.#log.end();
    this.#caught.resolve();
    this.#listeners.clear();
    this.#resets.clear();
    this.#left(this);
  }

  tell(event: UniversalEvent, position?: string): void {
    if (this.ended) return;
    this.#log.keep(event);
    this.#log.wake();
    for (const [key, listener] of [...this.#listeners])
      if (this.#listeners.has(key)) callSafely(() => listener(event, position));
  }

  tellReset(saved: unknown): void {
    for (const [key, listener] of [...this.#resets])
      if (this.#resets.has(key)) callSafely(() => listener(saved));
  }

  tellCaughtUp(): void {
    this.#caught.resolve();
  }

  #listen<Listener>(
    to: Map<object, Listener>,
    listener: Listener,
    signal: AbortSignal | undefined,
  ): Unsubscribe {
    if (typeof listener !== "function")
      throw new InvalidInputError(`the listener is ${describe(listener)}.`, "Pass a function.");
    if (signal?.aborted || this.ended) return () => {};
    const key = {};
    to.set(key, listener);
    const off = (): void => {
      to.delete(key);
      signal?.removeEventListener("abort", off);
    };
    signal?.addEventListener("abort", off, { once: true });
    return off;
  }
}

function callSafely(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    reportError(error);
  }
}
