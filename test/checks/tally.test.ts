import { describe, expect, test } from "vitest";
import { tally } from "../../scripts/support/tally.ts";

const file = (status: string, ...tests: readonly string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});
const vitest = {
  numPassedTests: 2,
  numFailedTests: 0,
  testResults: [file("passed", "passed", "passed")],
};
const browser = { numPassedTests: 4, numFailedTests: 0, testResults: [file("passed", "passed", "skipped")] };
const checks = [
  { name: "imports", findings: [] },
  { name: "size", findings: [] },
];
const stages = (broken?: string) =>
  ["test", "browser", "lint", "types", "soak", "check"].map((name) => ({ name, ok: name !== broken }));

describe("the last line of .ci/run", () => {
  test("counts each test and each check, and each other stage as one", () => {
    expect(tally(stages(), { vitest, browser, checks })).toEqual({ passed: 11, failed: 0 });
  });

  test.each(["lint", "types", "soak"])("counts a failed %s as a failure", (stage) => {
    expect(tally(stages(stage), { vitest, browser, checks })).toEqual({ passed: 10, failed: 1 });
  });

  test("counts failed browser tests", () => {
    const report = { ...browser, numFailedTests: 2, testResults: [file("failed", "failed")] };
    expect(tally(stages("browser"), { vitest, browser: report, checks })).toEqual({ passed: 11, failed: 2 });
  });

  test("counts failed tests", () => {
    const report = {
      numPassedTests: 2,
      numFailedTests: 3,
      testResults: [file("failed", "passed", "failed")],
    };
    expect(tally(stages("test"), { vitest: report, browser, checks })).toEqual({ passed: 11, failed: 3 });
  });

  test("counts a test file that cannot be loaded", () => {
    const report = { ...vitest, testResults: [...vitest.testResults, file("failed")] };
    expect(tally(stages("test"), { vitest: report, browser, checks })).toEqual({ passed: 11, failed: 1 });
  });

  test("counts failed checks", () => {
    const report = [...checks, { name: "browser", findings: [{}, {}] }];
    expect(tally(stages("check"), { vitest, browser, checks: report })).toEqual({ passed: 11, failed: 1 });
  });

  test.each(["test", "browser", "check"])(
    "counts one failure if %s exits with an error but its report has none",
    (stage) => {
      expect(tally(stages(stage), { vitest, browser, checks })).toEqual({ passed: 11, failed: 1 });
    },
  );

  test("counts a stage without a report as one failure, even if it exits with 0", () => {
    expect(tally(stages(), { vitest: undefined, browser, checks })).toEqual({ passed: 9, failed: 1 });
    expect(tally(stages(), { vitest, browser: undefined, checks })).toEqual({ passed: 7, failed: 1 });
    expect(tally(stages(), { vitest, browser, checks: "garbage" })).toEqual({ passed: 9, failed: 1 });
  });
});
