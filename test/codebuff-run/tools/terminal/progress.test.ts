import { ManualClock } from "agentwire/testing";
import { expect, test } from "vitest";
import { OutputProgress } from "../../../../src/codebuff-run/tools/terminal/progress.ts";

function reporter() {
  const clock = new ManualClock();
  const reports: string[] = [];
  return { clock, reports, progress: new OutputProgress(clock, (output) => reports.push(output)) };
}

test("the first output is reported at once, and the next output together after 100 ms", async () => {
  const { clock, reports, progress } = reporter();
  progress.push("a");
  progress.push("b");
  progress.push("c");
  expect(reports).toEqual(["a"]);
  await clock.advance(99);
  expect(reports).toEqual(["a"]);
  await clock.advance(1);
  expect(reports).toEqual(["a", "bc"]);
});

test("after a pause, output is reported at once again", async () => {
  const { clock, reports, progress } = reporter();
  progress.push("a");
  await clock.advance(100);
  expect(clock.pending).toBe(0);
  progress.push("b");
  expect(reports).toEqual(["a", "b"]);
});

test("`flush()` reports the rest at once, and leaves no timer", () => {
  const { clock, reports, progress } = reporter();
  progress.push("a");
  progress.push("b");
  progress.flush();
  expect(reports).toEqual(["a", "b"]);
  expect(clock.pending).toBe(0);
});

test("`stop()` drops the rest and all later output, and leaves no timer", async () => {
  const { clock, reports, progress } = reporter();
  progress.push("a");
  progress.push("b");
  progress.stop();
  progress.push("c");
  await clock.advance(1_000);
  expect(reports).toEqual(["a"]);
  expect(clock.pending).toBe(0);
});

test("a flood makes one short report per interval, and none after the limit for a command", async () => {
  const { clock, reports, progress } = reporter();
  for (let turn = 0; turn < 1_000; turn++) {
    for (let count = 0; count < 10; count++) progress.push("x".repeat(10_000));
    await clock.advance(100);
  }
  progress.flush();
  expect(Math.max(...reports.map(({ length }) => length))).toBeLessThanOrEqual(4_000 + 100);
  expect(reports.length).toBeLessThanOrEqual(60);
  expect(reports.join("").length).toBeLessThanOrEqual(200_000 + 4_100);
  expect(reports.at(-1)).toMatch(/\[\.\.\.NO FURTHER PROGRESS IS SHOWN\.\.\.\]\n$/);
  expect(reports.filter((report) => report.includes("NO FURTHER"))).toHaveLength(1);
  expect(clock.pending).toBe(0);
});
