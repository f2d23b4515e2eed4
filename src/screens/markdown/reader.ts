// Reads Markdown while it arrives.

import { isHighSurrogate } from "../../core/text.ts";
import { BlockReader } from "./block-reader.ts";
import type { MarkdownBlock } from "./blocks.ts";
import { BEHIND_IMAGE, PART } from "./leaves.ts";

/** Linear in the length of the text, whatever the text is. HTML is text. */
export interface MarkdownReader {
  /** Takes the next characters. */
  push(text: string): void;
  /** The text is complete: `open` becomes empty. */
  end(): void;
  /** Blocks that no later text changes. The array is the same, and grows. */
  readonly settled: readonly MarkdownBlock[];
  /** What the unsettled end would be if the text ended here: half-finished marks are closed. Bounded in its length. */
  readonly open: readonly MarkdownBlock[];
}

/**
 * A reader for one text: CommonMark, and the tables, tasks, strikes and addresses of GitHub. Not read: HTML, and links whose address stands
 * elsewhere in the text (both stay text).
 * @param early characters from which a part of a long block settles, where no later text can change it
 */
export function markdownReader(early = PART): MarkdownReader {
  return new LineReader(Math.min(early, PART));
}

const NONE: readonly MarkdownBlock[] = [];
/** What may be a row of a table, and what a line has to be complete for. */
const NO_TEXT = /\||^[ \t>*+\-\d.)]*(?:#|`{3}|~{3})/;
const LINE_END = /\r\n?|\n/g;

class LineReader implements MarkdownReader {
  readonly #blocks: BlockReader;
  readonly #early: number;
  /** The piece of a line that has not been read: at most `PART` characters. */
  #piece = "";
  /** Whether the beginning of the line has been read. */
  #midLine = false;
  /** How long the piece may become, once it is long. */
  #limit: number | undefined;
  /** Whether the text ends with a carriage return: a line feed may belong to it. */
  #returned = false;
  #open: readonly MarkdownBlock[] | undefined = NONE;

  constructor(early: number) {
    this.#early = early;
    this.#blocks = new BlockReader(early);
  }

  get settled(): readonly MarkdownBlock[] {
    return this.#blocks.blocks;
  }

  get open(): readonly MarkdownBlock[] {
    this.#open ??= this.#blocks.open(this.#piece, this.#midLine);
    return this.#open;
  }

  push(text: string): void {
    if (text === "") return;
    this.#open = undefined;
    let from = this.#returned && text.startsWith("\n") ? 1 : 0;
    this.#returned = text.endsWith("\r");
    LINE_END.lastIndex = from;
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      this.#take(text.slice(from, end.index));
      this.#read(this.#piece, false);
      this.#piece = "";
      from = end.index + end[0].length;
    }
    this.#take(text.slice(from));
  }

  end(): void {
    if (this.#piece !== "") this.#read(this.#piece, false);
    this.#piece = "";
    this.#returned = false;
    this.#blocks.end();
    this.#open = NONE;
  }

  /** Reads a long line in pieces that end at the same places however the text was cut. */
  #take(text: string): void {
    let from = 0;
    for (let end = this.#pieceEnd(text, from); end !== undefined; end = this.#pieceEnd(text, from)) {
      const piece = this.#piece + text.slice(from, end);
      const whole = isHighSurrogate(piece.charCodeAt(piece.length - 1)) ? piece.length - 1 : piece.length;
      this.#read(piece.slice(0, whole), true);
      this.#piece = piece.slice(whole);
      from = end;
    }
    this.#piece += text.slice(from);
  }

  /** Behind so many characters, if there are more, or at the end of an image. */
  #pieceEnd(text: string, from: number): number | undefined {
    if (this.#blocks.isInImage) {
      const end = text.slice(from, from + PART - this.#piece.length).search(BEHIND_IMAGE);
      if (end >= 0) return from + end + 1;
    }
    if (this.#piece.length + text.length - from <= this.#early) return undefined;
    this.#limit ??= this.#limitOf((this.#piece + text.slice(from, from + this.#early)).slice(0, this.#early));
    const full = from + this.#limit - this.#piece.length;
    return text.length > full ? full : undefined;
  }

  /** Characters of the next piece. A line may have to be longer before it is clear what it begins. */
  #limitOf(start: string): number {
    const isText = this.#midLine
      ? this.#blocks.takesText
      : !this.#blocks.isInTable && /\p{L}/u.test(start) && !NO_TEXT.test(start);
    return isText ? this.#early : PART;
  }

  #read(piece: string, goesOn: boolean): void {
    this.#limit = undefined;
    if (this.#midLine) this.#blocks.more(piece, goesOn);
    else this.#blocks.line(piece, goesOn);
    this.#midLine = goesOn;
  }
}
