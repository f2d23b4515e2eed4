import type { Range } from "./scan.ts";

const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * What is left of the pieces of a text without the white space that is too much because something between two pieces
 * was taken out; what the author wrote elsewhere stays, in a code block above all.
 *
 * - Of two spaces that meet, the second goes.
 * - Blanks at the end of a line go, where something was taken out among them.
 * - A line goes of which nothing but blanks is left. Of the blank lines before and behind it, only as many stay as the
 *   longer of the two runs has.
 * - White space at both ends of the whole goes.
 *
 * One pass, which looks at each character once.
 */
export function tidy(input: string, pieces: readonly Range[]): readonly Range[] {
  const tidier = new Tidier(input);
  for (const piece of pieces) tidier.add(piece);
  return trimmed(input, tidier.kept);
}

class Tidier {
  readonly kept: { start: number; end: number }[] = [];
  readonly #input: string;
  /** Where `kept` ended, with the last character that is no blank, or with the last line. */
  #solid = { ranges: 0, end: 0 };
  #previousEnd: number | undefined;
  /** Something was taken out, and nothing has been added since. */
  #justCut = false;
  /** Something was taken out behind the last character of this line that is no blank. */
  #cutInTail = false;
  #lineIsBlank = true;
  #afterSpace = false;
  /** How many blank lines were kept one after the other, up to this one. */
  #blankLines = 0;
  /** How many of the blank lines that follow here repeat those before a line that went. */
  #surplus = 0;

  constructor(input: string) {
    this.#input = input;
  }

  add({ start, end }: Range): void {
    if (this.#previousEnd !== undefined && this.#previousEnd !== start) {
      this.#justCut = true;
      this.#cutInTail = true;
    }
    this.#previousEnd = end;
    let at = start;
    while (at < end) {
      const code = this.#input.charCodeAt(at);
      if (code === SPACE || code === TAB) at = this.#blank(at, code);
      else if (code === NEWLINE) at = this.#lineEnd(at, at + 1);
      else if (this.#isLongLineEnd(at, end)) at = this.#lineEnd(at, at + 2);
      else at = this.#word(at, end);
    }
  }

  #isLongLineEnd(at: number, end: number): boolean {
    return (
      this.#input.charCodeAt(at) === RETURN && at + 1 < end && this.#input.charCodeAt(at + 1) === NEWLINE
    );
  }

  #blank(at: number, code: number): number {
    const meets = this.#justCut && this.#afterSpace && code === SPACE;
    this.#justCut = false;
    if (!meets) {
      this.#keep(at, at + 1);
      this.#afterSpace = code === SPACE;
    }
    return at + 1;
  }

  /** As many characters at once as are no white space. */
  #word(start: number, end: number): number {
    let at = start + 1;
    for (; at < end; at++) {
      const code = this.#input.charCodeAt(at);
      if (code === SPACE || code === TAB || code === NEWLINE || code === RETURN) break;
    }
    this.#keep(start, at);
    this.#solid = { ranges: this.kept.length, end: at };
    this.#justCut = false;
    this.#cutInTail = false;
    this.#lineIsBlank = false;
    this.#afterSpace = false;
    return at;
  }

  #lineEnd(start: number, end: number): number {
    const emptied = this.#lineIsBlank && this.#cutInTail;
    const repeats = this.#lineIsBlank && !emptied && this.#surplus > 0;
    if (this.#cutInTail || repeats) this.#dropTail();
    if (emptied) {
      this.#surplus = this.#blankLines;
    } else if (repeats) {
      this.#surplus--;
    } else {
      this.#keep(start, end);
      this.#solid = { ranges: this.kept.length, end };
      this.#blankLines = this.#lineIsBlank ? this.#blankLines + 1 : 0;
      if (!this.#lineIsBlank) this.#surplus = 0;
    }
    this.#justCut = false;
    this.#cutInTail = false;
    this.#lineIsBlank = true;
    this.#afterSpace = false;
    return end;
  }

  #dropTail(): void {
    const { ranges, end } = this.#solid;
    this.kept.length = ranges;
    const last = this.kept.at(-1);
    if (last) last.end = end;
  }

  #keep(start: number, end: number): void {
    const last = this.kept.at(-1);
    if (last?.end === start) last.end = end;
    else this.kept.push({ start, end });
  }
}

/** Without the white space at both ends. */
function trimmed(input: string, ranges: readonly Range[]): readonly Range[] {
  let first = 0;
  let last = ranges.length;
  for (; first < last && isSpace(input, ranges[first]); first++);
  for (; first < last && isSpace(input, ranges[last - 1]); last--);
  return ranges.slice(first, last).map(({ start, end }, index, all) => {
    const text = index === 0 || index === all.length - 1 ? input.slice(start, end) : "";
    return {
      start: index === 0 ? end - text.trimStart().length : start,
      end: index === all.length - 1 ? start + text.trimEnd().length : end,
    };
  });
}

function isSpace(input: string, range: Range | undefined): boolean {
  return range !== undefined && input.slice(range.start, range.end).trim() === "";
}
