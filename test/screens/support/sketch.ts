// A short form of Markdown blocks, for tables of cases.
import type { Inline, ListItem, MarkdownBlock } from "../../../src/screens/markdown/blocks.ts";
import { markdownReader } from "../../../src/screens/markdown/reader.ts";

/** `pushes`: the text as it arrives. */
export const settledOf = (...pushes: readonly string[]): readonly MarkdownBlock[] =>
  settledEarly(undefined, ...pushes);

export function settledEarly(
  early: number | undefined,
  ...pushes: readonly string[]
): readonly MarkdownBlock[] {
  const reader = markdownReader(early);
  for (const text of pushes) reader.push(text);
  reader.end();
  return reader.settled;
}

/** What is shown while the text still comes. */
export function shownOf(...pushes: readonly string[]): readonly MarkdownBlock[] {
  const reader = markdownReader();
  for (const text of pushes) reader.push(text);
  return [...reader.settled, ...reader.open];
}

export const sketchOf = (blocks: readonly MarkdownBlock[]): string => blocks.map(blockSketch).join(" ");

const plus = (joins: true | undefined): string => (joins ? "+" : "");

function blockSketch(block: MarkdownBlock): string {
  switch (block.type) {
    case "paragraph":
      return `${plus(block.joins)}p[${inlineSketch(block.content)}]`;
    case "heading":
      return `h${block.level}[${inlineSketch(block.content)}]`;
    case "code": {
      const head = `${plus(block.joins)}${block.midLine ? "~" : ""}code${block.language && `:${block.language}`}`;
      return `${head}[${block.text.replaceAll("\n", "/")}]`;
    }
    case "list":
      return `${plus(block.joins)}${block.start === undefined ? "ul" : `ol${block.start}`}(${block.items.map(itemSketch).join(" ; ")})`;
    case "quote":
      return `${plus(block.joins)}q(${sketchOf(block.blocks)})`;
    case "table": {
      const align = block.align.map((side) => side?.charAt(0) ?? "-").join("");
      const rows = [block.head, ...block.rows].map((row) => row.map(inlineSketch).join("|"));
      return `${plus(block.joins)}t:${align}[${rows.join(" / ")}]`;
    }
    case "rule":
      return "rule";
  }
}

function itemSketch({ blocks, checked, joins }: ListItem): string {
  const task = checked === undefined ? "" : checked ? "x:" : "o:";
  return plus(joins) + task + sketchOf(blocks);
}

export const inlineSketch = (content: readonly Inline[]): string => content.map(nodeSketch).join("");

function nodeSketch(node: Inline): string {
  switch (node.type) {
    case "text":
      return node.text.replaceAll("\n", " ");
    case "code":
      return `c(${node.text})`;
    case "strong":
      return `b(${inlineSketch(node.content)})`;
    case "emphasis":
      return `i(${inlineSketch(node.content)})`;
    case "strike":
      return `s(${inlineSketch(node.content)})`;
    case "link":
      return `a(${node.url}|${inlineSketch(node.content)})`;
    case "image":
      return `img(${node.url}|${node.alt})`;
    case "break":
      return "/";
  }
}
