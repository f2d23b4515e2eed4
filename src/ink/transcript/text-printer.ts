// Prints a growing plain text: its upper rows go to the scrollback.
import { createInert, type InertStream } from "../../chat/print/inert.ts";
import { type Row, rowsOf, type Span } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { wrap } from "../rows/wrap.ts";
import { screenWords, type Tone } from "../theme.ts";
import { SeenText } from "./seen-text.ts";
import type { Sink } from "./sink.ts";

/** Maximum rows of an open text that the live region lays out. */
const MAX_LIVE_ROWS = 200;

/** Rows leave the live region at the top, and are printed once. */
export class TextPrinter {
  readonly #tone: Tone;
  readonly #hang: Span | undefined;
  readonly #seen = new SeenText();
  #inert: InertStream = createInert();
  /** The unprinted end of the text, made inert. */
  #pending = "";
  #hasPrinted = false;
  #isEnded = false;
  #isReplaced = false;

  constructor(tone: Tone, hang?: Span) {
    this.#tone = tone;
    this.#hang = hang;
  }

  get hasPrinted(): boolean {
    return this.#hasPrinted;
  }

  /** Takes the current text. Linear in the new text; at the end, linear in the whole text. */
  feed(text: string, isEnded: boolean): void {
    if (this.#isEnded) return;
    const { fresh, isOther } = this.#seen.next(text, isEnded);
    if (isOther) this.#restart();
    this.#push(fresh);
    if (!isEnded) return;
    this.#isEnded = true;
    this.#pending = (this.#pending + this.#inert.end()).trimEnd();
  }

  /** Prints finished rows. Returns whether all of the text is printed, never true before its end. */
  print(sink: Sink): boolean {
    if (this.#isReplaced && sink.space > 0) {
      this.#isReplaced = false;
      sink.print(rowsOf(screenWords(sink.theme).textDiffers, "warn", { columns: sink.columns }));
    }
    if (this.#isEnded && this.#pending === "") return true;
    const keep = this.#isEnded ? 0 : Math.max(1, sink.tailRows);
    const space = Math.max(0, sink.space);
    const width = sink.columns - widthOf(this.#hang?.text ?? "");
    const rows = wrap(this.#pending, width, { maxRows: space + keep + 1 });
    const ready = rows.slice(0, Math.min(space, Math.max(0, rows.length - keep)));
    const end = ready.at(-1)?.end;
    if (end !== undefined) {
      sink.print(ready.map(({ text }) => this.#row(text)));
      this.#hasPrinted = true;
      this.#pending = this.#pending.slice(end);
    }
    return this.#isEnded && this.#pending === "";
  }

  /** The last `maxRows` unprinted rows. */
  live(columns: number, maxRows: number): readonly Row[] {
    if (maxRows <= 0) return [];
    const width = columns - widthOf(this.#hang?.text ?? "");
    const rows = wrap(this.#pending, width, { maxRows: MAX_LIVE_ROWS });
    return rows.slice(-maxRows).map(({ text }) => this.#row(text));
  }

  #restart(): void {
    this.#isReplaced = this.#hasPrinted;
    this.#hasPrinted = false;
    this.#inert = createInert();
    this.#pending = "";
  }

  #push(fresh: string): void {
    const shown = this.#inert.push(fresh.includes("\t") ? fresh.replaceAll("\t", "    ") : fresh);
    const pending = this.#pending + shown;
    this.#pending = this.#hasPrinted ? pending : pending.replace(/^\n+/, "");
  }

  #row(text: string): Row {
    const span: Span = { text, tone: this.#tone };
    return this.#hang ? [this.#hang, span] : [span];
  }
}
