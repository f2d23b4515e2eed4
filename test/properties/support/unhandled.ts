/** What nobody handled: the test runner's own listeners would only fail the run as a whole. */
export function watchProcess(): { readonly errors: readonly unknown[]; stop(): void } {
  const errors: unknown[] = [];
  const note = (error: unknown): void => void errors.push(error);
  const names = ["unhandledRejection", "uncaughtException"] as const;
  const others = names.map((name) => process.listeners(name as "uncaughtException"));
  for (const name of names) process.removeAllListeners(name).on(name, note);
  return {
    errors,
    stop: () => {
      for (const [at, name] of names.entries()) {
        process.removeAllListeners(name);
        for (const listener of others[at] ?? []) process.on(name as "uncaughtException", listener);
      }
    },
  };
}
