// The block at the end, which lines are still added to.
import type { CodeBlock, Inline, ListItem, MarkdownBlock, TableBlock } from "./blocks.ts";
import { cutOf } from "./cut.ts";
import { readInline } from "./inline.ts";
import type { Fence } from "./starts.ts";
import { cellsOf, type TableStart } from "./table.ts";

/** Characters of a block that settle as one part: a screen reads and draws the open end again with each token. */
export const PART = 4096;

const joined = (joins: boolean): { joins?: true } => (joins ? { joins: true } : {});

export class Paragraph {
  readonly type = "paragraph";
  text = "";
  #joins = false;
  /** The last characters of the part before. */
  #before = "";

  /** Whether its beginning has settled. */
  get joins(): boolean {
    return this.#joins;
  }

  get size(): number {
    return this.text.length;
  }

  addLine(text: string): void {
    this.text += this.text === "" ? text : `\n${text}`;
  }

  addToLine(text: string): void {
    this.text += text;
  }

  /** The parts that settle now. */
  parts(): MarkdownBlock[] {
    const parts: MarkdownBlock[] = [];
    while (this.text.length > PART) {
      const at = cutOf(this.text, this.#before);
      const head = this.text.slice(0, at);
      parts.push({
        type: "paragraph",
        content: readInline(head, { before: this.#before }),
        ...joined(this.#joins),
      });
      this.text = this.text.slice(at);
      this.#joins = true;
      this.#before = head.slice(-2);
    }
    return parts;
  }

  end(unfinished: boolean): MarkdownBlock | undefined {
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

  copy(): Paragraph {
    const copy = new Paragraph();
    copy.text = this.text;
    copy.#joins = this.#joins;
    copy.#before = this.#before;
    return copy;
  }
}

const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
const TASK_HALF_TYPED = /^\[([ xX])\](?:[ \t]+(?=\S)|$)/;

export class Code {
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
  parts(midLine: boolean): MarkdownBlock[] {
    if (this.#text.length <= PART) return [];
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

  copy(): Code {
    const copy = new Code(this.fence, this.#inInfo);
    copy.#text = this.#text;
    copy.#begun = this.#begun;
    copy.#blanks = this.#blanks;
    copy.#joins = this.#joins;
    copy.#midLine = this.#midLine;
    return copy;
  }
}

const NO_CELL: readonly Inline[] = [];

export class Table {
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

  static of({ head, align }: TableStart): Table {
    return new Table(
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

  copy(): Table {
    const copy = new Table(this.#head, this.#align);
    copy.#rows = [...this.#rows];
    copy.#size = this.#size;
    copy.#joins = this.#joins;
    return copy;
  }
}

export type Leaf = Paragraph | Code | Table;
