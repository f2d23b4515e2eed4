/** What a terminal, or who started this process, ends it with. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Whose processes are told. One listener for all: two could not tell each other from somebody who wants to live on. */
const relays = new Set<SignalRelay>();

/** Passes signals on to processes whose group a terminal does not reach. */
export class SignalRelay {
  readonly forward: (signal: NodeJS.Signals) => void;

  constructor(isWanted: boolean, forward: (signal: NodeJS.Signals) => void) {
    this.forward = forward;
    if (!isWanted) return;
    if (relays.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal);
    relays.add(this);
  }

  stop(): void {
    if (!relays.delete(this) || relays.size > 0) return;
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

function onSignal(signal: NodeJS.Signals): void {
  for (const relay of relays) relay.forward(signal);
  if (process.listenerCount(signal) > 1) return; // somebody else decides what becomes of this process
  process.off(signal, onSignal);
  process.kill(process.pid, signal); // as if nobody had listened
}
