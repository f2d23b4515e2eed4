// Stand-in until the reader is there: paragraphs, code between fences, addresses.
import type { Inline, MarkdownBlock } from "./blocks.ts";
import type { MarkdownReader } from "./reader.ts";

const LINK = /\bhttps?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/g;

export function markdownReader(): MarkdownReader {
  let text = "";
  const settled: MarkdownBlock[] = [];
  let open: readonly MarkdownBlock[] = [];
  return {
    settled,
    get open() {
      return open;
    },
    push(more) {
      text += more;
      const pieces = text.split(/\n\n(?=(?:[^`]|`(?!``))*(?:```[^`]*```[^`]*)*$)/);
      for (const piece of pieces.slice(0, -1)) settled.push(...blocksOf(piece));
      text = pieces.at(-1) ?? "";
      open = blocksOf(text);
    },
    end() {
      settled.push(...blocksOf(text));
      text = "";
      open = [];
    },
  };
}

function blocksOf(text: string): readonly MarkdownBlock[] {
  if (text.trim() === "") return [];
  const code = /^```(\w*)\n([\s\S]*?)\n?```\s*$/.exec(text.trim());
  if (code) return [{ type: "code", language: code[1] ?? "", text: code[2] ?? "" }];
  return [{ type: "paragraph", content: inlinesOf(text.trim()) }];
}

function inlinesOf(text: string): readonly Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const { 0: url, index } of text.matchAll(LINK)) {
    found.push(
      { type: "text", text: text.slice(at, index) },
      { type: "link", url, content: [{ type: "text", text: url }] },
    );
    at = index + url.length;
  }
  return [...found, { type: "text", text: text.slice(at) }];
}
