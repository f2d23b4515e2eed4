// The header: what the user talks with. The status line names the model and the mode, which may change.
import { EMPTY_ROW, endOf, inLine, type Row, rowsOf, type Surface } from "../rows/row.ts";

/** What the app knows about the agent. */
export interface ChatHeader {
  /** The name of the backend, such as `codey`. */
  readonly backend?: string;
  /** The folder that the agent works in. */
  readonly folder?: string;
}

export function headerRows({ backend, folder }: ChatHeader, { columns }: Surface): readonly Row[] {
  const name = backend === undefined ? [] : rowsOf(inLine(backend), "strong", { columns });
  const place: readonly Row[] =
    folder === undefined ? [] : [[{ text: endOf(inLine(folder), columns), tone: "dim" }]];
  const rows = [...name, ...place];
  return rows.length > 0 ? [EMPTY_ROW, ...rows] : [];
}
