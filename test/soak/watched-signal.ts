/** A signal that knows how many listen to it. */
export interface WatchedSignal {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Listeners that nobody has removed; those that an abort has called are gone. */
  readonly listeners: () => number;
}

export function countingSignal(): WatchedSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const listening = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listening.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listening.delete(args[1]);
    remove(...args);
  };
  return {
    signal,
    abort: () => controller.abort(new Error("as planned")),
    listeners: () => (signal.aborted ? 0 : listening.size),
  };
}
