// The signals that end the program.

/** The exit codes of shells for a program that a signal ended. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return SIGNALS[signal as keyof typeof SIGNALS] ?? SIGNALS.SIGHUP;
}

/**
 * Calls `listener` at the first signal. A second one ends the process at once, with all programs that it has started. Returns a function
 * that stops listening.
 */
export function onSignals(listener: (signal: NodeJS.Signals) => void): () => void {
  let count = 0;
  const heard = (signal: NodeJS.Signals): void => {
    count++;
    if (count > 1) process.exit(exitCodeOfSignal(signal));
    listener(signal);
  };
  const names = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];
  for (const name of names) process.on(name, heard);
  return () => {
    for (const name of names) process.off(name, heard);
  };
}
