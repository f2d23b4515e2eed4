// Reads Markdown line by line. A line costs its length, and a bounded number of containers.
import type { MarkdownBlock } from "./blocks.ts";
import { type Container, close, copyOf, type OpenListItem, takeComplete } from "./containers.ts";
import { readInline } from "./inline.ts";
import { type Leaf, OpenCode, OpenParagraph, OpenTable } from "./leaves.ts";
import { SourceLine } from "./line.ts";
import {
  closesFence,
  fenceStart,
  headingStart,
  type ItemStart,
  isRule,
  itemStart,
  underlineLevel,
} from "./starts.ts";
import { alignments, cellsOf } from "./table.ts";

/** Quotes and items inside each other, and the lists of the items. Deeper marks are text. */
const MAX_DEPTH = 32;

export class BlockReader {
  /** The blocks that are complete. */
  readonly blocks: MarkdownBlock[] = [];
  readonly #containers: Container[] = [];
  /** Characters from which a part settles, where no later text can change it. */
  readonly #early: number;
  #leaf: Leaf | undefined;
  /** Characters of the containers that have not settled. */
  #size = 0;
  #unfinished = false;

  constructor(early: number) {
    this.#early = early;
  }

  /** Whether the text ends inside the address of a long image. */
  get isInImage(): boolean {
    return this.#leaf?.type === "paragraph" && this.#leaf.isInImage;
  }

  /** Whether the rest of a line is text, whatever it is. */
  get takesText(): boolean {
    return this.#leaf?.type === "paragraph" || this.#leaf?.type === "code";
  }

  /** Whether the next line may be a row of a table. */
  get isInTable(): boolean {
    return this.#leaf?.type === "table";
  }

  /** `goesOn`: `more` brings the rest of the line. */
  line(text: string, goesOn: boolean): void {
    const line = new SourceLine(text);
    this.#read(line, goesOn);
    this.#settleParts(text.length + 1, goesOn);
  }

  more(text: string, goesOn: boolean): void {
    const leaf = this.#leaf;
    if (leaf?.type === "table") leaf.addRow(text, this.#unfinished);
    else if (leaf !== undefined) leaf.addToLine(text);
    else if (text.trim() !== "") this.#openParagraph(text.trimStart());
    this.#settleParts(text.length, goesOn);
  }

  /** The text ends here. */
  end(): void {
    this.#closeTo(0);
  }

  /** What the text would be if it ended with this piece of a line. */
  open(piece: string, midLine: boolean): readonly MarkdownBlock[] {
    const copy = this.#copy();
    copy.#unfinished = true;
    if (midLine) copy.more(piece, false);
    else if (piece !== "" && !copy.#isHalfTyped(piece)) copy.line(piece, false);
    copy.#closeLeaf(true);
    copy.end();
    return copy.blocks;
  }

  #copy(): BlockReader {
    const copy = new BlockReader(this.#early);
    copy.#containers.push(...this.#containers.map(copyOf));
    copy.#leaf = this.#leaf?.copy();
    copy.#size = this.#size;
    return copy;
  }

  /** Marks of which nobody can say yet what they begin. */
  #isHalfTyped(piece: string): boolean {
    return (this.#leaf?.type === "paragraph" ? UNDER_A_PARAGRAPH : ALONE).test(piece.trim());
  }

  #read(line: SourceLine, goesOn: boolean): void {
    const matched = this.#matched(line);
    const leaf = this.#leaf;
    if (leaf?.type === "code" && matched === this.#containers.length && this.#inCode(leaf, line)) return;
    if (line.blank) {
      this.#closeTo(matched);
      return;
    }
    let depth = matched;
    while (depth < MAX_DEPTH) {
      const opened = this.#openContainer(line, depth);
      if (opened === undefined) break;
      depth = opened;
      if (line.blank) return;
    }
    if (this.#openLeaf(line, depth, goesOn)) return;
    this.#addText(line, depth);
  }

  /** How many containers go on in this line. A list does, whether its item does or not. */
  #matched(line: SourceLine): number {
    let depth = 0;
    for (const container of this.#containers) {
      if (container.type === "quote") {
        if (line.indent > 3 || !line.content.startsWith(">")) return depth;
        skipQuoteMark(line);
      } else if (container.type === "item") {
        if (line.blank ? container.empty : line.indent < container.indent) return depth;
        line.skipColumns(container.indent);
      }
      depth += 1;
    }
    return depth;
  }

  #inCode(code: OpenCode, line: SourceLine): boolean {
    const { fence } = code;
    if (fence === undefined) {
      if (line.blank) code.addBlank();
      else if (line.indent < 4) return false;
      else {
        line.skipColumns(4);
        code.addLine(line.text);
      }
      return true;
    }
    if (line.indent < 4 && closesFence(line.content, fence.mark)) this.#closeLeaf();
    else {
      line.skipColumns(fence.indent);
      code.addLine(line.text);
    }
    return true;
  }

  /** Returns how many containers are open now, or undefined if none begins here. */
  #openContainer(line: SourceLine, depth: number): number | undefined {
    if (line.indent > 3) return undefined;
    if (line.content.startsWith(">")) {
      this.#closeForBlock(depth);
      this.#notEmpty();
      skipQuoteMark(line);
      this.#containers.push({ type: "quote", blocks: [], joins: false });
      return this.#containers.length;
    }
    const start = isRule(line.content) ? undefined : itemStart(line.content);
    if (start === undefined || (this.#inParagraph(depth) && !interrupts(line.content, start)))
      return undefined;
    this.#openItem(line, start, depth);
    return this.#containers.length;
  }

  /** Whether this line would go on with an open paragraph. */
  #inParagraph(depth: number): boolean {
    return this.#leaf?.type === "paragraph" && depth === this.#containers.length;
  }

  #openItem(line: SourceLine, start: ItemStart, depth: number): void {
    this.#closeTo(depth);
    const top = this.#containers.at(-1);
    if (top?.type !== "list" || top.mark !== start.mark) {
      this.#closeForBlock(depth);
      this.#notEmpty();
      this.#containers.push({ type: "list", mark: start.mark, start: start.start, items: [], joins: false });
    }
    const before = line.indent + start.length;
    line.skipMark(start.length);
    // Five columns are one, and code that is indented by four.
    const padding = line.blank || line.indent > 4 ? 1 : line.indent;
    line.skipColumns(padding);
    const item: OpenListItem = {
      type: "item",
      indent: before + padding,
      blocks: [],
      checked: undefined,
      empty: line.blank,
      joins: false,
    };
    this.#containers.push(item);
  }

  #openLeaf(line: SourceLine, depth: number, goesOn: boolean): boolean {
    const { content } = line;
    if (line.indent > 3) {
      if (this.#leaf?.type === "paragraph") return false;
      this.#closeForBlock(depth);
      const code = new OpenCode(undefined, false);
      line.skipColumns(4);
      code.addLine(line.text);
      this.#open(code);
      return true;
    }
    const heading = headingStart(content);
    if (heading !== undefined) {
      this.#closeForBlock(depth);
      this.#add({ type: "heading", level: heading.level, content: this.#inline(heading.text) });
      return true;
    }
    const fence = fenceStart(content, line.indent);
    if (fence !== undefined) {
      this.#closeForBlock(depth);
      this.#open(new OpenCode(fence, goesOn));
      return true;
    }
    if (this.#inParagraph(depth) && this.#changeParagraph(content)) return true;
    if (!isRule(content)) return false;
    this.#closeForBlock(depth);
    this.#add({ type: "rule" });
    return true;
  }

  /** Makes the open paragraph a heading, or its last line the head of a table, if this line says so. */
  #changeParagraph(content: string): boolean {
    const paragraph = this.#leaf;
    if (paragraph?.type !== "paragraph") return false;
    const level = paragraph.joins ? undefined : underlineLevel(content);
    if (level !== undefined) {
      this.#leaf = undefined;
      this.#add({ type: "heading", level, content: readInline(paragraph.text.trimEnd()) });
      return true;
    }
    const { text, lastLine } = paragraph;
    const align = lastLine < 0 ? undefined : alignments(content);
    const head = align === undefined ? [] : cellsOf(text.slice(lastLine));
    if (align === undefined || head.length !== align.length) return false;
    paragraph.text = text.slice(0, lastLine);
    this.#closeLeaf();
    this.#open(OpenTable.of(head, align));
    return true;
  }

  #addText(line: SourceLine, depth: number): void {
    const leaf = this.#leaf;
    // A paragraph goes on without the marks of its containers.
    if (leaf?.type === "paragraph") leaf.addLine(line.content);
    else if (leaf?.type === "table" && depth === this.#containers.length)
      leaf.addRow(line.content, this.#unfinished);
    else {
      this.#closeForBlock(depth);
      this.#openParagraph(line.content);
    }
  }

  #openParagraph(text: string): void {
    const paragraph = new OpenParagraph();
    paragraph.addLine(text);
    this.#open(paragraph);
  }

  #open(leaf: Leaf): void {
    this.#notEmpty();
    this.#leaf = leaf;
  }

  #inline(text: string): ReturnType<typeof readInline> {
    return readInline(text, { unfinished: this.#unfinished });
  }

  #add(block: MarkdownBlock): void {
    this.#notEmpty();
    const top = this.#containers.at(-1);
    if (top === undefined || top.type === "list") this.blocks.push(block);
    else top.blocks.push(block);
  }

  #notEmpty(): void {
    const top = this.#containers.at(-1);
    if (top?.type === "item") top.empty = false;
  }

  /** Ends the leaf, and the containers from `depth` on. */
  #closeTo(depth: number): void {
    this.#closeLeaf();
    while (this.#containers.length > depth) {
      const container = this.#containers.pop();
      if (container !== undefined) close(container, this.#containers.at(-1), this.blocks);
    }
    if (depth === 0) this.#size = 0;
  }

  /** The same, and the list too: a block that is no item ends it. */
  #closeForBlock(depth: number): void {
    this.#closeTo(depth);
    if (this.#containers.at(-1)?.type === "list") this.#closeTo(this.#containers.length - 1);
  }

  #closeLeaf(unfinished = false): void {
    const leaf = this.#leaf;
    if (leaf === undefined) return;
    this.#leaf = undefined;
    const top = this.#containers.at(-1);
    if (leaf.type === "paragraph") this.#takeTask(leaf, unfinished);
    const block = leaf.end(unfinished);
    if (block === undefined) return;
    if (top === undefined || top.type === "list") this.blocks.push(block);
    else top.blocks.push(block);
  }

  #takeTask(paragraph: OpenParagraph, unfinished = false): void {
    const top = this.#containers.at(-1);
    if (top?.type !== "item" || top.joins || top.checked !== undefined || top.blocks.length > 0) return;
    top.checked = paragraph.takeTask(unfinished);
  }

  #settleParts(length: number, midLine: boolean): void {
    const leaf = this.#leaf;
    if (leaf !== undefined && leaf.size > this.#early) {
      if (leaf.type === "paragraph") this.#takeTask(leaf);
      for (const part of leaf.parts(this.#early, midLine)) this.#add(part);
    }
    if (this.#containers.length === 0) return;
    this.#size += length;
    if (this.#size <= this.#early) return;
    this.#size = this.#leaf?.size ?? 0;
    const complete = takeComplete(this.#containers);
    if (complete !== undefined) this.blocks.push(complete);
  }
}

/** One or two marks, or those of a heading. */
const ALONE = /^(?:[*_+~`-]{1,2}|#{1,6})$/;
const UNDER_A_PARAGRAPH = /^(?:[*_+~`]{1,2}|#{1,6}|[=|: \t-]+)$/;

function skipQuoteMark(line: SourceLine): void {
  line.skipMark(1);
  line.skipColumns(1);
}

/** A list that is empty, or begins with another number than one, does not end a paragraph. */
function interrupts(content: string, start: ItemStart): boolean {
  return (
    content.length > start.length && content.slice(start.length).trim() !== "" && (start.start ?? 1) === 1
  );
}
