// Generated Markdown, whole and hostile.
import fc from "fast-check";

const WORDS = ["word", "Wörter", "字", "e\u0301", "😀", "a_b", "f(x)", "5", "C#", "https://a.b/c_d", "a@b.c"];
const MARKS = [
  "*",
  "**",
  "_",
  "__",
  "~~",
  "`",
  "``",
  "[",
  "]",
  "](",
  ")",
  "![",
  "<",
  ">",
  "&amp;",
  "&#35;",
  "\\",
  "|",
  "!",
  "(",
  '"',
];
const STARTS = [
  "# ",
  "> ",
  "- ",
  "* ",
  "1. ",
  "  ",
  "    ",
  "\t",
  "```",
  "~~~ts",
  "---",
  "===",
  "- [x] ",
  "| a | b |",
  "|---|---|",
  "  - ",
  ">",
];
const GAPS = [" ", " ", "  ", "\n", "\n", "\n\n", "\r\n", "\r"];

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 4, arbitrary: fc.constantFrom(...GAPS) },
  { weight: 3, arbitrary: fc.constantFrom(...MARKS) },
  { weight: 3, arbitrary: fc.constantFrom(...STARTS).map((start) => `\n${start}`) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
);

/** Any mixture of marks and words. */
export const anyMarkdown = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

/** Pieces that are repeated until the parts of long blocks settle. */
export const longMarkdown = fc
  .tuple(
    anyMarkdown,
    fc.array(piece, { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 9_000 }),
    anyMarkdown,
  )
  .map(([before, pieces, length, after]) => {
    const unit = pieces.join("") || "a";
    return `${before}\n${unit.repeat(Math.ceil(length / unit.length))}${after}`;
  });

/** Images in their addresses, whole and broken. */
export const imageMarkdown = fc
  .tuple(
    anyMarkdown,
    fc.integer({ min: 3_000, max: 30_000 }),
    fc.constantFrom(")", " ", "\n", "", "😀", ' "a")'),
    anyMarkdown,
  )
  .map(
    ([before, length, end, after]) =>
      `${before}![a](data:image/png;base64,${"A".repeat(length)}${end}${after}`,
  );

/** The text in pieces that end at the places, which wrap around its length. */
export function chunksOf(text: string, places: readonly number[]): readonly string[] {
  const ends = places.map((place) => place % (text.length + 1)).sort((one, other) => one - other);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}
