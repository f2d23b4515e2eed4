import { displayed, type Row, type Span } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { wrap } from "../rows/wrap.ts";
import type { Tone } from "../theme.ts";

/** A text of which the screen shows only a piece. */
export interface Folded {
  readonly title: string;
  /** As the agent sent it. */
  readonly text: string;
}

export interface FoldOptions {
  readonly columns: number;
  readonly tone: Tone;
  /** In front of each row. */
  readonly hang: Span;
  /** Rows at most, with the row that says how many more lines there are. */
  readonly maxRows: number;
  /** Whether to show the end, as of an output that grows. @default false: the beginning */
  readonly showsEnd?: boolean;
}

export interface FoldedRows {
  readonly rows: readonly Row[];
  readonly isFolded: boolean;
}

/** Characters at the beginning or the end of a text that are looked at: more than the rows of a fold hold. The rest is only counted. */
const MAX_LOOK = 20_000;

/** The beginning or the end of a text, and how many more lines it has. */
export function foldedRows(text: string, options: FoldOptions): FoldedRows {
  const { maxRows, showsEnd = false, tone, hang, columns } = options;
  const whole = text.trimEnd();
  if (whole === "") return { rows: [], isFolded: false };
  const isCut = whole.length > MAX_LOOK;
  const look = displayed(showsEnd ? whole.slice(-MAX_LOOK) : whole.slice(0, MAX_LOOK));
  const wrapped = wrap(look, columns - widthOf(hang.text));
  const rows = wrapped.map((row): Row => [hang, { text: row.text, tone }]);
  if (!isCut && rows.length <= maxRows) return { rows, isFolded: false };
  const room = Math.max(1, maxRows - 1);
  const unseen = isCut ? countLines(showsEnd ? whole.slice(0, -MAX_LOOK) : whole.slice(MAX_LOOK)) : 0;
  if (showsEnd) {
    const begin = wrapped[rows.length - room - 1]?.end ?? 0;
    return {
      rows: [says(hang, countLines(look.slice(0, begin)) + unseen), ...rows.slice(-room)],
      isFolded: true,
    };
  }
  const end = wrapped[room - 1]?.end ?? look.length;
  return { rows: [...rows.slice(0, room), says(hang, countLines(look.slice(end)) + unseen)], isFolded: true };
}

/** The lines of a text; a line break at the end begins none. */
export function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function says(hang: Span, more: number): Row {
  return [hang, { text: `... ${Math.max(1, more)} more ${more > 1 ? "lines" : "line"}`, tone: "dim" }];
}
