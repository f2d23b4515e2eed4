import { describe, expect, test } from "vitest";
import { NOTHING } from "./counts.ts";
import { markdownOf, reportOf, type SoakRun } from "./report-file.ts";

const RUN: SoakRun = {
  seed: 7,
  seconds: 60.4,
  node: "v24.1.0",
  counts: new Map([
    [
      "codey",
      {
        ...NOTHING,
        ...{ chapters: 2, turns: 20, completed: 15, cancelled: 2, failed: 3, links: 9, decisions: 4 },
        codes: { "connection-lost": 2, "turn-failed": 1 },
        faults: { rst: 1, stall: 4 },
      },
    ],
    ["relay-sqlite", { ...NOTHING, chapters: 1, turns: 30, completed: 30 }],
  ]),
  violations: [],
};

describe("the report of a soak", () => {
  test("has turns, faults and failures by kind, and how often each invariant was checked", () => {
    const report = reportOf(RUN);
    expect(report).toMatchObject({ seed: 7, held: true, soaked: { codey: { faults: { stall: 4 } } } });
    expect(report.checked.map(({ of, times }) => [of, times])).toEqual([
      ["turn", 20],
      ["decision", 4],
      ["chapter", 2],
      ["relay", 1],
    ]);
    for (const { invariants } of report.checked) expect(invariants.length).toBeGreaterThan(5);
  });

  test("says the same in Markdown", () => {
    const text = markdownOf(RUN);
    expect(text).toContain("# Soak: seed 7, 60 s, Node v24.1.0\n\nAll invariants held.");
    expect(text).toContain("| codey | 2 | 20 | 15 | 2 | 3 | 9 | 0 | 0 | 4 |");
    expect(text).toContain("| codey | stall 4, rst 1 | connection-lost 2, turn-failed 1 |");
    expect(text).toContain("| relay-sqlite | none | none |");
    expect(text).toMatch(/^\| 20 turns \| .*`prompt-twice`/m);
  });

  test("does not hide a violation", () => {
    const run = { ...RUN, violations: ["VIOLATION prompt-twice: codey"] };
    expect(reportOf(run).held).toBe(false);
    expect(markdownOf(run)).toContain("1 violations.");
    expect(markdownOf(run)).toContain("VIOLATION prompt-twice: codey");
  });
});
