/** What became of one cell. */
export type Outcome =
  | { readonly kind: "passed"; readonly words: string }
  | { readonly kind: "failed"; readonly words: string; readonly first: string }
  | { readonly kind: "untried"; readonly reason: string }
  /** There is no such thing to try. */
  | { readonly kind: "none" };

/** A row of the page: one runtime, bundler or compiler. */
export interface Row {
  readonly version: string;
  readonly module: Outcome;
  readonly commonJs: Outcome;
}

export const NONE: Outcome = { kind: "none" };

export const untried = (reason: string): Outcome => ({ kind: "untried", reason });

export const failed = (first: string, words = "failed"): Outcome => ({ kind: "failed", words, first });

/** What `matrix/consumer/report.ts` writes. */
interface Report {
  readonly of: number;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/** Reads the last line of a program's output. */
export function outcomeOf(text: string): Outcome {
  const report = readReport(text.trim().split("\n").at(-1) ?? "");
  if (report === undefined) return failed(`no report: ${text.trim().slice(-500) || "no output"}`);
  const { of, failures } = report;
  const words = `${of - failures.length}/${of}`;
  const [first] = failures;
  return first === undefined ? { kind: "passed", words } : failed(`${first.name}: ${first.message}`, words);
}

/** A report of no trial is none. */
function readReport(line: string): Report | undefined {
  try {
    const report = JSON.parse(line) as Partial<Report> | null;
    if (report?.of === undefined || report.of === 0 || report.failures === undefined) return undefined;
    return report as Report;
  } catch {
    return undefined;
  }
}
