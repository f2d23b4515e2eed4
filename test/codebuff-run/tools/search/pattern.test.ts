import { spawnSync } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_FLAGS } from "../../../../src/codebuff-run/tools/search/flags.ts";
import { findLines, findRanges } from "../../../../src/codebuff-run/tools/search/matching/find-lines.ts";
import { translatePattern } from "../../../../src/codebuff-run/tools/search/matching/pattern.ts";
import { globsOfType, TYPE_NAMES } from "../../../../src/codebuff-run/tools/search/types.ts";
import { runs } from "../../../helpers/runs.ts";

describe("a pattern", () => {
  test.each([
    ["a(", "unclosed group"],
    ["a)", "unopened group"],
    ["[a", "unclosed character class"],
    ["[z-a]", "invalid character class range"],
    ["[\\d-z]", "invalid character class range"],
    ["[\\b]", "unrecognized escape sequence"],
    ["[a~~b]", "~~ is not supported"],
    ["*a", "repetition operator missing expression"],
    ["(|*)", "repetition operator missing expression"],
    ["foo({", "repetition"],
    ["a{2,1}", "invalid repetition count range"],
    ["a{1001}", "a repetition count is too large"],
    ["a{,2}", "repetition quantifier expects a valid decimal"],
    ["(?=a)", "look-around"],
    ["(?<!a)", "look-around"],
    ["(a)\\1", "backreferences are not supported"],
    ["\\q", "unrecognized escape sequence"],
    ["\\A", "unrecognized escape sequence"],
    ["\\", "incomplete escape sequence"],
    ["\\p{Nope}", "Unicode property not found"],
    ["\\u{110000}", "invalid hexadecimal character"],
    ["\\xZZ", "unrecognized escape sequence"],
    ["a\\nb", "not allowed in a regex"],
    ["(?x)a b", "flags are supported only"],
    ["a(?i)b", "flags are supported only"],
    [`${"(".repeat(251)}`, "nested too deeply"],
    ["[".repeat(300), "nested too deeply"],
  ])("%s is refused", (pattern, problem) => {
    expect(() => translatePattern(pattern, NO_FLAGS)).toThrow(problem);
  });

  test("is translated to a length linear in its own", () => {
    for (const part of ["a", "(a)", "[a]", "a*", "|", "\\w", "[[a]&&[b]]"]) {
      const { source } = translatePattern(part.repeat(10_000 / part.length), NO_FLAGS);
      expect(source.length).toBeLessThan(1_000_000);
    }
  });

  test("is translated to a JavaScript pattern, or throws a PatternError", () => {
    const unit = fc.constantFrom(..."ab()[]{}*+?|\\^$.-&~:,0129dwsbpPuxiP<>=!#é🦉\n");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (pattern) => {
        try {
          const { source, flags } = translatePattern(pattern, NO_FLAGS);
          expect(new RegExp(source, flags).source).toBe(source === "" ? "(?:)" : source);
        } catch (error) {
          expect(error).toHaveProperty("name", "PatternError");
        }
      }),
      runs(3_000),
    );
  });
});

describe("matched lines", () => {
  test("the last line feed begins no further line", () => {
    expect(findLines("a\n\n", /^$/u, 9)).toEqual([{ first: 2, last: 2 }]);
    expect(findLines("", /^$/u, 9)).toEqual([]);
    expect(findRanges("a\n", /$/gu, 9)).toEqual([]);
  });

  test("an empty match beside surrogate pairs terminates", () => {
    expect(findRanges("🦉🦉\n🦉", /x*/gu, 9)).toEqual([{ first: 1, last: 2 }]);
  });

  test("ranges stop at the limit, and the last one is complete", () => {
    expect(findRanges("a\na\nb\na\nb\na\n", /a/gu, 2)).toEqual([
      { first: 1, last: 2 },
      { first: 4, last: 4 },
    ]);
  });
});

test("the file types are ripgrep's", () => {
  const { stdout } = spawnSync(rgPath, ["--no-config", "--type-list"], { encoding: "utf8" });
  const known = new Map(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split(": ") as [string, string]),
  );
  for (const name of TYPE_NAMES)
    expect([name, globsOfType(name)?.join(", ")]).toEqual([name, known.get(name)]);
  expect(globsOfType("constructor")).toBeUndefined();
});
