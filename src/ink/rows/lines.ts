// Lines of several tones, and their rows.
import { type Row, rowWidth, type Span } from "./row.ts";
import { type WrapOptions, wrap } from "./wrap.ts";

/** A line that may be wider than the terminal. Its spans may contain line breaks. */
export interface FlowLine {
  /** The prefix of the first row. */
  readonly lead: Row;
  /** The prefix of the other rows. */
  readonly hang: Row;
  readonly spans: Row;
  /** @default "words" */
  readonly at?: WrapOptions["at"];
  /** The line goes on where the previous line ends. */
  readonly joins?: true;
}

export interface LineOptions extends WrapOptions {
  /** Whether the last row of the whole text stays in `rest`, because the line may go on. @default false */
  readonly isOpen?: boolean;
}

/** Rows of a line. `rest`: the spans after these rows; undefined if the rows are all of the line. */
export interface LineRows {
  readonly rows: readonly Row[];
  readonly rest: Row | undefined;
}

/** Wraps spans into rows without a prefix. */
export function wrapSpans(spans: Row, columns: number, options: LineOptions = {}): LineRows {
  const { isOpen = false, ...how } = options;
  const text = spans.map((span) => span.text).join("");
  const wrapped = wrap(text, columns, how);
  const isWhole = (wrapped.at(-1)?.end ?? 0) >= text.length;
  const final = isOpen && isWhole && !text.endsWith("\n") ? wrapped.slice(0, -1) : wrapped;
  const cut = new Cutter(spans);
  let from = 0;
  const rows = final.map((row) => {
    const taken = cut.take(from, from + row.text.length);
    from = row.end;
    return taken;
  });
  return { rows, rest: isOpen || !isWhole ? cut.take(from, text.length) : undefined };
}

/** Wraps a line into rows. */
export function rowsOfLine(line: FlowLine, columns: number, options: LineOptions = {}): LineRows {
  const { lead, hang, spans, at = "words" } = line;
  const margin = Math.max(rowWidth(lead), rowWidth(hang));
  const { rows, rest } = wrapSpans(spans, columns - margin, { at, ...options });
  return { rows: rows.map((row, index) => [...(index === 0 ? lead : hang), ...row]), rest };
}

/** Cuts ranges from spans, each range behind the last one. */
class Cutter {
  readonly #spans: Row;
  #at = 0;
  /** The offset of the current span. */
  #offset = 0;

  constructor(spans: Row) {
    this.#spans = spans;
  }

  take(from: number, to: number): Row {
    const row: Span[] = [];
    for (;;) {
      const span = this.#spans[this.#at];
      if (!span || this.#offset >= to) return row;
      const end = this.#offset + span.text.length;
      const start = Math.max(from, this.#offset);
      if (start < Math.min(end, to))
        row.push({ ...span, text: span.text.slice(start - this.#offset, Math.min(end, to) - this.#offset) });
      if (end > to) return row;
      this.#at++;
      this.#offset = end;
    }
  }
}
