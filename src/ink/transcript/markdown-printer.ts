// Prints a growing answer: its settled blocks go to the scrollback.
import { createInert, type InertStream } from "../../chat/print/inert.ts";
import { type MarkdownReader, markdownReader } from "../../screens/markdown/reader.ts";
import { BlockLines } from "../markdown/block-lines.ts";
import { LineFlow } from "../rows/line-flow.ts";
import { type Row, rowsOf, type Surface } from "../rows/row.ts";
import { GrowingText } from "./growing-text.ts";
import type { Sink } from "./sink.ts";
import { DIFFERS } from "./text-printer.ts";

/** Lines of printable blocks that the live region lays out while a frame has no space for them. */
const MAX_LIVE_BLOCKS = 20;

/**
 * Characters of a block that settle as one part. The live region has to be small: a narrower window makes more lines of
 * its rows, and lines that leave the screen at the top cannot be cleared.
 */
const PART = 400;

/** Settled blocks are printed once. The open end, which later text may change, stays in the live region. */
export class MarkdownPrinter {
  readonly #growing = new GrowingText();
  #inert: InertStream = createInert();
  #reader: MarkdownReader = markdownReader(PART);
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
      sink.print(rowsOf(DIFFERS, "warn", { columns: sink.columns }));
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
    const { settled } = this.#reader;
    const layout = this.#layout.copy();
    const waiting = settled.slice(this.#at, this.#at + MAX_LIVE_BLOCKS);
    const isBehind = this.#at + waiting.length < settled.length;
    const blocks = isBehind ? waiting : [...waiting, ...this.#reader.open];
    return this.#flow.preview(layout.next(blocks, surface), surface.columns, maxRows);
  }

  #restart(): void {
    this.#isReplaced = this.#hasPrinted;
    this.#hasPrinted = false;
    this.#inert = createInert();
    this.#reader = markdownReader(PART);
    this.#layout = new BlockLines();
    this.#flow = new LineFlow();
    this.#at = 0;
  }
}
