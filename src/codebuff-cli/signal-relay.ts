/** What a terminal, or who started this process, ends it with. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Passes signals on to processes whose group a terminal does not reach. */
export class SignalRelay {
  readonly #forward: (signal: NodeJS.Signals) => void;
  readonly #stops: (() => void)[] = [];

  constructor(isWanted: boolean, forward: (signal: NodeJS.Signals) => void) {
    this.#forward = forward;
    if (isWanted) for (const signal of SIGNALS) this.#listen(signal);
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #listen(signal: NodeJS.Signals): void {
    const onSignal = (): void => {
      this.#forward(signal);
      if (process.listenerCount(signal) > 1) return; // somebody else decides what becomes of this process
      process.off(signal, onSignal);
      process.kill(process.pid, signal); // as if nobody had listened
    };
    process.on(signal, onSignal);
    this.#stops.push(() => process.off(signal, onSignal));
  }
}
