// Divides the rows of the live region among its pieces.
import type { Row } from "../rows/row.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The place of the cursor, from the first row of the live region. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A piece of the live region, with its cursor if it has one. */
export interface Piece {
  readonly rows: readonly Row[];
  readonly cursor?: Place;
}

/** The parts of the live region, each made for the rows that it may have. */
export interface Pieces {
  /** An open dialog: an approval, a question, a lost context. */
  readonly dialog: ((maxRows: number) => Piece) | undefined;
  /** Whether keys go to the composer. */
  readonly isTyping: boolean;
  readonly status: (maxRows: number) => readonly Row[];
  readonly composer: (maxRows: number) => Piece;
  /** What is open of the answer. Gets what is left. */
  readonly tail: (maxRows: number) => readonly Row[];
}

export interface Live {
  readonly rows: readonly Row[];
  readonly cursor?: Place;
}

/** Rows of the composer, at most. */
const MAX_COMPOSER_ROWS = 8;

/** Rows of a banner, at most: what went wrong and why are two or three sentences. */
const BANNER_ROWS = 3;

/** The rows of the live region: one less than the terminal has, for with as many Ink clears the whole screen. */
export function liveRows({ rows }: Pick<Size, "rows">): number {
  return Math.max(1, rows - 1);
}

/** Rows that a dialog may have. */
export function dialogRows(size: Pick<Size, "rows">): number {
  const total = liveRows(size);
  if (!hasRoomForBoth(size)) return total;
  return total - 1 - statusLimit(size);
}

/** Whether a dialog leaves room for the composer. */
export function hasRoomForBoth(size: Pick<Size, "rows">): boolean {
  return liveRows(size) >= 4;
}

/** Rows of the status line and its banner, at most. */
export function statusLimit(size: Pick<Size, "rows">): number {
  const total = liveRows(size);
  if (total < 3) return 0;
  return total < 6 ? 1 : total < 16 ? 2 : 1 + BANNER_ROWS;
}

/** How a program of parts shares out its live region. */
export interface Shares {
  /** Rows of what is open of the answer. */
  readonly tail: number;
  /** Rows of the composer, or of a dialog in its place. */
  readonly below: number;
}

/** The shares next to the status line and its banner. */
export function sharesOf(size: Pick<Size, "rows">): Shares {
  const total = liveRows(size);
  const tail = Math.floor(total / 3);
  return { tail, below: Math.max(1, total - tail - statusLimit(size)) };
}

/** Puts the pieces one below the other. All together they never have more than `liveRows`. */
export function layOut(size: Size, { dialog, isTyping, status, composer, tail }: Pieces): Live {
  const total = liveRows(size);
  if (dialog && !hasRoomForBoth(size)) return bounded(dialog(total), total);
  const share = dialog ? 1 : Math.max(1, Math.min(MAX_COMPOSER_ROWS, Math.floor(total / 3)));
  const typed = composer(share);
  const line = status(Math.min(statusLimit(size), total - typed.rows.length));
  const asked = dialog?.(total - typed.rows.length - line.length);
  const left = total - typed.rows.length - line.length - (asked?.rows.length ?? 0);
  const shown = left > 0 ? tail(left) : [];
  const before = [...shown, ...(asked?.rows ?? []), ...line];
  const rows = [...before, ...typed.rows].slice(-total);
  const at = asked?.cursor
    ? { x: asked.cursor.x, y: shown.length + asked.cursor.y }
    : typed.cursor && isTyping
      ? { x: typed.cursor.x, y: before.length + typed.cursor.y }
      : undefined;
  return at ? { rows, cursor: at } : { rows };
}

function bounded({ rows, cursor }: Piece, total: number): Live {
  const shown = rows.slice(-total);
  return cursor
    ? { rows: shown, cursor: { x: cursor.x, y: cursor.y - (rows.length - shown.length) } }
    : { rows: shown };
}
