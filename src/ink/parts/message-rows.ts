// The rows of a prompt, and of the end of an answer.
import type { ChatMessage } from "../../universal/transcript/message.ts";
import type { ErrorDescription } from "../../universal/words/error-description.ts";
import {
  clippedRow,
  EMPTY_ROW,
  INDENT,
  inLine,
  marked,
  type Row,
  rowsOf,
  type Span,
  type Surface,
} from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { screenWords } from "../theme.ts";
import { foldedRows, foldedText } from "./folded.ts";
import type { PartRows } from "./tool-rows.ts";
import { moneyWords, usageWords } from "./words.ts";

/** Visible rows of a prompt. The rest is folded. */
export const PROMPT_ROWS = 12;

export interface MessageRowsOptions extends Surface {
  /** Whether the screen has `/retry`, which rows may mention. @default false */
  readonly hasCommands?: boolean;
}

/** A prompt, with the number of its files. */
export function promptRows(
  { parts, status }: ChatMessage,
  { columns, theme, hasCommands = false }: MessageRowsOptions,
): PartRows {
  const texts: string[] = [];
  let files = 0;
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    else files++;
  }
  const text = texts.join("\n");
  const words = screenWords(theme);
  const lead: Span = { text: `${theme.symbols.prompt} `, tone: "user" };
  const { rows, isFolded } = foldedRows(text, {
    columns,
    tone: "user",
    lead,
    hang: INDENT,
    maxRows: PROMPT_ROWS,
    shows: "both",
    words,
  });
  const more = files > 0 ? [words.promptWith(files)] : [];
  const back = hasCommands ? words.promptTakenBackRetry : words.promptTakenBack;
  const state = status === "queued" ? [words.promptWaits] : status === "cancelled" ? [back] : [];
  const noted = [...more, ...state].reduce((all, note) => withNote(all, `(${note})`, lead, columns), rows);
  return { rows: noted, folded: isFolded ? [foldedText(words.foldedPrompt, text)] : [] };
}

/** Adds a note to the last row of a prompt, or as a row of its own if the note does not fit. */
function withNote(rows: readonly Row[], note: string, lead: Span, columns: number): readonly Row[] {
  const last = rows.at(-1);
  if (!last) return [clippedRow([lead, { text: note, tone: "dim" }], columns)];
  const width = last.reduce((sum, { text }) => sum + widthOf(text), 0);
  if (width + 1 + note.length <= columns)
    return [...rows.slice(0, -1), [...last, { text: ` ${note}`, tone: "dim" }]];
  return [...rows, ...rowsOf(note, "dim", { columns, hang: INDENT })];
}

/** The end of a finished message: its error, or its time and cost. */
export function endRows(message: ChatMessage, options: MessageRowsOptions): readonly Row[] {
  const { columns, hasCommands = false } = options;
  const { role, status, error, parts } = message;
  const failed = error ? errorRows(error, options) : [];
  if (role !== "assistant") return failed;
  const gap = error && parts.length > 0 ? [EMPTY_ROW] : [];
  const words = screenWords(options.theme);
  const text = hasCommands ? words.endCancelledRetry : words.endCancelled;
  const cancelled = status === "cancelled" ? rowsOf(text, "warn", { columns }) : [];
  return [...gap, ...failed, ...cancelled, ...billRows(message, options)];
}

export function errorRows(
  { title, detail, retry }: ErrorDescription,
  { hasCommands = false, ...surface }: MessageRowsOptions,
): readonly Row[] {
  const below = { columns: surface.columns, hang: INDENT };
  const again = retry === "no" ? "" : screenWords(surface.theme).endRetry;
  return [
    ...rowsOf(inLine(title), "error", marked(surface, "failed", "error")),
    ...rowsOf(inLine(detail), "plain", below),
    ...(again === "" || !hasCommands ? [] : rowsOf(again, "dim", below)),
  ];
}

function billRows(message: ChatMessage, { columns, theme }: MessageRowsOptions): readonly Row[] {
  const { startedAt, endedAt, usage, cost, model } = message;
  const seconds = endedAt === undefined ? "0.0" : ((endedAt - startedAt) / 1_000).toFixed(1);
  const words = screenWords(theme);
  const facts = [
    ...(Number(seconds) > 0 ? [words.tenths(seconds)] : []),
    ...usageWords(usage ?? {}, words),
    ...(cost ? moneyWords([cost], words) : []),
    ...(model === undefined ? [] : [inLine(model)]),
  ];
  return facts.length === 0 ? [] : rowsOf(facts.join(` ${theme.symbols.separator} `), "dim", { columns });
}
