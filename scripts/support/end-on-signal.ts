/** Lets a signal end this process as an exit does: children are ended and folders removed on exit, and a signal alone would end it without one. */
export function endOnSignal(): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
}
