import { describe, expect, test } from "vitest";
import { isShownIn } from "../../src/screens/shown-input.ts";

const DIFF = `--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@
 one
-two(w) {
+zwei(w) {
+  more
 three
 last
@@ -40,2 +41,2 @@
 forty
-old
+new
`;
const PREVIEW = [{ path: "src/a.ts", diff: DIFF, by: "tool" }] as const;

describe("the input of a call with a preview is shown by it", () => {
  test.each([
    ["the path", { path: "src/a.ts" }],
    [
      "lines that are removed, and lines that are added",
      { old: "one\ntwo(w) {\n", new: "one\nzwei(w) {\n  more" },
    ],
    ["whole lines, deep in the input", { replacements: [{ old: "two(w) {", new: "zwei(w) {\n  more" }] }],
    ["a word that is a whole line", { old: "old", new: "new" }],
    ["nothing", {}],
  ])("%s", (_, input) => {
    expect(isShownIn(PREVIEW, input)).toBe(true);
  });
});

describe("the input of a call has more than its preview shows", () => {
  test.each<[string, unknown]>([
    ["a flag", { path: "src/a.ts", allowMultiple: true }],
    ["a flag that is off, and null", { path: "src/a.ts", dryRun: false, mode: null }],
    ["a number", { path: "src/a.ts", mode: 0o777 }],
    ["a word that is in a line", { path: "src/a.ts", mode: "w" }],
    ["a part of a line, which may be in a comment", { old: "two(w)", new: "zwei(w) {\n  mo" }],
    ["another path", { path: "src/a.ts", also: "src/b.ts" }],
    ["a text of its own, deep in the input", { edits: [{ old: "old" }, { then: "rm -rf /" }] }],
    ["lines that were never next to each other", { old: "last\nforty" }],
    ["a line before the change behind one after it", { old: "zwei(w) {\ntwo(w) {" }],
    ["no object", 7],
  ])("%s", (_, input) => {
    expect(isShownIn(PREVIEW, input)).toBe(false);
  });

  test("every input, if the agent itself states the diff", () => {
    const stated = PREVIEW.map((one) => ({ ...one, by: "agent" as const }));
    expect(isShownIn(stated, { path: "src/a.ts" })).toBe(false);
  });

  test("every input, if there is no diff", () => {
    const preview = [{ path: "a", diff: "[it would fail: there is no such file]\n", by: "tool" }] as const;
    expect(isShownIn(preview, { path: "a", content: "some text" })).toBe(false);
    expect(isShownIn([], { command: "ls" })).toBe(false);
  });
});
