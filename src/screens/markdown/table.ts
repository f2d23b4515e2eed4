// The rows of a table.
import type { TableBlock } from "./blocks.ts";

/** More columns are no table: a row of two characters has as many cells. */
const MAX_COLUMNS = 64;

const DELIMITER = /^:?-+:?$/;

export interface TableStart {
  readonly head: readonly string[];
  readonly align: TableBlock["align"];
}

export function tableStart(headLine: string, delimiterLine: string): TableStart | undefined {
  if (!/[|:]/.test(delimiterLine) || !/^[|:\- \t]+$/.test(delimiterLine)) return undefined;
  const delimiters = cellsOf(delimiterLine);
  if (delimiters.length > MAX_COLUMNS || !delimiters.every((cell) => DELIMITER.test(cell))) return undefined;
  const head = cellsOf(headLine);
  if (head.length !== delimiters.length) return undefined;
  return { head, align: delimiters.map(alignOf) };
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
