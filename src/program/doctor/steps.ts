// The steps of `agentwire doctor`: what was looked at, and what to do next.

export interface Found {
  /** `warn`: it works, and is odd. `skipped`: an earlier step has failed, or something optional is missing. */
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

/** How optional things are missing: their details begin so. */
const MISSING = ["not installed", "not found", "not set"] as const;

/** Something optional is missing. @param more begins with a punctuation mark */
export const stepMissing = (how: (typeof MISSING)[number], more = ""): Found => stepSkipped(how + more);

/** What is missing, in a line: `not installed: ink, react; not set: CASS_TOKEN`. Empty if nothing is. */
export function missingWords(steps: readonly DoctorStep[]): string {
  const skipped = steps.filter(({ status }) => status === "skipped");
  const parts = MISSING.map((how) => {
    const names = skipped.filter(({ detail }) => detail.startsWith(how)).map(({ name }) => name);
    return { how, names: names.map((name) => name.slice(name.indexOf(" ") + 1)) };
  });
  return parts
    .filter(({ names }) => names.length > 0)
    .map(({ how, names }) => `${how}: ${names.join(", ")}`)
    .join("; ");
}

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
