// Ends the started programs when this process ends.

/** A process that must not outlive this one. */
export interface Watched {
  /** Whether to pass on SIGINT, SIGTERM and SIGHUP of this process. */
  readonly forwardsSignals: boolean;
  forward(signal: NodeJS.Signals): void;
  /** Called when this process ends, with its signal if any. */
  abandon(signal?: NodeJS.Signals | null): void;
}

const running = new Set<Watched>();

/** Signals by which a terminal or a supervisor ends this process. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes signal-exit's listener. */
let ignoreSignals: (() => void) | undefined;

/** Ends the process when this process ends, until `unwatch`. */
export function watch(started: Watched): void {
  running.add(started);
  if (started.forwardsSignals) listen();
  if (running.size > 1) return;
  process.on("exit", endAll);
  // Imported late: the import changes `globalThis`.
  void import("signal-exit").then(({ onExit }) => {
    if (running.size > 0) ignoreSignals ??= onExit(endAll);
  });
}

export function unwatch(ended: Watched): void {
  running.delete(ended);
  if (!isForwarding()) for (const signal of SIGNALS) process.off(signal, onSignal);
  if (running.size > 0) return;
  process.off("exit", endAll);
  ignoreSignals?.();
  ignoreSignals = undefined;
}

function endAll(_code: unknown, signal?: NodeJS.Signals | null): void {
  for (const each of running) each.abandon(signal);
}

function isForwarding(): boolean {
  return [...running].some(({ forwardsSignals }) => forwardsSignals);
}

/** One shared listener, before all others: `onSignal` must know whether the app listens too. */
function listen(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal).prependListener(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  for (const each of running) if (each.forwardsSignals) each.forward(signal);
  process.off(signal, onSignal);
  // The app has no listener, so the signal ends this process, as without this library.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  else setImmediate(() => isForwarding() && listen());
}
