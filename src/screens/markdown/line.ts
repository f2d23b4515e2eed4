// A line of Markdown, read from its start.

/** The part of a line that its containers have not taken. */
export class SourceLine {
  /** Columns of white space before `content`. A tab reaches to the next multiple of four. */
  indent = 0;
  content = "";
  /** The white space itself. */
  #space = "";
  #column = 0;

  constructor(text: string) {
    this.#measure(text);
  }

  get blank(): boolean {
    return this.content === "";
  }

  /** The line with its white space. */
  get text(): string {
    return this.#space + this.content;
  }

  skipColumns(count: number): void {
    const end = this.#column + Math.min(count, this.indent);
    let at = 0;
    let column = this.#column;
    while (column < end) {
      column = after(column, this.#space.charCodeAt(at));
      at += 1;
    }
    // A tab that reaches further leaves its other columns.
    this.#space = " ".repeat(column - end) + this.#space.slice(at);
    this.indent -= end - this.#column;
    this.#column = end;
  }

  skipMark(length: number): void {
    this.#column += this.indent + length;
    this.#measure(this.content.slice(length));
  }

  #measure(text: string): void {
    let column = this.#column;
    let at = 0;
    for (; isSpace(text.charCodeAt(at)); at += 1) column = after(column, text.charCodeAt(at));
    this.indent = column - this.#column;
    this.#space = text.slice(0, at);
    this.content = text.slice(at);
  }
}

const TAB = 9;

const isSpace = (code: number): boolean => code === 32 || code === TAB;

const after = (column: number, code: number): number =>
  code === TAB ? column + 4 - (column % 4) : column + 1;
