// The universal stream of a chat on a relay: the events as the relay tells them.
import { deferred } from "../core/deferred.ts";
import type { Unsubscribe } from "../core/tell/events.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { StreamLog } from "../universal/listen/log.ts";
import { LogStream } from "../universal/listen/log-stream.ts";
import { reportError } from "../universal/listen/report-error.ts";
import type { ResetListener, UniversalOptions } from "../universal/stream.ts";

export class RemoteStream extends LogStream {
  readonly #log: StreamLog;
  readonly #resets = new Set<ResetListener>();
  readonly #caughtUp = deferred<void>();
  readonly caughtUp = this.#caughtUp.promise;

  /** @param left called when the stream has ended */
  constructor({ maxLogBytes }: UniversalOptions, left: (stream: RemoteStream) => void) {
    const log = new StreamLog(maxLogBytes);
    super(log, () => {
      log.end();
      this.tellCaughtUp();
      this.#resets.clear();
      left(this);
    });
    this.#log = log;
  }

  onReset(listener: ResetListener): Unsubscribe {
    this.#resets.add(listener);
    return () => void this.#resets.delete(listener);
  }

  tell(event: UniversalEvent, position?: string): void {
    if (this.ended) return;
    this.#log.keep(event);
    callSafely(() => this.#log.tell(position));
  }

  tellReset(saved: unknown): void {
    for (const listener of this.#resets) callSafely(() => listener(saved));
  }

  tellCaughtUp(): void {
    this.#caughtUp.resolve();
  }
}

function callSafely(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    reportError(error);
  }
}
