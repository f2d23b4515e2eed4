// The block at the end, which lines are still added to.
import type { CodeBlock, Inline, ListItem, MarkdownBlock, TableBlock } from "./blocks.ts";
import { cutOf, settledPlace } from "./cut.ts";
import { readInline } from "./inline.ts";
import type { Fence } from "./starts.ts";
import { cellsOf } from "./table.ts";

/** Characters of a block that settle as one part: a screen reads and draws the open end again with each token. */
export const PART = 4096;

const joined = (joins: boolean): { joins?: true } => (joins ? { joins: true } : {});

/** Characters of an image that is all in its address, `data:`, and so is not cut into parts. Longer ones are text. */
const MAX_IMAGE = 2_000_000;

const IN_IMAGE = /^\]\(data:image\/[\w.+-]{1,20};base64,[\w+/=]*$/;
export const BEHIND_IMAGE = /[^\w+/=]/;

export class OpenParagraph {
  readonly type = "paragraph";
  text = "";
  /** Where its last line begins. Negative: in a part that has settled. */
  lastLine = 0;
  #joins = false;
  /** The last characters of the part before. */
  #before = "";
  /** What follows `text`: the rest of an image that has not ended. */
  #image: string[] | undefined;
  #imageSize = 0;
  /** The length from which it is worth to look for a place that has settled. */
  #nextLook = 0;

  /** Whether its beginning has settled. */
  get joins(): boolean {
    return this.#joins;
  }

  get isInImage(): boolean {
    return this.#image !== undefined;
  }

  get size(): number {
    return this.text.length;
  }

  addLine(text: string): void {
    this.#giveUpImage();
    if (this.text !== "") this.text += "\n";
    this.lastLine = this.text.length;
    this.text += text;
  }

  addToLine(text: string): void {
    if (this.#image === undefined) {
      this.text += text;
      return;
    }
    this.#image.push(text);
    this.#imageSize += text.length;
    if (BEHIND_IMAGE.test(text) || this.#imageSize > MAX_IMAGE) this.#giveUpImage();
  }

  #giveUpImage(): void {
    if (this.#image !== undefined) this.text += this.#image.join("");
    this.#image = undefined;
    this.#imageSize = 0;
  }

  /** The parts that settle now. `limit`: characters from which a part settles that no later text can change. */
  parts(limit: number): MarkdownBlock[] {
    const parts: MarkdownBlock[] = [];
    while (this.text.length > limit && this.#image === undefined) {
      if (this.text.length > PART && this.text.length <= 2 * PART && this.#endsInImage()) {
        this.#image = [];
        break;
      }
      const at = this.text.length > PART ? this.#cut() : this.#settledPlace(limit);
      if (at === 0) break;
      parts.push(this.#part(at));
    }
    return parts;
  }

  #endsInImage(): boolean {
    const at = this.text.lastIndexOf("](data:image/");
    return at >= 0 && IN_IMAGE.test(this.text.slice(at));
  }

  #cut(): number {
    return this.#imageEnd() ?? cutOf(this.text.slice(0, 2 * PART), this.#before);
  }

  /** Looks again only after `limit` characters more. */
  #settledPlace(limit: number): number {
    if (this.text.length < this.#nextLook) return 0;
    const at = settledPlace(this.text, this.#before);
    this.#nextLook = this.text.length + limit;
    return at;
  }

  #part(at: number): MarkdownBlock {
    const head = this.text.slice(0, at);
    const part = {
      type: "paragraph",
      content: readInline(head, { before: this.#before }),
      ...joined(this.#joins),
    } as const;
    this.text = this.text.slice(at);
    this.lastLine -= at;
    this.#joins = true;
    this.#before = head.slice(-2);
    this.#nextLook = 0;
    return part;
  }

  /** The end of a long image that is complete now. */
  #imageEnd(): number | undefined {
    if (this.text.length <= 2 * PART) return undefined;
    const at = this.text.lastIndexOf("](data:image/", 2 * PART);
    const end = at < 0 ? -1 : this.text.indexOf(")", at);
    return end > 2 * PART && IN_IMAGE.test(this.text.slice(at, end)) ? end + 1 : undefined;
  }

  end(unfinished: boolean): MarkdownBlock | undefined {
    // An image that is half here is its other text for now.
    if (!unfinished) this.#giveUpImage();
    const content = readInline(this.text.trimEnd(), { before: this.#before, unfinished });
    if (content.length === 0) return undefined;
    return { type: "paragraph", content, ...joined(this.#joins) };
  }

  /** Takes `[x] ` from the start. Returns undefined if this is no task. */
  takeTask(unfinished: boolean): ListItem["checked"] {
    const [all, mark] = (unfinished ? TASK_HALF_TYPED : TASK).exec(this.text) ?? [];
    if (all === undefined || this.#joins) return undefined;
    this.text = this.text.slice(all.length);
    return mark !== " ";
  }

  copy(): OpenParagraph {
    const copy = new OpenParagraph();
    copy.text = this.text;
    copy.lastLine = this.lastLine;
    copy.#joins = this.#joins;
    copy.#before = this.#before;
    copy.#image = this.#image && [];
    copy.#imageSize = this.#imageSize;
    copy.#nextLook = this.#nextLook;
    return copy;
  }
}

const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
const TASK_HALF_TYPED = /^\[([ xX])\](?:[ \t]+(?=\S)|$)/;

export class OpenCode {
  readonly type = "code";
  readonly fence: Fence | undefined;
  #text = "";
  /** Whether `#text` has a line, which may be empty. */
  #begun = false;
  /** Empty lines that are part of an indented code only if more of it follows. */
  #blanks = 0;
  #joins = false;
  #midLine = false;
  /** The rest of the line of the fence. */
  #inInfo: boolean;

  /** Without a fence it is indented. `inInfo`: the line of the fence goes on. */
  constructor(fence: Fence | undefined, inInfo: boolean) {
    this.fence = fence;
    this.#inInfo = inInfo;
  }

  get size(): number {
    return this.#text.length;
  }

  addLine(text: string): void {
    this.#inInfo = false;
    if (!this.#begun) this.#midLine = false;
    this.#text += "\n".repeat(this.#blanks + (this.#begun ? 1 : 0)) + text;
    this.#blanks = 0;
    this.#begun = true;
  }

  addBlank(): void {
    this.#blanks += 1;
  }

  addToLine(text: string): void {
    if (this.#inInfo || text === "") return;
    this.#text += text;
    this.#begun = true;
  }

  /** `midLine`: the last line goes on. */
  parts(limit: number, midLine: boolean): MarkdownBlock[] {
    if (this.#text.length <= limit) return [];
    const part = this.#block();
    this.#text = "";
    this.#begun = false;
    this.#joins = true;
    this.#midLine = midLine;
    return [part];
  }

  end(): MarkdownBlock | undefined {
    return this.#joins && !this.#begun ? undefined : this.#block();
  }

  #block(): CodeBlock {
    const language = this.fence?.language ?? "";
    const midLine: { midLine?: true } = this.#midLine ? { midLine: true } : {};
    return { type: "code", language, text: this.#text, ...joined(this.#joins), ...midLine };
  }

  copy(): OpenCode {
    const copy = new OpenCode(this.fence, this.#inInfo);
    copy.#text = this.#text;
    copy.#begun = this.#begun;
    copy.#blanks = this.#blanks;
    copy.#joins = this.#joins;
    copy.#midLine = this.#midLine;
    return copy;
  }
}

const NO_CELL: readonly Inline[] = [];

export class OpenTable {
  readonly type = "table";
  readonly #head: TableBlock["head"];
  readonly #align: TableBlock["align"];
  #rows: (readonly (readonly Inline[])[])[] = [];
  #size = 0;
  #joins = false;

  constructor(head: TableBlock["head"], align: TableBlock["align"]) {
    this.#head = head;
    this.#align = align;
  }

  static of(head: readonly string[], align: TableBlock["align"]): OpenTable {
    return new OpenTable(
      head.map((cell) => readInline(cell)),
      align,
    );
  }

  get size(): number {
    return this.#size;
  }

  /** Cells that the head does not have go to the last cell that it has. */
  addRow(text: string, unfinished: boolean): void {
    const cells = cellsOf(text);
    const columns = this.#head.length;
    if (cells.length > columns) cells.push(cells.splice(columns - 1).join(" | "));
    this.#rows.push(
      this.#head.map((_, column) => {
        const cell = cells[column];
        return cell === undefined ? NO_CELL : readInline(cell, { unfinished });
      }),
    );
    this.#size += text.length + columns;
  }

  parts(): MarkdownBlock[] {
    if (this.#size <= PART) return [];
    const part = this.#block();
    this.#rows = [];
    this.#size = 0;
    this.#joins = true;
    return [part];
  }

  end(): MarkdownBlock | undefined {
    return this.#joins && this.#rows.length === 0 ? undefined : this.#block();
  }

  #block(): TableBlock {
    return { type: "table", align: this.#align, head: this.#head, rows: this.#rows, ...joined(this.#joins) };
  }

  copy(): OpenTable {
    const copy = new OpenTable(this.#head, this.#align);
    copy.#rows = [...this.#rows];
    copy.#size = this.#size;
    copy.#joins = this.#joins;
    return copy;
  }
}

export type Leaf = OpenParagraph | OpenCode | OpenTable;
