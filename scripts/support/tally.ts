import * as z from "zod/mini";

export interface StageResult {
  readonly name: string;
  /** Whether its command ended with 0. */
  readonly ok: boolean;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** What the stages that count wrote; `undefined` for what is missing. */
export interface Reports {
  /** The tests on Node, by vitest's JSON reporter. */
  readonly vitest: unknown;
  /** The same of those in a browser. */
  readonly browser: unknown;
  readonly checks: unknown;
}

/** What vitest's JSON reporter writes, as far as it counts. */
const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
});

/** What `npm run check -- --json` writes. */
const checkReport = z.array(z.object({ findings: z.array(z.unknown()) }));

/**
 * Counts tests and checks one by one, every other stage as one. A stage that failed always counts as a
 * failure, even when its report is missing, unreadable, or knows of none.
 */
export function tally(stages: readonly StageResult[], reports: Reports): Tally {
  const counts = stages.map((stage): Tally => {
    const { ok } = stage;
    const counted = countIn(stage, reports);
    if (counted === undefined) return one(false);
    return ok || counted.failed > 0 ? counted : { ...counted, failed: 1 };
  });
  const sum = (pick: (count: Tally) => number) => counts.reduce((total, count) => total + pick(count), 0);
  return { passed: sum(({ passed }) => passed), failed: sum(({ failed }) => failed) };
}

function countIn({ name, ok }: StageResult, reports: Reports): Tally | undefined {
  switch (name) {
    case "test":
      return countTests(reports.vitest);
    case "browser":
      return countTests(reports.browser);
    case "check":
      return countChecks(reports.checks);
    default:
      return one(ok);
  }
}

function one(ok: boolean): Tally {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function countTests(report: unknown): Tally | undefined {
  const parsed = vitestReport.safeParse(report);
  if (!parsed.success) return undefined;
  const { numPassedTests, numFailedTests, testResults } = parsed.data;
  // A file that cannot be loaded has no tests that could fail.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed"),
  );
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles.length };
}

function countChecks(report: unknown): Tally | undefined {
  const parsed = checkReport.safeParse(report);
  if (!parsed.success) return undefined;
  const failed = parsed.data.filter(({ findings }) => findings.length > 0).length;
  return { passed: parsed.data.length - failed, failed };
}
