// Prints a growing answer: its settled blocks go to the scrollback.
import { createInert, type InertStream } from "../../chat/print/inert.ts";
import type { MarkdownBlock } from "../../screens/markdown/blocks.ts";
import { type MarkdownReader, markdownReader } from "../../screens/markdown/reader.ts";
import { BlockLines } from "../markdown/block-lines.ts";
import { LineFlow } from "../rows/line-flow.ts";
import type { FlowLine } from "../rows/lines.ts";
import { type Row, rowsOf, rowWidth, type Surface } from "../rows/row.ts";
import { screenWords, type Theme } from "../theme.ts";
import { SeenText } from "./seen-text.ts";
import type { Sink } from "./sink.ts";

/** Characters from which a part of a block settles. */
const EARLY = 80;

/**
 * Columns of a narrow window, and the lines that the rows of the live region may become in it. The region has to be
 * small: lines that leave the screen at the top, when the window gets narrower, cannot be cleared. The other open rows are
 * shown once they are settled.
 */
const NARROW = 20;
const MAX_LINES = 20;

/** Further lines that the rows below need in a narrow window. */
const LINES_BELOW = 3;

/** Rows that the live region shows, however many lines they may become. */
const LIVE_ROWS = 4;

/** Settled blocks are printed once. The open end, which later text may change, stays in the live region. */
export class MarkdownPrinter {
  readonly #seen = new SeenText();
  #inert: InertStream = createInert();
  #reader: MarkdownReader = markdownReader(EARLY);
  #layout = new BlockLines();
  #flow = new LineFlow();
  /** Settled blocks that are laid out. */
  #at = 0;
  #open:
    | {
        readonly blocks: readonly MarkdownBlock[];
        readonly columns: number;
        readonly theme: Theme;
        readonly lines: readonly FlowLine[];
      }
    | undefined;
  #hasPrinted = false;
  #isEnded = false;
  #isReplaced = false;

  get hasPrinted(): boolean {
    return this.#hasPrinted;
  }

  /** Takes the current text. Linear in the new text; at the end, linear in the whole text. */
  feed(text: string, isEnded: boolean): void {
    if (this.#isEnded) return;
    const { fresh, isOther } = this.#seen.next(text, isEnded);
    if (isOther) this.#restart();
    if (fresh !== "") this.#reader.push(this.#inert.push(fresh));
    if (!isEnded) return;
    this.#isEnded = true;
    this.#reader.push(this.#inert.end());
    this.#reader.end();
  }

  /** Prints finished rows. Returns whether all of the text is printed, never true before its end. */
  print(sink: Sink): boolean {
    if (this.#isReplaced && sink.space > 0) {
      this.#isReplaced = false;
      sink.print(rowsOf(screenWords(sink.theme).textDiffers, "warn", { columns: sink.columns }));
    }
    for (;;) {
      if (sink.space <= 0) return false;
      const isLast = this.#at >= this.#reader.settled.length;
      const isFinal = isLast && (this.#isEnded || this.#isApart(sink));
      const rows = this.#flow.take(sink.columns, sink.space, isFinal);
      if (rows.length > 0) {
        sink.print(rows);
        this.#hasPrinted = true;
      }
      if (!this.#flow.wantsMore) continue;
      const block = this.#reader.settled[this.#at];
      if (!block) return this.#isEnded && this.#flow.isEmpty;
      this.#at++;
      this.#flow.add(this.#layout.next([block], sink));
    }
  }

  /** The last `maxRows` unprinted rows. */
  live(surface: Surface, maxRows: number): readonly Row[] {
    if (maxRows <= 0) return [];
    const next = this.#reader.settled[this.#at]; // settled blocks that had no space in this frame come first
    const lines = next
      ? this.#layout.copy().next([next], surface)
      : this.#flow.wantsMore
        ? this.#openLines(surface)
        : [];
    return bounded(this.#flow.preview(lines, surface.columns, maxRows), maxRows);
  }

  /** Whether the open end begins a new line, so that the last settled line is complete. */
  #isApart(surface: Surface): boolean {
    const [first] = this.#openLines(surface);
    return first !== undefined && !first.joins;
  }

  /** The lines of the open end. They are laid out once for each text and surface. */
  #openLines({ columns, theme, highlight }: Surface): readonly FlowLine[] {
    const { open } = this.#reader;
    const known = this.#open;
    if (known?.blocks === open && known.columns === columns && known.theme === theme) return known.lines;
    const lines = this.#layout.copy().next(open, { columns, theme, highlight });
    this.#open = { blocks: open, columns, theme, lines };
    return lines;
  }

  #restart(): void {
    this.#isReplaced = this.#hasPrinted;
    this.#hasPrinted = false;
    this.#inert = createInert();
    this.#reader = markdownReader(EARLY);
    this.#layout = new BlockLines();
    this.#flow = new LineFlow();
    this.#at = 0;
  }
}

/** The last rows that the live region may show. */
function bounded(rows: readonly Row[], maxRows: number): readonly Row[] {
  let left = Math.min(MAX_LINES, maxRows - LINES_BELOW);
  let count = 0;
  for (const row of rows.toReversed()) {
    left -= Math.max(1, Math.ceil(rowWidth(row) / NARROW));
    if (left < 0 && count >= LIVE_ROWS) break;
    count++;
  }
  return rows.slice(rows.length - count);
}
