// The rows of a tool call.

import type { ToolCallState, ToolPreview } from "../../core/values.ts";
import type { TerminalText, TerminalWords } from "../../screens/words-terminal.ts";
import type { ResolvedReason } from "../../universal/events.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { clippedRow, inLine, type Row, type Span, type Surface } from "../rows/row.ts";
import { type Symbols, screenWords, type Tone } from "../theme.ts";
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
  const words = screenWords(theme);
  const [symbol, tone] = STATES[part.state];
  const says = stateWords(part, words);
  const name = nameOf(part, words);
  const head: Row = [
    { text: `${symbols[symbol]} `, tone },
    { text: name, tone: "strong" },
    { text: ` ${says}`, tone: tone === "ok" ? "dim" : tone },
  ];
  const hang: Span = { text: `  ${symbols.bar} `, tone: "dim" };
  const isOver = isToolOver(part);
  const rowsFor = (rows: number): number => (unfolded ? Number.POSITIVE_INFINITY : isOver ? rows : LIVE_ROWS);
  const isAbove = part.approval !== undefined && inputsAbove?.has(part.approval.id);
  const input = isAbove ? words.toolInputAbove : readable(part.input);
  const asked = foldedRows(input, { columns, tone: "dim", hang, words, maxRows: rowsFor(INPUT_ROWS) });
  const said = foldedRows(part.output, {
    columns,
    tone: part.state === "failed" ? "error" : "plain",
    hang,
    words,
    maxRows: rowsFor(OUTPUT_ROWS),
    shows: isOver ? "start" : "end",
  });
  const edits = isAbove
    ? []
    : (part.preview ?? []).map((edit) => editRows(edit, hang, options, rowsFor(DIFF_ROWS)));
  const more = contentRow(part, hang, words);
  return {
    rows: [
      clippedRow(head, columns),
      ...asked.rows,
      ...edits.flatMap(({ rows }) => rows),
      ...said.rows,
      ...(more ? [clippedRow(more, columns)] : []),
    ],
    folded: [
      ...(asked.isFolded ? [foldedText(words.foldedInput(name), input)] : []),
      ...edits.flatMap(({ folded }) => folded),
      ...(said.isFolded ? [foldedText(words.foldedOutput(name), part.output)] : []),
    ],
  };
}

/** A change of a call. */
function editRows({ path, diff, by }: ToolPreview, hang: Span, surface: Surface, maxRows: number): PartRows {
  const title = screenWords(surface.theme).foldedChange(inLine(path), by === "agent");
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
export function toolWords(part: ChatToolPart, words: TerminalWords): string {
  return `${nameOf(part, words)} ${stateWords(part, words)}`;
}

function nameOf({ name }: ChatToolPart, words: TerminalWords): string {
  return inLine(name) || words.toolNameless;
}

function stateWords({ state, approval }: ChatToolPart, words: TerminalWords): string {
  return state === "denied" ? deniedWords(approval?.reason, words) : words[STATES[state][2]];
}

const STATES: Readonly<Record<ToolCallState, readonly [keyof Symbols, Tone, TerminalText]>> = {
  requested: ["running", "tool", "toolRequested"],
  awaiting: ["waiting", "warn", "toolAwaiting"],
  approved: ["running", "tool", "toolApproved"],
  running: ["running", "tool", "toolRuns"],
  done: ["done", "ok", "toolDone"],
  failed: ["failed", "error", "toolFailed"],
  denied: ["failed", "error", "toolDenied"],
  abandoned: ["failed", "error", "toolAbandoned"],
};

/** A decision denies a call, or the turn or connection ended before a decision. */
function deniedWords(reason: ResolvedReason | undefined, words: TerminalWords): string {
  if (reason === undefined || reason === "user") return words.toolDenied;
  return reason === "policy" ? words.toolDeniedByPolicy : words.toolNotRun(reason);
}

function contentRow({ content, output }: ChatToolPart, hang: Span, words: TerminalWords): Row | undefined {
  const types = content.map(({ type }) => type).filter((type) => type !== "text");
  const kinds = types
    .filter((type) => type !== "json" || output === "")
    .map((type) => type.replaceAll("_", " "));
  return kinds.length === 0 ? undefined : [hang, { text: words.toolWith(kinds.join(", ")), tone: "dim" }];
}
