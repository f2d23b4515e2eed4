// Divides the rows of the live region among its parts.
import type { Piece, Row } from "../rows/row.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The parts of the live region. Each function gets the maximum of rows for its part. */
export interface Pieces {
  /** An open dialog: an approval, a question, a lost context. */
  readonly dialog: ((maxRows: number) => Piece) | undefined;
  /** Whether keys go to the composer. */
  readonly isTyping: boolean;
  readonly status: (maxRows: number) => readonly Row[];
  /** The menu above the composer. Not beside a dialog, which needs the rows. */
  readonly above: (maxRows: number) => readonly Row[];
  readonly composer: (maxRows: number) => Piece;
  /** The open end of the answer. Gets the remaining rows. */
  readonly tail: (maxRows: number) => readonly Row[];
}

const MAX_COMPOSER_ROWS = 8;

/**
 * So few that a menu still fits into a terminal of 40 x 15, where lines above the screen cannot be cleared: five rows that take
 * two lines there, or in a tall terminal ten, of which only the last one is longer than a line.
 */
const MENU_ROWS = 5;
const TALL_MENU_ROWS = 10;

/** Rows of a tall terminal. */
const TALL = 30;

const BANNER_ROWS = 3;

/** One row less than the terminal, because Ink clears the screen for a live region of full height. */
export function liveRows({ rows }: Pick<Size, "rows">): number {
  return Math.max(1, rows - 1);
}

export function dialogRows(size: Pick<Size, "rows">): number {
  const total = liveRows(size);
  if (!hasSpaceForBoth(size)) return total;
  return total - 1 - statusLimit(size);
}

export function hasSpaceForBoth(size: Pick<Size, "rows">): boolean {
  return liveRows(size) >= 4;
}

export function statusLimit(size: Pick<Size, "rows">): number {
  const total = liveRows(size);
  if (total < 3) return 0;
  return total < 6 ? 1 : total < 16 ? 2 : 1 + BANNER_ROWS;
}

/** How an app of single components divides the live region. */
export interface Shares {
  readonly tail: number;
  /** Rows of the composer, or of a dialog in its place. */
  readonly below: number;
}

/** The shares that remain beside the status line and its banner. */
export function sharesOf(size: Pick<Size, "rows">): Shares {
  const total = liveRows(size);
  const tail = Math.floor(total / 3);
  return { tail, below: Math.max(1, total - tail - statusLimit(size)) };
}

/** Stacks the parts, in at most `liveRows` rows. */
export function layOut(size: Size, { dialog, isTyping, status, above, composer, tail }: Pieces): Piece {
  const total = liveRows(size);
  if (dialog && !hasSpaceForBoth(size)) return bounded(dialog(total), total);
  const share = dialog ? 1 : Math.max(1, Math.min(MAX_COMPOSER_ROWS, Math.floor(total / 3)));
  const typed = composer(share);
  const line = status(Math.min(statusLimit(size), total - typed.rows.length));
  const asked = dialog?.(total - typed.rows.length - line.length);
  const space = total - typed.rows.length - line.length - (asked?.rows.length ?? 0);
  const menu =
    dialog || space <= 0
      ? []
      : above(Math.min(size.rows < TALL ? MENU_ROWS : TALL_MENU_ROWS, Math.ceil(space / 2)));
  const left = space - menu.length;
  const shown = left > 0 ? tail(left) : [];
  const before = [...shown, ...(asked?.rows ?? []), ...line, ...menu];
  const rows = [...before, ...typed.rows].slice(-total);
  const at = asked?.cursor
    ? { x: asked.cursor.x, y: shown.length + asked.cursor.y }
    : typed.cursor && isTyping
      ? { x: typed.cursor.x, y: before.length + typed.cursor.y }
      : undefined;
  return at ? { rows, cursor: at } : { rows };
}

function bounded({ rows, cursor }: Piece, total: number): Piece {
  const shown = rows.slice(-total);
  return cursor
    ? { rows: shown, cursor: { x: cursor.x, y: cursor.y - (rows.length - shown.length) } }
    : { rows: shown };
}
