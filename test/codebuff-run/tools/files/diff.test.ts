import { applyPatch } from "diff";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hunksBetween, MAX_DIFF, unifiedDiff } from "../../../../src/codebuff-run/tools/files/diff.ts";

const numbered = (count: number, word = "line") =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join("");

const applied = (before: string, diff: string) => applyPatch(before, `--- a\n+++ b\n${diff}`);

test.each<[string, string, string, string]>([
  ["nothing", "a\n", "a\n", ""],
  ["one line", "hello\nworld\n", "hello\nthere\n", "@@ -1,2 +1,2 @@\n hello\n-world\n+there\n"],
  ["a new file", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"],
  ["a deleted file", "a\nb", "", "@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n"],
  ["the last line feed", "a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"],
  [
    "a line far down",
    numbered(20),
    numbered(20).replace("line 10\n", "new\n"),
    "@@ -7,9 +7,9 @@\n line 6\n line 7\n line 8\n line 9\n-line 10\n+new\n line 11\n line 12\n line 13\n line 14\n",
  ],
  ["a line at the top", "b\n", "a\nb\n", "@@ -1,1 +1,2 @@\n+a\n b\n"],
])("`unifiedDiff()` shows %s", (_, before, after, expected) => {
  expect(unifiedDiff(before, after)).toBe(expected);
});

test("distant changes are separate hunks with the line numbers of the whole file", () => {
  const before = numbered(1_000);
  const after = before.replace("line 100\n", "").replace("line 900\n", "x\ny\n");
  expect(hunksBetween(before, after).map(({ oldStart, newStart }) => [oldStart, newStart])).toEqual([
    [97, 97],
    [897, 896],
  ]);
  expect(applied(before, unifiedDiff(before, after))).toBe(after);
});

const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }).map((lines) => lines.join("\n"));

test("a diff turns the old text into the new text", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applied(before, unifiedDiff(before, after))).toBe(after);
    }),
  );
});

test("very many changes are one hunk, which still gives the new text", () => {
  const before = `head\n${numbered(3_000, "old")}tail\n`;
  const after = `head\n${numbered(2_000, "new")}tail\n`;
  const hunks = hunksBetween(before, after);
  expect(hunks).toMatchObject([{ oldStart: 1, oldLines: 3_002, newStart: 1, newLines: 2_002 }]);
  expect(applied(before, unifiedDiff(before, after))).toBe(after);
});

test("a diff of a million changed lines takes bounded time", () => {
  const [hunk] = hunksBetween("a\n".repeat(1_000_000), "b\n".repeat(1_000_000));
  expect(hunk?.oldLines).toBe(1_000_000);
});

test("a diff of two distant changes in a million lines takes bounded time", () => {
  const middle = "same\n".repeat(1_000_000);
  expect(unifiedDiff(`a\n${middle}a\n`, `b\n${middle}b\n`).length).toBeLessThan(MAX_DIFF + 100);
});

test("a long diff is cut between two lines, with a mark", () => {
  const diff = unifiedDiff("", numbered(50_000));
  expect(diff.length).toBeLessThan(MAX_DIFF + 100);
  expect(diff).toMatch(/^@@ -0,0 \+1,50000 @@\n[\s\S]*\n\+line \d+\n\[cut behind 100000 characters\]\n$/);
});

test("a diff of one very long line is cut within the line, with a mark", () => {
  const diff = unifiedDiff("", "x".repeat(1_000_000));
  expect(diff.length).toBeLessThan(MAX_DIFF + 100);
  expect(diff).toMatch(/^@@ -0,0 \+1,1 @@\n\+x+\n\[cut behind 100000 characters\]\n$/);
});
