import { describe, expect, test, vi } from "vitest";
import { inert } from "../../src/chat/print/inert.ts";
import { composerRows } from "../../src/ink/composer/composer-rows.ts";
import { emptyEditor, stepEditor } from "../../src/ink/composer/editor.ts";
import { clipped } from "../../src/ink/rows/row.ts";
import { graphemes, MAX_GRAPHEME_LENGTH, widthOf } from "../../src/ink/rows/width.ts";
import { wrap } from "../../src/ink/rows/wrap.ts";
import { plainTheme } from "../../src/ink/theme.ts";

/** Most of these make one grapheme however often they are repeated. */
const cases = Object.entries({
  "leading letters of Hangul": "\u1100",
  "leading letters of Hangul with skin tones": "\u1100\u{1f3fb}",
  "combining marks": `e${"\u0301".repeat(8)}`,
  "joined emoji": "👩🏽\u200d",
  "variation selectors": "❤\ufe0f",
  "regional indicators": "🇳",
  conjuncts: "क्",
  "spacing marks": "का",
});

function textOf(unit: string, length = 8_000): string {
  return inert(unit.repeat(Math.ceil(length / unit.length)));
}

/** All that the screen does with a text. */
function layOut(text: string): void {
  widthOf(text);
  clipped(text, 80);
  wrap(text, 80);
  wrap(text, 7, { at: "hard" });
  composerRows(stepEditor(emptyEditor, { type: "type", text }), {
    columns: 80,
    theme: plainTheme,
    maxRows: 8,
  });
}

/** How many characters regular expressions are given, for each character of a text that is laid out. */
function looksPerCharacter(text: string): number {
  const spy = vi.spyOn(RegExp.prototype, "test");
  try {
    layOut(text);
    return spy.mock.calls.reduce((sum, [given]) => sum + given.length, 0) / text.length;
  } finally {
    spy.mockRestore();
  }
}

describe("the layout of a text", () => {
  test.each(cases)("of %s reads each character a bounded number of times, whatever the length", (_, unit) => {
    const looks = looksPerCharacter(textOf(unit));
    expect(looks).toBeLessThan(150);
    expect(looks).toBeLessThan(looksPerCharacter(textOf(unit, 2_000)) * 1.25);
  });
});

describe("a grapheme", () => {
  test.each(cases)("of %s is limited in length", (_, unit) => {
    const text = textOf(unit);
    const found = graphemes(text);
    expect(found.join("")).toBe(text);
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(MAX_GRAPHEME_LENGTH);
  });

  test("of real text is never split", () => {
    for (const written of ["👩🏽‍❤️‍💋‍👨🏿", "👨🏽‍👩🏽‍👧🏽‍👦🏽", "ক্ষ্ম্য", "ᄀᆞᆨ", textOf("e\u0301", 1)])
      expect(graphemes(written)).toEqual([written]);
  });
});
