// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs that are checked
import { describe, expect, test } from "vitest";
import { expressions, expressionsBut } from "../../scripts/checks/expressions.ts";
import { findingsIn, lines } from "./tree.ts";

/** Judging takes a worker, and some seconds of a busy machine. */
const PATIENCE = 60_000;

const none = expressionsBut([]);
const HOW = "write it linear, or name what bounds it in scripts/support/excuses.ts";

describe("npm run check -- expressions", { timeout: PATIENCE }, () => {
  test("passes linear expressions, as literals and from constants of any module", async () => {
    const findings = await findingsIn(none, {
      "src/a.ts": 'export const NAME = "[a-z]+";\nexport const MOST = 1_0;\nexport const isIt = /^a+$/i;',
      "src/b.ts":
        'import { MOST as most, NAME } from "./a.ts";\nconst T = new RegExp(`^${NAME}:\\\\d{${most}}$`, "g");',
      "src/c.tsx": "const [x] = [RegExp(String.raw`^\\d$` satisfies string)];",
    });
    expect(lines(findings)).toEqual([]);
  });

  test.each([
    ["a literal", { "src/a.ts": "\nexport const isIt = /@.*$/;" }, "src/a.ts:2 /@.*$/"],
    [
      "an expression of constants",
      { "src/a.ts": 'const X = "@";\nnew RegExp(`${X}.*$`);' },
      "src/a.ts:2 new RegExp(`${X}.*$`)",
    ],
    ["one of raw text", { "src/a.ts": "RegExp(String.raw`\\d+$`)" }, "src/a.ts:1 RegExp(String.raw`\\d+$`)"],
    [
      "one with a constant of another module",
      {
        "src/core/x.ts": 'export const X = "@.*$";',
        "src/a.ts": 'import { X as Y } from "./core/x.ts";\nnew RegExp(\n  Y,\n);',
      },
      "src/a.ts:2 new RegExp( Y, )",
    ],
  ])("finds %s with quadratic time, and shows an attack", async (_title, files, code) => {
    const [finding, ...others] = lines(await findingsIn(none, files));
    expect(others).toEqual([]);
    expect(finding).toMatch(/ takes 2nd degree polynomial time, for example for '.*'\.repeat\(\d+\) \+ /);
    expect(finding?.slice(0, code.length)).toBe(code);
    expect(finding?.endsWith(HOW)).toBe(true);
  });

  test("finds an expression that recheck cannot judge", async () => {
    const findings = await findingsIn(none, { "src/a.ts": "export const isIt = /[\\p{L}--[a-z]]/v;" });
    expect(lines(findings)).toEqual([
      `src/a.ts:1 /[\\p{L}--[a-z]]/v recheck cannot judge it (invalid): ${HOW}`,
    ]);
  });

  test.each([
    ["of a parameter", "const form = (X: string) => new RegExp(X);"],
    ["of a constant that a parameter shadows", 'const X = "a";\nconst form = (X: string) => new RegExp(X);'],
    ["of a variable", 'let X = "a";\nnew RegExp(X);'],
    ["of another package's export", 'import { X } from "x";\nnew RegExp(X);'],
    ["with flags of a parameter", 'const form = (flags: string) => new RegExp("a", flags);'],
  ])("finds an expression %s, because it is created at run time", async (_title, text) => {
    const found = lines(await findingsIn(none, { "src/a.ts": text }));
    expect(found).toEqual([expect.stringContaining(`is made at run time: ${HOW}`)]);
  });

  test("accepts an excuse only for its exact expression in its file", async () => {
    const code = "/@.*$/";
    const excused = expressionsBut([{ file: "src/a.ts", code, reason: "ten characters" }]);
    const other = { "src/b.ts": "const b = /a/;" };
    expect(await findingsIn(excused, { "src/a.ts": `const a = ${code};`, ...other })).toEqual([]);
    for (const files of [{ "src/b.ts": `const b = ${code};` }, { "src/a.ts": "const a = /@.*$/m;" }]) {
      const found = lines(await findingsIn(excused, { ...other, ...files }));
      expect(found.at(-1)).toBe(`src/a.ts has no ${code}: take its excuse out`);
    }
  });

  test("finds each excuse that matches no expression", async () => {
    const found = lines(await findingsIn(expressions, { "src/a.ts": "const a = /a/;" }));
    expect(found.length).toBeGreaterThan(5);
    for (const line of found) expect(line).toMatch(/ has no .*: take its excuse out$/);
  });

  test("fails for a tree without expressions", async () => {
    expect(lines(await findingsIn(none, { "src/a.ts": "" }))).toEqual([
      "src has no expression: there is nothing to check",
    ]);
  });
});
