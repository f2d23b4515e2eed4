import { describe, expect, test } from "vitest";
import { clipped, rowsOf } from "../../src/ink/rows/row.ts";
import { graphemeAfter, graphemeBefore, widthOf } from "../../src/ink/rows/width.ts";
import { wrap } from "../../src/ink/rows/wrap.ts";

const textsOf = (...args: Parameters<typeof wrap>) => wrap(...args).map(({ text }) => text);

describe("the width of a text", () => {
  test.each([
    ["", 0],
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["한국", 4],
    ["👍", 2],
    ["👨‍👩‍👧", 2],
    ["🇳🇴", 2],
    ["1\ufe0f\u20e3", 2],
    ["ｶﾞ", 2],
    ["╭─╮│·›✓", 7],
  ])("of %j is %i columns", (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  test("is counted in graphemes, and the cursor is never inside one", () => {
    const text = "a👨‍👩‍👧e\u0301";
    expect(graphemeAfter(text, 1)).toBe(9);
    expect(graphemeBefore(text, 9)).toBe(1);
    expect(graphemeBefore(text, text.length)).toBe(9);
    expect(graphemeBefore("", 0)).toBe(0);
  });
});

describe("wrapping", () => {
  test("breaks at a space, which the break replaces", () => {
    expect(textsOf("one two three", 7)).toEqual(["one two", "three"]);
    expect(textsOf("one two three", 8)).toEqual(["one two", "three"]);
  });

  test("breaks a word that is longer than a row", () => {
    expect(textsOf("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  });

  test("keeps empty lines, and adds no row for a final line break", () => {
    expect(textsOf("a\n\nb\n", 10)).toEqual(["a", "", "b"]);
  });

  test("loses no character in hard mode", () => {
    const text = "a  b   c    d     e";
    expect(textsOf(text, 4, { at: "hard" }).join("")).toBe(text);
  });

  test("makes no row wider than the terminal, in any script", () => {
    const text = "日本語テキスト and 👨‍👩‍👧👍 e\u0301e\u0301 한국어 end ".repeat(20);
    for (const columns of [2, 3, 7, 20, 80])
      for (const row of textsOf(text, columns)) expect(widthOf(row)).toBeLessThanOrEqual(columns);
  });

  test("gives the end of each row, so that the rest wraps to the same rows", () => {
    const text = "one two three four\nfive six seven eight nine";
    const rows = wrap(text, 9);
    const rest = text.slice(rows[1]?.end);
    expect(textsOf(rest, 9)).toEqual(rows.slice(2).map((row) => row.text));
  });

  test("reads no more of a long text than the returned rows need", () => {
    const long = "x".repeat(50_000_000);
    expect(wrap(long, 10, { maxRows: 3 }).at(-1)?.end).toBe(30);
  });

  test("puts `lead` before the first row, and `hang` before the others", () => {
    const hang = { text: "  ", tone: "plain" } as const;
    const rows = rowsOf("one two", "plain", { columns: 6, lead: { text: "> ", tone: "user" }, hang });
    expect(rows.map((row) => row.map(({ text }) => text).join(""))).toEqual(["> one", "  two"]);
  });

  test("clips by columns, and marks the cut", () => {
    expect(clipped("日本語テキスト", 9)).toBe("日本語...");
    expect(clipped("short", 5)).toBe("short");
    expect(clipped("much longer", 2)).toBe("..");
  });
});
