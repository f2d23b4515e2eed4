import { renderToString } from "ink";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../../src/ink/rows/row.ts";
import { Rows } from "../../src/ink/rows/rows.tsx";
import { plainTheme } from "../../src/ink/theme.ts";

const SCRIPTS = {
  Latin: "The quick brown fox, e\u0301e\u0301, naïve façade ",
  Chinese: "日本語テキストと漢字，。「」",
  Korean: "한국어 텍스트 ᄀᆞᆨ",
  Indian: "नमस्ते दुनिया வணக்கம்",
  Arabic: "مرحبا بالعالم",
  Thai: "สวัสดีชาวโลก ำ",
  emoji: "👨‍👩‍👧👍🏽❤️☺️1️⃣🇳🇴™️⌚☎",
  boxes: "╭─╮│◐✓✗◉○›·⎋",
};

describe("the number of rows", () => {
  test.each(Object.entries(SCRIPTS))("of %s text on the screen equals the computed one", (_, text) => {
    for (const columns of [3, 8, 20, 41]) {
      const rows = rowsOf(text.repeat(10), "dim", { columns });
      const shown = renderToString(<Rows rows={rows} theme={plainTheme} />, { columns });
      expect(shown.split("\n")).toHaveLength(rows.length);
    }
  });
});
