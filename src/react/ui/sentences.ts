// The sentences of an answer that grows, each once, for a screen reader.
import type { MarkdownBlock } from "../../screens/markdown/blocks.ts";
import { markdownReader } from "../../screens/markdown/reader.ts";
import { textOfInlines } from "./markdown/inline.tsx";

/** The end of a sentence, behind which another one begins. */
const END = /[.!?…؟]["'”’»)\]]*(?=\s)|[。！？]["'”’»)\]]*/g;

/** Reads one text. Costs what the text grows by, and its unsettled end. */
export class Sentences {
  readonly #reader = markdownReader();
  readonly #code: string;
  #read = "";
  /** Settled blocks whose text is in `#rest`. */
  #blocks = 0;
  /** The plain text of blocks that have settled since the last call. */
  #rest = "";
  /** Characters of the blocks that were unsettled at the last call, and are heard. */
  #heard = 0;

  /** @param code said in place of a block of code */
  constructor(code: string) {
    this.#code = code;
  }

  /** Whether the text is complete. */
  isOver = false;

  /** The sentences that are new and complete. With `isOver` also the last one. None if `text` is another text. */
  next(text: string, isOver: boolean): readonly string[] {
    if (this.isOver || !text.startsWith(this.#read)) return [];
    this.isOver = isOver;
    this.#reader.push(text.slice(this.#read.length));
    this.#read = text;
    if (isOver) this.#reader.end();
    const { settled, open } = this.#reader;
    for (; this.#blocks < settled.length; this.#blocks++) this.#rest += this.#wordsOf(settled[this.#blocks]);
    const settledLength = this.#rest.length;
    // The last block may grow: its end is no end of a sentence.
    const all =
      this.#rest +
      open
        .map((block) => this.#wordsOf(block))
        .join("")
        .trimEnd();
    const end = open.length === 0 ? all.length : endOfSentences(all, this.#heard);
    const said = all.slice(this.#heard, end);
    // What is settled was heard. What is open comes again when it has settled.
    this.#rest = "";
    this.#heard = Math.max(this.#heard, end) - settledLength;
    return sentencesIn(said);
  }

  #wordsOf(block: MarkdownBlock | undefined): string {
    if (!block) return "";
    switch (block.type) {
      case "paragraph":
      case "heading":
        return `${textOfInlines(block.content)}\n\n`;
      case "code":
        return block.joins ? "" : `${this.#code}\n\n`;
      case "list":
        return block.items.map(({ blocks }) => blocks.map((each) => this.#wordsOf(each)).join("")).join("");
      case "quote":
        return block.blocks.map((each) => this.#wordsOf(each)).join("");
      case "table":
        return [block.head, ...block.rows].map((row) => `${row.map(textOfInlines).join(", ")}\n\n`).join("");
      case "rule":
        return "";
      default:
        block satisfies never;
        return "";
    }
  }
}

/** The end of the last complete sentence or block, not before `from`. */
function endOfSentences(text: string, from: number): number {
  const block = text.lastIndexOf("\n\n");
  const begin = Math.max(from, block < 0 ? 0 : block + 2);
  let end = begin;
  for (const { index, 0: mark } of text.slice(begin).matchAll(END)) end = begin + index + mark.length;
  return end;
}

function sentencesIn(text: string): readonly string[] {
  return text
    .split(/\n\n+/)
    .flatMap((block) => block.replace(END, "$&\n\n").split("\n\n"))
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");
}
