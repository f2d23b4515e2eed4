// The steps of `agentwire doctor`: what was looked at, and what to do next.

export interface Found {
  /** `warn`: it works, and is odd. `skipped`: an earlier step has failed. */
  readonly status: "ok" | "warn" | "failed" | "skipped";
  readonly detail: string;
  /** What to do. */
  readonly next?: string;
  /** Further facts, such as what is odd about a server. */
  readonly notes?: readonly string[];
}

export interface DoctorStep extends Found {
  readonly name: string;
}

export const stepOk = (detail: string, notes?: readonly string[]): Found => ({
  status: "ok",
  detail,
  ...(notes && notes.length > 0 ? { notes } : {}),
});
export const stepOdd = (detail: string, next: string): Found => ({ status: "warn", detail, next });
export const stepFailed = (detail: string, next: string): Found => ({ status: "failed", detail, next });
export const stepSkipped = (detail: string): Found => ({ status: "skipped", detail });

/** Runs a step within a limit. @param look gets a signal that is aborted at the limit, and when the program is to end */
export async function within(
  seconds: number,
  ended: AbortSignal,
  look: (signal: AbortSignal) => Promise<Found>,
  next: string,
): Promise<Found> {
  const limit = AbortSignal.timeout(seconds * 1_000);
  const signal = AbortSignal.any([limit, ended]);
  const aborted = new Promise<Found>((resolve) => {
    const give = (): void => resolve(stepFailed(`no answer within ${seconds} s`, next));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
  return Promise.race([look(signal), aborted]);
}
