interface EventSource {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

interface Page extends EventSource {
  readonly visibilityState: string;
}

/**
 * Calls `wake` when a browser comes back online or its page becomes visible: the moments at which waiting
 * out a back-off is a waste. Elsewhere there are no such events and this does nothing.
 *
 * @returns the function that stops listening.
 */
export function onWake(wake: () => void): () => void {
  const { addEventListener, removeEventListener, document } = globalThis as Partial<EventSource> & {
    document?: Page;
  };
  const onVisible = (): void => {
    if (document?.visibilityState === "visible") wake();
  };
  addEventListener?.("online", wake);
  document?.addEventListener("visibilitychange", onVisible);
  return () => {
    removeEventListener?.("online", wake);
    document?.removeEventListener("visibilitychange", onVisible);
  };
}
