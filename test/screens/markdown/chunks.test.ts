import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Inline, MarkdownBlock } from "../../../src/screens/markdown/blocks.ts";
import { markdownReader } from "../../../src/screens/markdown/reader.ts";
import { settledEarly, settledOf } from "../support/sketch.ts";
import { anyMarkdown, chunksOf, imageMarkdown, longMarkdown } from "../support/texts.ts";

describe("a text in any chunks", () => {
  const places = fc.array(fc.nat({ max: 20_000 }), { maxLength: 12 });

  it.each([
    ["short", anyMarkdown],
    ["long", longMarkdown],
    ["image's", imageMarkdown],
  ] as const)("settles as the same blocks as the whole %s text", (_, texts) => {
    fc.assert(
      fc.property(texts, places, (text, at) => {
        expect(settledOf(...chunksOf(text, at))).toEqual(settledOf(text));
        expect(settledEarly(400, ...chunksOf(text, at))).toEqual(settledEarly(400, text));
      }),
      { numRuns: 100 },
    );
  });

  it("settles the same whether `open` is read or not, and takes nothing back", () => {
    fc.assert(
      fc.property(longMarkdown, places, (text, at) => {
        const reader = markdownReader();
        const seen: MarkdownBlock[] = [];
        for (const chunk of chunksOf(text, at)) {
          reader.push(chunk);
          void reader.open;
          seen.push(...reader.settled.slice(seen.length));
        }
        reader.end();
        seen.push(...reader.settled.slice(seen.length));
        expect(seen).toEqual(settledOf(text));
      }),
      { numRuns: 60 },
    );
  });

  it("reads a text character by character as the whole text", () => {
    fc.assert(
      fc.property(anyMarkdown, (text) => {
        expect(settledOf(...text)).toEqual(settledOf(text));
      }),
    );
  });
});

describe("the characters of a text", () => {
  it("are all in the blocks, but for marks", () => {
    const property = (texts: fc.Arbitrary<string>) =>
      fc.property(texts, (text) => {
        expect(lettersIn(settledOf(text))).toBe(letters(text));
        expect(lettersIn(settledEarly(400, text))).toBe(letters(text));
      });
    fc.assert(property(anyMarkdown.map(withoutOtherText)), { numRuns: 1_000 });
    fc.assert(property(longMarkdown.map(withoutOtherText)), { numRuns: 60 });
  });
});

/** Addresses, entities, languages and tasks are marks that have letters. */
const withoutOtherText = (text: string): string => text.replace(/\]\(|&|`{3}|~{3}|\[[xX]\]/g, "");

const letters = (text: string): string => text.replace(/[^\p{L}\p{Emoji_Presentation}]/gu, "");

const lettersIn = (blocks: readonly MarkdownBlock[]): string => letters(blocks.map(textOfBlock).join(""));

function textOfBlock(block: MarkdownBlock): string {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return textOf(block.content);
    case "code":
      return block.text;
    case "list":
      return block.items.flatMap(({ blocks }) => blocks.map(textOfBlock)).join("");
    case "quote":
      return block.blocks.map(textOfBlock).join("");
    case "table":
      return [...(block.joins ? [] : [block.head]), ...block.rows].flat().map(textOf).join("");
    case "rule":
      return "";
  }
}

const textOf = (content: readonly Inline[]): string => content.map(textOfNode).join("");

function textOfNode(node: Inline): string {
  switch (node.type) {
    case "text":
    case "code":
      return node.text;
    case "image":
      return node.alt;
    case "break":
      return "";
    default:
      return textOf(node.content);
  }
}
