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
const checks = [
  { name: "imports", findings: [] },
  { name: "size", findings: [] },
];
const stages = (broken?: string) =>
  ["test", "lint", "types", "check"].map((name) => ({ name, ok: name !== broken }));

describe("the last line of .ci/run", () => {
  test("counts tests and checks one by one, the other stages as one each", () => {
    expect(tally(stages(), { vitest, checks })).toEqual({ passed: 6, failed: 0 });
  });

  test.each(["lint", "types"])("counts a failed %s as a failure", (stage) => {
    expect(tally(stages(stage), { vitest, checks })).toEqual({ passed: 5, failed: 1 });
  });

  test("counts failed tests", () => {
    const report = {
      numPassedTests: 2,
      numFailedTests: 3,
      testResults: [file("failed", "passed", "failed")],
    };
    expect(tally(stages("test"), { vitest: report, checks })).toEqual({ passed: 6, failed: 3 });
  });

  test("counts a test file that cannot be loaded", () => {
    const report = { ...vitest, testResults: [...vitest.testResults, file("failed")] };
    expect(tally(stages("test"), { vitest: report, checks })).toEqual({ passed: 6, failed: 1 });
  });

  test("counts failed checks", () => {
    const report = [...checks, { name: "browser", findings: [{}, {}] }];
    expect(tally(stages("check"), { vitest, checks: report })).toEqual({ passed: 6, failed: 1 });
  });

  test.each(["test", "check"])(
    "believes the exit code of %s when its report knows of no failure",
    (stage) => {
      expect(tally(stages(stage), { vitest, checks })).toEqual({ passed: 6, failed: 1 });
    },
  );

  test("counts a stage without a report as one failure, even if it says it passed", () => {
    expect(tally(stages(), { vitest: undefined, checks })).toEqual({ passed: 4, failed: 1 });
    expect(tally(stages(), { vitest, checks: "garbage" })).toEqual({ passed: 4, failed: 1 });
  });
});
