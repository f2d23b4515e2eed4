import { describe, expect, it } from "vitest";
import type { Inline, MarkdownBlock } from "../../../src/screens/markdown/blocks.ts";
import { type MarkdownReader, markdownReader } from "../../../src/screens/markdown/reader.ts";
import { stringWork } from "../support/counted.ts";

const LENGTH = 200_000;

/** Characters that arrive at once: a token or two. */
const TOKEN = 8;

/** A screen that is slow draws once for so many tokens. */
const TOKENS_A_FRAME = 256;

const repeated = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);

const nestedLists = Array.from({ length: 9_000 }, (_, at) => `${"  ".repeat(at % 12)}- item ${at}\n`).join(
  "",
);

const TEXTS: Readonly<Record<string, string>> = {
  "one paragraph": repeated("Some words, and **bold** ones. "),
  "one paragraph of many lines": repeated("Some words, and *others*,\n"),
  "one line without spaces": repeated("x"),
  "one code fence": `\`\`\`ts\n${repeated("const a = 1;\n")}`,
  "one line of code": `\`\`\`json\n${repeated('{"a":1},')}`,
  "indented code": repeated("    code\n"),
  "one list": repeated("- an item of *a* list\n"),
  "one list of numbers": repeated("1. item\n"),
  "one item of many lines": `- a\n${repeated("  more words\n")}`,
  "lists in lists": nestedLists,
  "one table": `| a | b |\n|---|---|\n${repeated("| some *cell* | another |\n")}`,
  "a wide table of short rows": `${"|a".repeat(60)}|\n${"|-".repeat(60)}|\n${repeated("|\n")}`,
  "one quote": repeated("> some words\n"),
  "quotes in quotes": repeated("> "),
  "items in items": repeated("- "),
  "one data image": `![a](data:image/png;base64,${repeated("QUJD")}`,
  "marks that never pair": repeated("*a_"),
  "strong that never ends": repeated("**a "),
  "ends that never began": repeated("a* "),
  "mixed marks": repeated("a**b~~c_"),
  "opening brackets": repeated("["),
  "images that never end": repeated("!["),
  "links that never end": repeated("[a](b"),
  "titles that never end": repeated('[a](b "'),
  links: repeated("[a](b)"),
  backticks: repeated("`"),
  "code spans that never end": repeated("`a``b"),
  "angle brackets": repeated("<a "),
  "comments that never end": repeated("<!--"),
  addresses: repeated("https://a.b/"),
  "mail addresses": repeated("a@b."),
  entities: repeated("&amp;&#"),
  backslashes: repeated("\\"),
  "blank lines": repeated("\n"),
  "carriage returns": repeated("\r"),
  spaces: repeated(" "),
  tabs: repeated("\t"),
  headings: repeated("# a\n"),
  underlines: repeated("a\n=\n"),
  pipes: repeated("|"),
};

/** Work for each quarter of the text, for each character. `draw` is called once a frame. */
function workOf(
  text: string,
  draw?: (reader: MarkdownReader) => void,
  reader: MarkdownReader = markdownReader(),
): readonly number[] {
  const quarter = Math.ceil(text.length / 4);
  let at = 0;
  let tokens = 0;
  return [1, 2, 3, 4].map((part) => {
    const work = stringWork(() => {
      for (; at < Math.min(text.length, part * quarter); at += TOKEN) {
        reader.push(text.slice(at, at + TOKEN));
        tokens += 1;
        if (tokens % TOKENS_A_FRAME === 0) draw?.(reader);
      }
    });
    return work / quarter;
  });
}

describe("200,000 characters", () => {
  it.each(Object.entries(TEXTS))(
    "of %s cost the same at the end as at the beginning; what is open stays short",
    (_, text) => {
      let longest = 0;
      const [first = 0, ...others] = workOf(text, (reader) => {
        longest = Math.max(longest, sizeOf(reader.open));
        void reader.open;
      });
      for (const part of others) expect(part).toBeLessThan(1.2 * first + 1);
      expect(Math.max(first, ...others)).toBeLessThan(250);
      expect(longest).toBeLessThanOrEqual(2 * 4_096 + 100);
    },
  );

  it.each([
    "one paragraph of many lines",
    "one line without spaces",
    "one item of many lines",
    "one line of code",
    "one data image",
    "strong that never ends",
    "links that never end",
    "addresses",
  ])("of %s cost the same, and little, if parts settle early", (name) => {
    const text = TEXTS[name] ?? "";
    const [first = 0, ...others] = workOf(text, undefined, markdownReader(400));
    for (const part of others) expect(part).toBeLessThan(1.2 * first + 1);
    expect(Math.max(first, ...others)).toBeLessThan(400);
  });

  it.each(["one paragraph", "one quote", "marks that never pair"])(
    "of %s cost less while nobody asks what is open",
    (name) => {
      const text = TEXTS[name] ?? "";
      const quiet = workOf(text);
      const drawn = workOf(text, (reader) => void reader.open);
      for (const [part, work] of quiet.entries()) expect(work).toBeLessThan(drawn[part] ?? 0);
    },
  );
});

function sizeOf(blocks: readonly MarkdownBlock[]): number {
  return blocks.reduce((sum, block) => sum + blockSize(block), 0);
}

function blockSize(block: MarkdownBlock): number {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return inlineSize(block.content);
    case "code":
      return block.text.length;
    case "list":
      return block.items.reduce((sum, { blocks }) => sum + sizeOf(blocks), 0);
    case "quote":
      return sizeOf(block.blocks);
    case "table":
      return block.rows.flat().reduce((sum, cell) => sum + inlineSize(cell), 0);
    case "rule":
      return 0;
  }
}

function inlineSize(content: readonly Inline[]): number {
  return content.reduce((sum, node) => {
    if (node.type === "break") return sum + 1;
    if (node.type === "image") return sum + node.alt.length;
    return sum + ("content" in node ? inlineSize(node.content) : node.text.length);
  }, 0);
}
