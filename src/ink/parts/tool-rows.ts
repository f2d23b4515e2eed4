// The rows of a tool call.

import type { ToolCallState, ToolPreview } from "../../core/values.ts";
import { inputBeside, inputText } from "../../screens/tool/tool-input.ts";
import { isToolOver, type ShownTool, toolView } from "../../screens/tool/tool-view.ts";
import type { TerminalText, TerminalWords } from "../../screens/words-terminal.ts";
import type { ResolvedReason } from "../../universal/events.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { clipped, clippedRow, inLine, type Row, type Span, type Surface } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { type Symbols, screenWords, type Tone } from "../theme.ts";
import { diffRows } from "./diff-rows.ts";
import { type Folded, foldedRows, foldedText } from "./folded.ts";

/** Visible input rows of a finished call. The rest is folded. */
export const INPUT_ROWS = 6;
export const OUTPUT_ROWS = 10;
/** Visible rows of a diff. */
const DIFF_ROWS = 20;
/** Visible input rows, and output rows, of a running call: the live region is small. */
const LIVE_ROWS = 4;
/** Columns of a title beside a long outcome. */
const MIN_TITLE = 8;

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
  const words = screenWords(theme);
  const view = toolView(part);
  const { title, head } = headOf(part, view, options);
  const hang: Span = { text: `  ${theme.symbols.bar} `, tone: "dim" };
  const isOver = isToolOver(part);
  const rowsFor = (rows: number): number => (unfolded ? Number.POSITIVE_INFINITY : isOver ? rows : LIVE_ROWS);
  const isAbove = part.approval !== undefined && inputsAbove?.has(part.approval.id);
  const isWhole = unfolded || title.endsWith("..."); // the title is cut
  const whole = inputText(part.input, part.kind);
  const hasChanges = [...view.changes, ...view.pieces].some((each) => "diff" in each);
  const input = isAbove ? words.toolInputAbove : isWhole ? whole : inputBeside(part, hasChanges);
  const asked = foldedRows(input, { columns, tone: "dim", hang, words, maxRows: rowsFor(INPUT_ROWS) });
  const isCut = asked.isFolded || (!isAbove && input !== whole);
  const changes = isAbove ? [] : view.changes;
  const edits = changes.map((change) => changeRows(change, hang, options, rowsFor(DIFF_ROWS)));
  const pieces = view.pieces.map((piece) => {
    if (piece.type === "diff") return changeRows(piece, hang, options, rowsFor(DIFF_ROWS));
    const { text, path } = piece;
    const { rows, isFolded } = foldedRows(text, {
      columns,
      tone: part.state === "failed" ? "error" : "plain",
      hang,
      words,
      maxRows: rowsFor(OUTPUT_ROWS),
      shows: isOver ? "start" : "end",
    });
    const name = inLine(path);
    const label: Row = [hang, { text: `${name}:`, tone: "dim" }];
    const isNamed = name !== "" && !title.includes(name);
    return {
      rows: isNamed ? [clippedRow(label, columns), ...rows] : rows,
      folded: isFolded ? [foldedText(words.foldedOutput(name || title), text)] : [],
    };
  });
  const more = contentRow(part, hang, words);
  const all = [...edits, ...pieces];
  return {
    rows: [
      head,
      ...asked.rows,
      ...all.flatMap(({ rows }) => rows),
      ...(more ? [clippedRow(more, columns)] : []),
    ],
    folded: [
      ...(isCut ? [foldedText(words.foldedInput(title), whole)] : []),
      ...all.flatMap(({ folded }) => folded),
    ],
  };
}

/** The first row. A long title is cut, so that the outcome stays. */
function headOf(
  part: ChatToolPart,
  { title, exit, hasFailed }: ShownTool,
  { columns, theme }: Surface,
): { readonly title: string; readonly head: Row } {
  const words = screenWords(theme);
  const [symbol, tone] = STATES[hasFailed ? "failed" : part.state];
  const says = ` ${exit === undefined ? stateWords(part, words) : words.toolExit(exit)}`;
  const mark = `${theme.symbols[symbol]} `;
  const name = clipped(
    inLine(title) || words.toolNameless,
    Math.max(MIN_TITLE, columns - widthOf(mark + says)),
  );
  const head: Row = [
    { text: mark, tone },
    { text: name, tone: "strong" },
    { text: says, tone: tone === "ok" ? "dim" : tone },
  ];
  return { title: name, head: clippedRow(head, columns) };
}

/** A change of a call. */
function changeRows(
  { path, diff, by }: Pick<ToolPreview, "path" | "diff"> & Partial<Pick<ToolPreview, "by">>,
  hang: Span,
  surface: Surface,
  maxRows: number,
): PartRows {
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

/** A call in a few words: `Run ls runs`. */
export function callWords(part: ChatToolPart, words: TerminalWords): string {
  return `${inLine(part.title || part.name) || words.toolNameless} ${stateWords(part, words)}`;
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

/** Content that is no text, such as images. */
function contentRow({ content }: ChatToolPart, hang: Span, words: TerminalWords): Row | undefined {
  const types = content.map(({ type }) => type).filter((type) => !IN_VIEW.has(type));
  const kinds = types.map((type) => type.replaceAll("_", " "));
  return kinds.length === 0 ? undefined : [hang, { text: words.toolWith(kinds.join(", ")), tone: "dim" }];
}

/** Content that `toolView` shows. */
const IN_VIEW: ReadonlySet<string> = new Set(["text", "json", "file_ref"]);
