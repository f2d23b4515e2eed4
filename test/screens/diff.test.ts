import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiffLine, diffLines, pairedLines } from "../../src/screens/diff.ts";

const SIGNS = { same: " ", added: "+", removed: "-", gap: "…" } as const;

const sketchOf = (lines: readonly DiffLine[]): string[] =>
  lines.map(({ type, before, after, text }) => `${before ?? ""}:${after ?? ""}${SIGNS[type]}${text}`);

describe("the lines of a diff", () => {
  it.each<[string, string, string[]]>([
    ["nothing", "", []],
    [
      "a hunk at the start of the file",
      "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n",
      ["1:1 a", "2:-b", ":2+c", "3:3 d"],
    ],
    [
      "a hunk further down",
      "@@ -8,2 +9,3 @@ function f() {\n a\n+b\n c\n",
      [":…function f() {", "8:9 a", ":10+b", "9:11 c"],
    ],
    ["two hunks", "@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +10 @@\n+c\n", ["1:-a", ":1+b", ":…", ":10+c"]],
    [
      "hunks that follow each other",
      "@@ -1 +1 @@\n-a\n+b\n@@ -2 +2 @@\n-c\n+d\n",
      ["1:-a", ":1+b", "2:-c", ":2+d"],
    ],
    [
      "a new file",
      "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n",
      [": --- /dev/null", ": +++ b/x", ":1+a", ":2+b"],
    ],
    [
      "two files, one renamed",
      "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-c\n+d\n",
      [
        ": diff --git a/x b/y",
        ": similarity index 90%",
        ": rename from x",
        ": rename to y",
        ": --- a/x",
        ": +++ b/y",
        "1:-a",
        ":1+b",
        ": --- a/z",
        ": +++ b/z",
        "1:-c",
        ":1+d",
      ],
    ],
    [
      "an end without a line break",
      "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
      ["1:-a", ": \\ No newline at end of file", ":1+b"],
    ],
    [
      "lines that look like heads",
      "@@ -1,2 +1,2 @@\n--- a\n-@@ -1 +1 @@\n+++ b\n+c\n",
      ["1:--- a", "2:-@@ -1 +1 @@", ":1+++ b", ":2+c"],
    ],
    ["an empty line without its space", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", ["1:1 a", "2:2 ", "3:-b", ":3+c"]],
    ["a hunk that is counted badly", "@@ -1 +1 @@\n a\n-b\n+c\n", ["1:1 a", "2:-b", ":2+c"]],
    ["hunks without numbers", "@@ class A\n-a\n+b\n c\n", [":…class A", ":-a", ":+b", ": c"]],
    ["lines without a hunk", "+a\n-b\n c\n", [":+a", ":-b", ": c"]],
    ["a text that is no diff", "Changed a to b\n+ more", [": Changed a to b", ": + more"]],
    [
      "a diff of three versions",
      "@@@ -1 -1 +1 @@@\n- a\n -b\n++c\n",
      [": @@@ -1 -1 +1 @@@", ": - a", ":  -b", ": ++c"],
    ],
    [
      "a diff that was cut",
      "@@ -1,9 +1,9 @@\n-a\n[the rest of the diff is left out: it is too long]\n",
      ["1:-a", ": [the rest of the diff is left out: it is too long]"],
    ],
  ])("of %s", (_, diff, sketch) => {
    expect(sketchOf(diffLines(diff))).toEqual(sketch);
  });

  it("make both files again, with the numbers of their lines", () => {
    const file = fc.array(fc.constantFrom("a", "b", "", "-", "+", "-- x", "++ y", "@@ -1 +1 @@", "\\"), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(file, file, fc.nat({ max: 5 }), (before, after, context) => {
        const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
        const lines = diffLines(
          createTwoFilesPatch("x", "y", text(before), text(after), "", "", { context }),
        );
        const numbered = (side: "before" | "after", file: readonly string[]): void => {
          for (const line of lines)
            if (line[side] !== undefined) expect(file[line[side] - 1]).toBe(line.text);
        };
        numbered("before", before);
        numbered("after", after);
        const count = (type: DiffLine["type"]): number => lines.filter((line) => line.type === type).length;
        expect(count("added") - count("removed")).toBe(after.length - before.length);
      }),
    );
  });

  it("are as many as the text has, but for heads of hunks", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "@@ -1,2 +1 @@",
        "@@",
        "--- a",
        "+++ b",
        " a",
        "-a",
        "+a",
        "\\ No newline at end of file",
        "",
      ),
      fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "")),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const diff = `${lines.join("\n")}\n`;
        const shown = diffLines(diff).filter(({ type }) => type !== "gap");
        const heads = lines.filter((text) => text.startsWith("@@")).length;
        expect(shown.length).toBeGreaterThanOrEqual(lines.length - heads);
        expect(shown.length).toBeLessThanOrEqual(lines.length);
      }),
    );
  });
});

describe("the two columns of a diff", () => {
  const columns = (diff: string): string[] =>
    pairedLines(diffLines(diff)).map(({ left, right }) => `${left?.text ?? ""}|${right?.text ?? ""}`);

  it("have removed lines beside the added lines that follow", () => {
    expect(columns("@@ -1,4 +1,3 @@\n a\n-b\n-c\n+d\n e\n")).toEqual(["a|a", "b|d", "c|", "e|e"]);
    expect(columns("@@ -1,2 +1,3 @@\n a\n+b\n-c\n+d\n")).toEqual(["a|a", "|b", "c|d"]);
  });

  it("have what is said about a line under the line", () => {
    const note = "\\ No newline at end of file";
    expect(columns(`@@ -1 +1 @@\n-a\n${note}\n+b\n${note}\n`)).toEqual(["a|b", `${note}|${note}`]);
    expect(columns(`@@ -1 +1 @@\n-a\n+b\n${note}\n`)).toEqual(["a|b", `|${note}`]);
  });

  it("have each line once", () => {
    const line = fc.constantFrom(
      "@@ -1,2 +1 @@",
      "@@",
      " a",
      "-b",
      "+c",
      "\\ No newline at end of file",
      "x",
    );
    fc.assert(
      fc.property(fc.array(line), (all) => {
        const lines = diffLines(all.join("\n"));
        const shown = pairedLines(lines).flatMap(({ left, right }) =>
          left === right ? [left] : [left, right],
        );
        expect(shown.filter((each) => each !== undefined)).toHaveLength(lines.length);
        expect(new Set(shown.filter((each) => each !== undefined))).toEqual(new Set(lines));
      }),
    );
  });
});
