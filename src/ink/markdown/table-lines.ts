// A table that fits the columns, as lines.
import type { Inline, TableBlock } from "../../screens/markdown/blocks.ts";
import { type FlowLine, wrapSpans } from "../rows/lines.ts";
import { type Row, rowWidth, type Span, type Surface } from "../rows/row.ts";
import type { Tone } from "../theme.ts";
import { inlineSpans } from "./inline-spans.ts";
import { columnsIn, type Margin, nestedMargin } from "./margin.ts";

type Cells = readonly (readonly Inline[])[];
type Align = TableBlock["align"][number];

/** The widths of the columns. `list`: the columns do not fit, so that each cell is a line. */
export interface TableForm {
  readonly widths: readonly number[] | "list";
  /** The columns of the terminal for which the form was made. */
  readonly columns: number;
}

/** A column has at least these columns, or all that its longest cell needs. */
const MIN_WIDTH = 8;

/** Columns between two cells: a bar with a blank on each side. */
const GAP = 3;

/** The form of a table. Longer cells are wrapped, the widest columns first. */
export function tableForm({ head, rows }: TableBlock, margin: Margin, surface: Surface): TableForm {
  const { columns, theme } = surface;
  const natural = head.map((cell) => cellWidth(inlineSpans(cell, theme)));
  for (const row of rows)
    for (const [at, cell] of row.entries())
      natural[at] = Math.max(natural[at] ?? 1, cellWidth(inlineSpans(cell, theme)));
  const space = columnsIn(margin, columns) - GAP * (natural.length - 1);
  return { widths: fitting(natural, space) ?? "list", columns };
}

/** The lines of a table. A part that joins has no head. */
export function tableLines(
  { align, head, rows, joins }: TableBlock,
  margin: Margin,
  surface: Surface,
  { widths }: TableForm,
): readonly FlowLine[] {
  const { symbols } = surface.theme;
  if (widths === "list") {
    const below = { lead: margin.hang, hang: margin.hang };
    if (rows.length === 0 && !joins) return listLines([], head, margin, surface);
    return rows.flatMap((row, at) => listLines(head, row, at === 0 ? margin : below, surface));
  }
  const rule = widths.map((width) => symbols.rule.repeat(width)).join(symbols.rule.repeat(GAP));
  const shown: readonly Row[] = [
    ...(joins ? [] : [...rowsOfCells(head, widths, align, surface, ["strong"]), [dim(rule)]]),
    ...rows.flatMap((row) => rowsOfCells(row, widths, align, surface, [])),
  ];
  const { lead, hang } = margin;
  return shown.map((spans, at) => ({ lead: at === 0 ? lead : hang, hang, spans, at: "hard" }));
}

/** A row of the table as an item of a list: `head: cell`. */
function listLines(head: Cells, row: Cells, outer: Margin, surface: Surface): readonly FlowLine[] {
  const { theme, columns } = surface;
  const bullet = `${theme.symbols.bullet} `;
  const indent: Span = { text: " ".repeat(bullet.length), tone: "plain" };
  const item = nestedMargin(outer, [dim(bullet)], [indent], columns);
  return row.flatMap((cell, at): readonly FlowLine[] => {
    const name = inlineSpans(head[at] ?? [], theme, ["strong"]);
    const says = inlineSpans(cell, theme);
    if (at > 0 && says.length === 0) return [];
    const { lead, hang } = at === 0 ? item : { lead: item.hang, hang: item.hang };
    return [{ lead, hang, spans: name.length === 0 ? says : [...name, dim(": "), ...says] }];
  });
}

function rowsOfCells(
  cells: Cells,
  widths: readonly number[],
  align: TableBlock["align"],
  { theme }: Surface,
  tones: readonly Tone[],
): readonly Row[] {
  const wrapped = widths.map(
    (width, at) => wrapSpans(inlineSpans(cells[at] ?? [], theme, tones), width).rows,
  );
  const height = Math.max(...wrapped.map((rows) => rows.length));
  return Array.from({ length: height }, (_, y) =>
    widths.flatMap((width, at): readonly Span[] => {
      const isLast = at === widths.length - 1;
      const cell = aligned(wrapped[at]?.[y] ?? [], width, align[at], isLast);
      return isLast ? cell : [...cell, dim(` ${theme.symbols.bar} `)];
    }),
  );
}

function aligned(row: Row, width: number, align: Align, isLast: boolean): Row {
  const space = Math.max(0, width - rowWidth(row));
  const before = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
  const blank = (count: number): Row => (count > 0 ? [{ text: " ".repeat(count), tone: "plain" }] : []);
  return [...blank(before), ...row, ...blank(isLast ? 0 : space - before)];
}

function dim(text: string): Span {
  return { text, tone: "dim" };
}

function cellWidth(spans: Row): number {
  const { rows } = wrapSpans(spans, Number.MAX_SAFE_INTEGER);
  return Math.max(1, ...rows.map(rowWidth));
}

/** Widths that fit into `space`. Shortens the widest columns. Undefined if a column would get too narrow. */
function fitting(natural: readonly number[], space: number): readonly number[] | undefined {
  const sumFor = (limit: number): number => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  if (sumFor(MIN_WIDTH) > space) return undefined;
  let limit = MIN_WIDTH;
  let above = Math.max(MIN_WIDTH, ...natural) + 1;
  while (above - limit > 1) {
    const middle = Math.floor((limit + above) / 2);
    if (sumFor(middle) <= space) limit = middle;
    else above = middle;
  }
  let left = space - sumFor(limit);
  return natural.map((width) => {
    if (width <= limit) return width;
    const further = left > 0 ? 1 : 0;
    left -= further;
    return limit + further;
  });
}
