import { createTwoFilesPatch } from "diff";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { patched } from "../../../../src/codebuff-run/tools/files/patch.ts";
import { createdText, PatchFailure } from "../../../../src/codebuff-run/tools/files/patch-sections.ts";

const FIVE = "one\ntwo\nthree\nfour\nfive\n";

describe("a diff that creates a file", () => {
  test.each([
    ["has its lines, without a last line feed", "+a\n+b\n", "a\nb"],
    ["has empty lines", "+a\n+\n+b", "a\n\nb"],
    ["loses its headers", "--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+a\n*** End of File", "a"],
    ["keeps a line that looks like a header", "+int i;\n+++i;\n+++ x", "int i;\n++i;\n++ x"],
    ["loses its fence", "```diff\n+a\n```", "a"],
    ["has CRLF", "+a\r\n+b\r\n", "a\nb"],
    ["is empty", "", ""],
  ])("%s", (_, diff, text) => {
    expect(createdText(diff)).toBe(text);
  });

  test.each([
    ["another line", "+a\nb", "Invalid Add File Line: b"],
    ["an empty line", "+a\n\n+b", "Invalid Add File Line: "],
  ])("refuses %s", (_, diff, message) => {
    expect(() => createdText(diff)).toThrow(new PatchFailure(message));
  });
});

describe("a diff that updates a file", () => {
  test.each([
    ["begins a section with @@", FIVE, "@@\n one\n-two\n+TWO\n", "one\nTWO\nthree\nfour\nfive\n"],
    ["needs no header", FIVE, "-two\n+TWO", "one\nTWO\nthree\nfour\nfive\n"],
    ["has numbers that say nothing", FIVE, "@@ -99,1 +7 @@ text\n-two", "one\nthree\nfour\nfive\n"],
    ["has sections in order", FIVE, "@@\n-one\n+1\n@@\n-five\n+5", "1\ntwo\nthree\nfour\n5\n"],
    ["takes the first place of its lines", "a\nb\na\n", "@@\n-a\n+x", "x\nb\na\n"],
    ["goes on after the previous section", "a\nb\na\n", "@@\n a\n@@\n-a\n+x", "a\nb\nx\n"],
    ["goes on behind an anchor", "a\nb\nx\na\n", "@@ x\n-a\n+y", "a\nb\nx\ny\n"],
    ["finds an anchor without its white space", "a\n  x {\na\n", "@@ x {\n-a\n+y", "a\n  x {\ny\n"],
    ["prefers the exact anchor", "  x\na\nx\na\n", "@@ x\n-a\n+y", "  x\na\nx\ny\n"],
    ["has an anchor above for two sections", "f\na\nb\nb\n", "@@ f\n-a\n+A\n@@ f\n-b\n+B", "f\nA\nB\nb\n"],
    ["may have a wrong anchor where its lines are clear", FIVE, "@@ nope\n-two", "one\nthree\nfour\nfive\n"],
    ["adds behind an anchor", FIVE, "@@ two\n+new", "one\ntwo\nnew\nthree\nfour\nfive\n"],
    ["adds at the top", FIVE, "@@\n+zero", `zero\n${FIVE}`],
    ["adds at the end", FIVE, "@@\n+six\n*** End of File", `${FIVE}six\n`],
    ["is pinned to the end", "a\nb\na\n", "@@\n-a\n+x\n*** End of File", "a\nb\nx\n"],
    ["may go on behind the end's mark", "a\n", "@@\n a\n*** End of File\n@@\n+b", "a\nb\n"],
    ["has an empty line as context", "a\n\nb\n", "@@\n a\n\n-b\n+c", "a\n\nc\n"],
    [
      "shows the end of the last line as a line",
      FIVE,
      "@@\n-five\n+FIVE\n\n",
      "one\ntwo\nthree\nfour\nFIVE\n",
    ],
    ["ignores white space at the end of lines", "a  \nb\n", "@@\n a\n-b\n+c", "a  \nc\n"],
    ["ignores white space around lines", "  a\n\tb\n", "@@\n a\n-b\n+c", "  a\nc\n"],
    ["prefers lines with the same white space", " a\na\n", "@@\n-a\n+x", " a\nx\n"],
    [
      "loses its file headers",
      FIVE,
      "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+1",
      "1\ntwo\nthree\nfour\nfive\n",
    ],
    ["may take out a line that looks like a header", "-- x\na\n", "@@\n--- x\n a", "a\n"],
    ["loses its fence", FIVE, "```diff\n@@\n-one\n```\n", "two\nthree\nfour\nfive\n"],
    ["has a remark on the last line", "a\nb", "@@\n-b\n+c\n\\ No newline at end of file", "a\nc"],
    ["has CRLF", FIVE, "@@\r\n-one\r\n+1\r\n", "1\ntwo\nthree\nfour\nfive\n"],
    ["keeps a file without a last line feed", "a\nb", "@@\n-a\n+x", "x\nb"],
    ["keeps it where the diff shows an end", "a\nb", "@@\n a\n-b\n+c\n\n", "a\nc"],
    ["fills an empty file", "", "@@\n+a", "a\n"],
    ["empties a file", "a\nb\n", "@@\n-a\n-b", ""],
    ["keeps a blank last line", "a\n\n", "@@\n-a\n+b", "b\n\n"],
  ])("%s", (_, text, diff, expected) => {
    expect(patched(text, diff)).toBe(expected);
  });

  test.each([
    ["lines that stand nowhere", "@@\n-nope", /^The lines of section 1 were not found\. Read .*:\nnope$/],
    [
      "lines that stand above",
      "@@\n-two\n@@\n-one",
      /^The lines of section 2 were not found after the previous section/,
    ],
    ["sections that overlap", "@@\n one\n-two\n@@\n-two\n+x", /^The lines of section 2/],
    ["lines that are not at the end", "@@\n-one\n*** End of File", /^The lines of section 1 .* at the end/],
    ["a line behind the end", "@@\n five\n*** End of File\n+x", /^Invalid Line: \+x\./],
    ["a line without a mark", "garbage\n-one", /^Invalid Line: garbage\. Each line begins with/],
    ["another file's header", "*** Update File: x\n@@\n-one", /^Invalid Line: \*\*\* Update File: x\./],
    ["an addition behind a line that stands nowhere", "@@ nope\n+x", /^The line of the header of section 1/],
    ["no change", "@@\n-one\n+one", /^The diff changes nothing\.$/],
    ["context alone", "@@\n one\n two", /^The diff has no line that begins with `-` or `\+`\.$/],
    ["nothing", "", /^The diff has no line/],
  ])("refuses %s", (_, diff, message) => {
    expect(() => patched(FIVE, diff)).toThrow(PatchFailure);
    expect(() => patched(FIVE, diff)).toThrow(message);
  });

  test("refuses a wrong anchor if its lines occur in several places", () => {
    expect(() => patched("a\nb\na\n", "@@ nope\n-a")).toThrow(/ and its lines occur in several places: a$/);
  });

  test("that another program made gives the expected text", () => {
    const lines = fc.uniqueArray(fc.nat(60), { maxLength: 40 });
    const text = (numbers: readonly number[]) => numbers.map((number) => `line ${number}\n`).join("");
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        // Common lines in the same order.
        const [before, after] = [text(old.toSorted()), text(now.toSorted())];
        fc.pre(before !== after);
        expect(
          patched(before, createTwoFilesPatch("a", "b", before, after).split("\n").slice(1).join("\n")),
        ).toBe(after);
      }),
    );
  });

  test("with very many sections for a large file is refused in bounded time", () => {
    const diff = Array.from({ length: 5_000 }, () => "@@\n-a \n+b\n").join("");
    expect(() => patched(`${"a\n".repeat(5_000)}${"b\n".repeat(100_000)}`, diff)).toThrow(
      "The diff has too many sections for a file of this size. Use smaller diffs.",
    );
  });

  test("that repeats one line very often is refused in bounded time", () => {
    const lines = (count: number) => " a\n".repeat(count);
    expect(() => patched("a\n".repeat(200_000), `@@\n${lines(100_000)}-b\n`)).toThrow(/were not found/);
  });
});
