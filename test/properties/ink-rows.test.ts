import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reveal } from "../../src/chat/print/reveal.ts";
import { composerRows } from "../../src/ink/composer/composer-rows.ts";
import { emptyEditor, stepEditor } from "../../src/ink/composer/editor.ts";
import { displayed, type Row, rowsOf } from "../../src/ink/rows/row.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";

/** How Ink itself breaks a text: a row that it breaks again takes two lines of the terminal. */
const { default: wrapText }: { readonly default: (text: string, columns: number, how: "hard") => string } =
  await import(/* @vite-ignore */ new URL("wrap-text.js", import.meta.resolve("ink")).href);

/** Letters, marks, emoji and parts of them, of many scripts: as code points in hexadecimal. */
const UNITS =
  `61 20 e9 65+301 1f44d 1f468+200d+1f469+200d+1f467 1f1f3 1f1f4 1f1e6 31+fe0f+20e3 915 94d 937 93f 903 e01 e33 e38 eb3
  d55c ac00 1100 1161 1176 11a8 6f22 ff76 ff9e 20e3 a9 fe0f 263a 200d 1f3fb 6dd 600 110bd d4e 1f468 fdfd 2026 2500 a0 3000 f7f 302e 3099 23 2a 1b44
  e0061 203c 2194 231a 1f004 1f9d1+200d+1f91d`
    .split(/\s+/)
    .map((unit) => String.fromCodePoint(...unit.split("+").map((point) => Number.parseInt(point, 16))));

/** Few units, many times: what a text is that has been made to break a row. */
const pattern = fc
  .array(fc.constantFrom(...UNITS), { minLength: 1, maxLength: 4 })
  .chain((few) => fc.string({ unit: fc.constantFrom(...few), minLength: 1, maxLength: 120 }));
const text = fc.oneof({ arbitrary: pattern, weight: 5 }, fc.string({ unit: "binary", maxLength: 60 }));
/** At least three columns for text: the widest character takes three. */
const columns = fc.constantFrom(7, 8, 20, 33);

/** The lines of the terminal that a row takes. */
const linesOf = (row: Row, width: number): number =>
  wrapText(row.map((span) => span.text).join(""), width, "hard").split("\n").length;

describe("for any text", () => {
  test(
    "Ink does not wrap our rows again",
    () => {
      fc.assert(
        fc.property(text, columns, fc.constantFrom("hard", "words"), (raw, width, at) => {
          const hang = { text: "  | ", tone: "dim" } as const;
          for (const shown of [displayed(raw), reveal(raw).replaceAll("\t", "    ")])
            for (const row of rowsOf(shown, "plain", { columns: width, at, hang }))
              expect(linesOf(row, width)).toBe(1);
        }),
        runs(3_000),
      );
    },
    PATIENCE,
  );

  test(
    "Ink does not wrap the rows of the composer again",
    () => {
      fc.assert(
        fc.property(text, columns, (raw, width) => {
          const state = stepEditor(emptyEditor, { type: "type", text: raw });
          for (const row of composerRows(state, { columns: width, theme: plainTheme, maxRows: 50 }).rows)
            expect(linesOf(row, width)).toBe(1);
        }),
        runs(1_000),
      );
    },
    PATIENCE,
  );
});

/** Ideographs and syllables, which are all alike. */
const ALIKE = [
  [0x3400, 0x9fff],
  [0xac00, 0xdfff],
  [0x17000, 0x18cff],
] as const;

test(
  "Ink does not wrap rows again, for all characters of the first two Unicode planes",
  () => {
    for (let first = 0x20; first < 0x20000; first += 64) {
      const points = Array.from({ length: 64 }, (_, at) => first + at);
      const others = points.filter((point) => !ALIKE.some(([from, to]) => point >= from && point <= to));
      const shown = displayed(String.fromCodePoint(...others));
      for (const row of rowsOf(shown, "plain", { columns: 20, at: "hard" })) expect(linesOf(row, 20)).toBe(1);
    }
  },
  PATIENCE,
);
