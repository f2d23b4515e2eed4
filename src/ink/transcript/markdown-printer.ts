// Prints a growing answer: its settled blocks go to the scrollback.
import { createInert, type InertStream } from "../../chat/print/inert.ts";
import { type MarkdownReader, markdownReader } from "../../screens/markdown/reader.ts";
import { BlockLines } from "../markdown/block-lines.ts";
import { LineFlow } from "../rows/line-flow.ts";
import { type Row, rowsOf, rowWidth, type Surface } from "../rows/row.ts";
import { screenWords } from "../theme.ts";
import { GrowingText } from "./growing-text.ts";
import type { Sink } from "./sink.ts";

/** Characters from which a part of a block settles. */
const EARLY = 160;

/**
 * Columns of the rows in the live region, together. It has to be small: a narrower window makes more lines of its rows,
 * and lines that leave the screen at the top cannot be cleared. The other open rows are shown once they are settled.
 */
const LIVE_COLUMNS = 400;

/** Rows that the live region shows, however wide they are. */
const LIVE_ROWS = 4;

/** Settled blocks are printed once. The open end, which later text may change, stays in the live region. */
export class MarkdownPrinter {
  readonly #growing = new GrowingText();
  #inert: InertStream = createInert();
  #reader: MarkdownReader = markdownReader(EARLY);
  #layout = new BlockLines();
  #flow = new LineFlow();
  /** Settled blocks that are laid out. */
  #at = 0;
  #hasPrinted = false;
  #isEnded = false;
  #isReplaced = false;

  get hasPrinted(): boolean {
    return this.#hasPrinted;
  }

  /** Takes the current text. Linear in the new text; at the end, linear in the whole text. */
  feed(text: string, isEnded: boolean): void {
    if (this.#isEnded) return;
    const { fresh, isOther } = this.#growing.next(text, isEnded);
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
      const rows = this.#flow.take(sink.columns, sink.space, this.#isEnded && isLast);
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
    const { settled, open } = this.#reader;
    const next = settled[this.#at]; // settled blocks that had no space in this frame come first
    const blocks = next ? [next] : this.#flow.wantsMore ? open : [];
    const lines = this.#layout.copy().next(blocks, surface);
    return bounded(this.#flow.preview(lines, surface.columns, maxRows));
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
function bounded(rows: readonly Row[]): readonly Row[] {
  let left = LIVE_COLUMNS;
  let count = 0;
  for (const row of rows.toReversed()) {
    left -= rowWidth(row);
    if (left < 0 && count >= LIVE_ROWS) break;
    count++;
  }
  return rows.slice(rows.length - count);
}
