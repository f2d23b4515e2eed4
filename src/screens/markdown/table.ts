// The rows of a table.
import type { TableBlock } from "./blocks.ts";

/** More columns are no table: a row of two characters has as many cells. */
const MAX_COLUMNS = 64;

const BORDERS = /^[|:\- \t]+$/;
const DELIMITER = /^:?-+:?$/;

/** What the line between the head and the rows says of each column. */
export function alignments(line: string): TableBlock["align"] | undefined {
  if (!BORDERS.test(line) || !(line.includes("|") || line.includes(":"))) return undefined;
  const delimiters = cellsOf(line);
  if (delimiters.length > MAX_COLUMNS || !delimiters.every((cell) => DELIMITER.test(cell))) return undefined;
  return delimiters.map(alignOf);
}

function alignOf(delimiter: string): TableBlock["align"][number] {
  const right = delimiter.endsWith(":");
  if (delimiter.startsWith(":")) return right ? "center" : "left";
  return right ? "right" : undefined;
}

/** The cells of a row. `\|` is no border. */
export function cellsOf(line: string): string[] {
  const row = line.trim();
  const cells: string[] = [];
  let cell = "";
  let from = row.startsWith("|") ? 1 : 0;
  for (let at = from; at < row.length; at += 1) {
    const code = row.charCodeAt(at);
    if (code === 92) {
      if (row.charCodeAt(at + 1) === 124) {
        cell += row.slice(from, at);
        from = at + 1;
      }
      at += 1;
    } else if (code === 124) {
      cells.push((cell + row.slice(from, at)).trim());
      cell = "";
      from = at + 1;
    }
  }
  if (cell !== "" || from < row.length || cells.length === 0) cells.push((cell + row.slice(from)).trim());
  return cells;
}
