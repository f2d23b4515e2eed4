// What stands before the lines of a nested block.
import { type Row, rowWidth } from "../rows/row.ts";

/** The prefixes of a block: of its first row, and of the others. */
export interface Margin {
  readonly lead: Row;
  readonly hang: Row;
}

export const NO_MARGIN: Margin = { lead: [], hang: [] };

/** Columns that every text gets. Deeper blocks have no further prefix. */
const MIN_COLUMNS = 16;

export function columnsIn({ lead, hang }: Margin, columns: number): number {
  return Math.max(1, columns - Math.max(rowWidth(lead), rowWidth(hang)));
}

/** A margin inside another one. Returns the outer one if too few columns would remain. */
export function nestedMargin(outer: Margin, lead: Row, hang: Row, columns: number): Margin {
  const inner = { lead: [...outer.lead, ...lead], hang: [...outer.hang, ...hang] };
  return columnsIn(inner, columns) < MIN_COLUMNS ? outer : inner;
}
