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
    relays.add(this);
    listen();
  }

  stop(): void {
    if (relays.delete(this) && relays.size === 0) for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/** Once, and as the first: who counts the listeners to see whether this process is to die is not to count this one. */
function listen(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal).prependListener(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  for (const relay of relays) relay.forward(signal);
  process.off(signal, onSignal);
  if (process.listenerCount(signal) === 0)
    process.kill(process.pid, signal); // as if nobody had listened
  // Or one of the others decides that this process lives on.
  else setImmediate(() => relays.size > 0 && listen());
}
