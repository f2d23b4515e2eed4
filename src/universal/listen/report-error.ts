// Reports the error of a listener, also in runtimes without `reportError`.

/** Reports a listener's error that has no caller. Browsers, Deno and Bun have `reportError`; Node has not. */
export function reportError(error: unknown): void {
  const { reportError, console } = globalThis as Reporting;
  if (reportError) reportError(error);
  else console?.error("agentwire: a listener has thrown", error);
}

interface Reporting {
  readonly reportError?: (error: unknown) => void;
  readonly console?: { error(...values: unknown[]): void };
}
