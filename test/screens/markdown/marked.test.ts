// A second opinion: marked reads what people usually write as the same blocks.
import fc from "fast-check";
import { lexer, type Token, type Tokens } from "marked";
import { expect, it } from "vitest";
import type { Inline, ListItem, MarkdownBlock } from "../../../src/screens/markdown/blocks.ts";
import { settledOf, sketchOf } from "../support/sketch.ts";

const word = fc.constantFrom("some", "words", "Wörter", "字", "f(x)", "5", "a_b", "C#", "😀", "(so)");
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(" "));
const lines = (of: fc.Arbitrary<string>, between: string): fc.Arbitrary<string> =>
  fc.array(of, { minLength: 1, maxLength: 3 }).map((all) => all.join(between));

const simple = fc.oneof(
  words,
  words,
  words.map((text) => `\`${text}\``),
  words.map((text) => `~~${text}~~`),
  words.map((text) => `[${text}](https://a.b/c "d")`),
  fc.constant("![an image](e.png)"),
  fc.constantFrom("https://a.b/c_d?e=f", "<https://a.b>", "\\*", "a@b.c"),
);
const marked = lines(simple, " ").chain((text) =>
  fc.constantFrom(text, `**${text}**`, `_${text}_`, `*${text}*`, `**_${text}_**`),
);
const inline = lines(marked, " ");
const paragraph = lines(inline, "\n");

const rowsOf = (columns: number): fc.Arbitrary<string> =>
  fc
    .array(fc.array(marked, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 3 })
    .map((rows) => rows.map((row) => `| ${row.join(" | ")} |`))
    .map(([head = "", ...rows]) => [head, `|${":-:|".repeat(columns)}`, ...rows].join("\n"));

const leaf = fc.oneof(
  paragraph,
  inline.map((text) => `## ${text}`),
  inline.map((text) => `${text}\n---`),
  lines(words, "\n").map((text) => `\`\`\`ts\n${text}\n\n  ${text}\n\`\`\``),
  fc.constant("***"),
  fc.integer({ min: 1, max: 4 }).chain(rowsOf),
);

const indented = (text: string, first: string): string =>
  first + text.replaceAll("\n", `\n${" ".repeat(first.length)}`);

const blocks = (depth: number): fc.Arbitrary<string> => {
  if (depth === 0) return leaf;
  const inner = fc.array(blocks(depth - 1), { minLength: 1, maxLength: 2 }).map((all) => all.join("\n\n"));
  const items = (mark: string) =>
    fc
      .array(inner, { minLength: 1, maxLength: 3 })
      .map((all) => all.map((text) => indented(text, mark)).join("\n"));
  return fc.oneof(
    leaf,
    inner.map((text) => `> ${text.replaceAll("\n", "\n> ")}`),
    items("- "),
    items("3. "),
    fc
      .array(inline, { minLength: 1, maxLength: 3 })
      .map((all) => all.map((text) => `- [x] ${text}`).join("\n")),
  );
};

/** Short enough to settle whole. */
const document = fc
  .array(blocks(2), { minLength: 1, maxLength: 4 })
  .map((all) => all.join("\n\n").slice(0, 4_000));

it("agrees with marked", () => {
  fc.assert(
    fc.property(document, (text) => {
      expect(flat(sketchOf(settledOf(text)))).toBe(flat(sketchOf(blocksOf(lexer(text)))));
    }),
    { numRuns: 200 },
  );
});

/** marked keeps the line breaks of a paragraph. */
const flat = (sketch: string): string => sketch.replaceAll("\n", " ");

function blocksOf(tokens: readonly Token[]): MarkdownBlock[] {
  return tokens.flatMap((token) => blockOf(token as Tokens.Generic));
}

function blockOf(token: Tokens.Generic): MarkdownBlock[] {
  const content = (): Inline[] => inlineOf(token.tokens ?? []);
  switch (token.type) {
    case "space":
    case "checkbox":
      return [];
    case "heading":
      return [{ type: "heading", level: token["depth"], content: content() }];
    case "hr":
      return [{ type: "rule" }];
    case "paragraph":
    case "text":
      return [{ type: "paragraph", content: content() }];
    case "code":
      return [{ type: "code", language: token["lang"] ?? "", text: token["text"] }];
    case "blockquote":
      return [{ type: "quote", blocks: blocksOf(token.tokens ?? []) }];
    case "list":
      return [listOf(token as Tokens.List)];
    case "table":
      return [tableOf(token as Tokens.Table)];
    default:
      throw new Error(`marked says ${token.type}`);
  }
}

function listOf({ ordered, start, items }: Tokens.List): MarkdownBlock {
  return {
    type: "list",
    ...(ordered ? { start: Number(start) } : {}),
    items: items.map(
      ({ task, checked, tokens }): ListItem => ({
        ...(task ? { checked: checked === true } : {}),
        blocks: blocksOf(tokens),
      }),
    ),
  };
}

function tableOf({ align, header, rows }: Tokens.Table): MarkdownBlock {
  return {
    type: "table",
    align: align.map((side) => side ?? undefined),
    head: header.map(({ tokens }) => inlineOf(tokens)),
    rows: rows.map((row) => row.map(({ tokens }) => inlineOf(tokens))),
  };
}

function inlineOf(tokens: readonly Token[]): Inline[] {
  return tokens.flatMap((token) => nodesOf(token as Tokens.Generic));
}

function nodesOf(token: Tokens.Generic): Inline[] {
  const content = (): Inline[] => inlineOf(token.tokens ?? []);
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? [{ type: "text", text: token["text"] }] : content();
    case "escape":
      return [{ type: "text", text: token["text"] }];
    case "strong":
      return [{ type: "strong", content: content() }];
    case "em":
      return [{ type: "emphasis", content: content() }];
    case "del":
      return [{ type: "strike", content: content() }];
    case "codespan":
      return [{ type: "code", text: token["text"] }];
    case "link":
      return [{ type: "link", url: token["href"], content: content() }];
    case "image":
      return [{ type: "image", url: token["href"], alt: token["text"] }];
    case "checkbox":
      return [];
    default:
      throw new Error(`marked says ${token.type}`);
  }
}
