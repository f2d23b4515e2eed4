// A line of Markdown, read from its start.

/** The part of a line that its containers have not taken. */
export class Line {
  /** Columns of white space before `content`. A tab reaches to the next multiple of four. */
  indent = 0;
  content = "";
  #column = 0;

  constructor(text: string) {
    this.#measure(text);
  }

  get blank(): boolean {
    return this.content === "";
  }

  /** The line with its white space as spaces. */
  get text(): string {
    return " ".repeat(this.indent) + this.content;
  }

  skipColumns(count: number): void {
    const skipped = Math.min(count, this.indent);
    this.indent -= skipped;
    this.#column += skipped;
  }

  skipMark(length: number): void {
    this.#column += this.indent + length;
    this.#measure(this.content.slice(length));
  }

  #measure(text: string): void {
    let column = this.#column;
    let at = 0;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 32) column += 1;
      else if (code === 9) column += 4 - (column % 4);
      else break;
    }
    this.indent = column - this.#column;
    this.content = text.slice(at);
  }
}
