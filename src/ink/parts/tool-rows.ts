// The rows of a tool call.
import type { ToolCallState, ToolPreview } from "../../core/values.ts";
import type { ResolvedReason } from "../../universal/events.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { clippedRow, inLine, type Row, type Span, type Surface } from "../rows/row.ts";
import type { Symbols, Tone } from "../theme.ts";
import { diffRows } from "./diff-rows.ts";
import { type Folded, foldedRows, foldedText } from "./folded.ts";
import { readable } from "./values.ts";

/** Visible input rows of a finished call. The rest is folded. */
export const INPUT_ROWS = 6;
export const OUTPUT_ROWS = 10;
/** Visible rows of a diff. */
const DIFF_ROWS = 20;
/** Visible input rows, and output rows, of a running call: the live region is small. */
const LIVE_ROWS = 4;

export interface ToolRowsOptions extends Surface {
  /** Whether to show all of the input and the output. @default false */
  readonly unfolded?: boolean;
  /** Approvals whose whole input is already in the scrollback. @default none */
  readonly inputsAbove?: ReadonlySet<string>;
}

export interface PartRows {
  readonly rows: readonly Row[];
  readonly folded: readonly Folded[];
}

/** A tool call. Shows the end of a running call's output, and the start of a finished call's. */
export function toolRows(part: ChatToolPart, options: ToolRowsOptions): PartRows {
  const { columns, theme, unfolded = false, inputsAbove } = options;
  const { symbols } = theme;
  const [symbol, tone] = STATES[part.state];
  const says = stateWords(part);
  const name = nameOf(part);
  const head: Row = [
    { text: `${symbols[symbol]} `, tone },
    { text: name, tone: "strong" },
    { text: ` ${says}`, tone: tone === "ok" ? "dim" : tone },
  ];
  const hang: Span = { text: `  ${symbols.bar} `, tone: "dim" };
  const isOver = isToolOver(part);
  const rowsFor = (rows: number): number => (unfolded ? Number.POSITIVE_INFINITY : isOver ? rows : LIVE_ROWS);
  const isAbove = part.approval !== undefined && inputsAbove?.has(part.approval.id);
  const input = isAbove ? "(its input is above)" : readable(part.input);
  const asked = foldedRows(input, { columns, tone: "dim", hang, maxRows: rowsFor(INPUT_ROWS) });
  const said = foldedRows(part.output, {
    columns,
    tone: part.state === "failed" ? "error" : "plain",
    hang,
    maxRows: rowsFor(OUTPUT_ROWS),
    shows: isOver ? "start" : "end",
  });
  const edits = isAbove
    ? []
    : (part.preview ?? []).map((edit) => editRows(edit, hang, options, rowsFor(DIFF_ROWS)));
  const more = contentRow(part, hang);
  return {
    rows: [
      clippedRow(head, columns),
      ...asked.rows,
      ...edits.flatMap(({ rows }) => rows),
      ...said.rows,
      ...(more ? [clippedRow(more, columns)] : []),
    ],
    folded: [
      ...(asked.isFolded ? [foldedText(`The input of ${name}`, input)] : []),
      ...edits.flatMap(({ folded }) => folded),
      ...(said.isFolded ? [foldedText(`The output of ${name}`, part.output)] : []),
    ],
  };
}

/** A change of a call. */
function editRows({ path, diff, by }: ToolPreview, hang: Span, surface: Surface, maxRows: number): PartRows {
  const title = `The change of ${inLine(path)}${by === "agent" ? ", as the agent states it" : ""}`;
  const head: Row = [hang, { text: `${title}:`, tone: "dim" }];
  const { rows, folded } = foldedDiff(title, path, diff, hang, surface, maxRows);
  return { rows: [clippedRow(head, surface.columns), ...rows], folded };
}

/** A diff of at most `maxRows`. */
export function foldedDiff(
  title: string,
  path: string,
  diff: string,
  hang: Span,
  { columns, theme }: Surface,
  maxRows = DIFF_ROWS,
): PartRows {
  const { rows, isFolded } = diffRows(diff, { path, columns, theme, hang, maxRows });
  const all = (surface: Surface): readonly Row[] =>
    diffRows(diff, { columns: surface.columns, theme: surface.theme, path, hang, folds: false }).rows;
  return { rows, folded: isFolded ? [{ title, rows: all }] : [] };
}

export function isToolOver({ state }: ChatToolPart): boolean {
  return state === "done" || state === "failed" || state === "denied" || state === "abandoned";
}

/** A call in a few words: `shell runs`. */
export function toolWords(part: ChatToolPart): string {
  return `${nameOf(part)} ${stateWords(part)}`;
}

function nameOf({ name }: ChatToolPart): string {
  return inLine(name) || "a tool without a name";
}

function stateWords({ state, approval }: ChatToolPart): string {
  return state === "denied" ? deniedWords(approval?.reason) : STATES[state][2];
}

const STATES: Readonly<Record<ToolCallState, readonly [keyof Symbols, Tone, string]>> = {
  requested: ["running", "tool", "is requested"],
  awaiting: ["waiting", "warn", "waits for your decision"],
  approved: ["running", "tool", "is approved"],
  running: ["running", "tool", "runs"],
  done: ["done", "ok", "is done"],
  failed: ["failed", "error", "has failed"],
  denied: ["failed", "error", "was denied"],
  abandoned: ["failed", "error", "was given up, and may still run"],
};

/** A decision denies a call, or the turn or connection ended before a decision. */
function deniedWords(reason: ResolvedReason | undefined): string {
  if (reason === undefined || reason === "user") return "was denied";
  return reason === "policy" ? "was denied (policy)" : `was not run: ${reason}`;
}

function contentRow({ content, output }: ChatToolPart, hang: Span): Row | undefined {
  const types = content.map(({ type }) => type).filter((type) => type !== "text");
  const kinds = types
    .filter((type) => type !== "json" || output === "")
    .map((type) => type.replaceAll("_", " "));
  return kinds.length === 0 ? undefined : [hang, { text: `with ${kinds.join(", ")}`, tone: "dim" }];
}
