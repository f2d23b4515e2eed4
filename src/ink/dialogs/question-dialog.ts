// The rows of a question's dialog.
import { type ComposerRows, composerRows } from "../composer/composer-rows.ts";
import { emptyEditor } from "../composer/editor.ts";
import { clipped, clippedRow, displayed, inLine, type Row, rowsOf, type Span } from "../rows/row.ts";
import type { Theme } from "../theme.ts";
import { type DialogOptions, type DialogRows, insteadRows } from "./dialog.ts";
import { type PendingQuestion, type QuestionState, takesText } from "./question-state.ts";

type Item = PendingQuestion["questions"][number];

export function questionText(
  pending: PendingQuestion,
  state: QuestionState,
  columns: number,
  theme: Theme,
): readonly Row[] {
  const item = pending.questions[state.answers.length];
  const count = pending.questions.length;
  const which = count > 1 ? `(${state.answers.length + 1} of ${count}) ` : "";
  const header = item?.header ? `${inLine(item.header)}: ` : "";
  return rowsOf(`${which}${header}${displayed(item?.question ?? "").trim()}`, "strong", {
    columns,
    lead: { text: `${theme.symbols.waiting} `, tone: "warn" },
    hang: { text: "  ", tone: "plain" },
  });
}

/** Whether the dialog has room for the question and at least two of its choices. */
export function fitsQuestion(
  pending: PendingQuestion,
  state: QuestionState,
  { columns, theme, maxRows }: DialogOptions,
): boolean {
  return questionText(pending, state, columns, theme).length + 3 <= maxRows;
}

export interface QuestionRowsOptions extends DialogOptions {
  /** The question was printed above the dialog, because it does not fit. */
  readonly isTextAbove?: boolean;
}

export function questionRows(
  pending: PendingQuestion,
  state: QuestionState,
  options: QuestionRowsOptions,
): DialogRows {
  const { columns, theme, maxRows, isTextAbove = false, instead } = options;
  const item = pending.questions[state.answers.length];
  if (!item) return { rows: [] };
  const above: Row = clippedRow(
    [{ text: `${theme.symbols.waiting} The question is above.`, tone: "warn" }],
    columns,
  );
  const head = isTextAbove ? [above] : questionText(pending, state, columns, theme);
  if (instead !== undefined) return { rows: [...head, ...insteadRows(instead, columns)].slice(-maxRows) };
  const height = Math.max(1, maxRows - head.length);
  const entry = takesText(pending, state) ? entryRows(state, columns, theme, height) : undefined;
  const needed = entry ? entry.rows.length : item.options.length;
  const hint = hintRows(pending, item, state, columns);
  const isHinted = height >= needed + hint.length || (state.isUnanswered === true && !entry);
  const hints = isHinted ? hint : hint.slice(0, Math.max(0, height - needed));
  const space = height - (entry?.rows.length ?? 0) - hints.length;
  const first = Math.max(0, Math.min(state.at - Math.floor(space / 2), item.options.length - space));
  const choices = item.options
    .slice(first, first + Math.max(0, space))
    .map((_, index) => choiceRow(item, state, first + index, columns, theme));
  const all = [...head, ...choices, ...(entry?.rows ?? []), ...hints];
  const dropped = Math.max(0, all.length - maxRows);
  const rows = all.slice(dropped);
  if (!entry) return { rows };
  const { x, y } = entry.cursor;
  return { rows, cursor: { x, y: head.length + choices.length + y - dropped } };
}

function entryRows({ free }: QuestionState, columns: number, theme: Theme, maxRows: number): ComposerRows {
  return composerRows(free ?? emptyEditor, { columns, theme, maxRows, placeholder: "your answer" });
}

function choiceRow(
  item: Item,
  state: QuestionState,
  index: number,
  columns: number,
  { symbols }: Theme,
): Row {
  const option = item.options[index];
  const isPointed = index === state.at && !state.free;
  const box = item.multi_select ? `${state.ticked.has(index) ? symbols.chosen : symbols.unchosen} ` : "";
  const text = `${isPointed ? symbols.pointer : " "} ${index < 9 ? index + 1 : " "} ${box}${inLine(option?.label ?? "")}`;
  const tone = isPointed ? "selected" : state.free ? "dim" : "plain";
  const label: Span = { text: clipped(text, columns), tone };
  const description = option?.description ? ` ${symbols.separator} ${inLine(option.description)}` : "";
  return clippedRow(
    [label, ...(description === "" ? [] : [{ text: description, tone: "dim" as const }])],
    columns,
  );
}

/** The keys that work now, or why Enter did nothing. */
function hintRows(
  pending: PendingQuestion,
  item: Item,
  state: QuestionState,
  columns: number,
): readonly Row[] {
  const text = `${keysOf(pending, item, state)}${escapeOf(pending, item, state)}`;
  return rowsOf(text, state.isUnanswered ? "warn" : "dim", { columns });
}

function keysOf(pending: PendingQuestion, { multi_select: isMany }: Item, state: QuestionState): string {
  const { isUnanswered, ticked } = state;
  if (takesText(pending, state)) {
    if (isUnanswered) return "nothing is written: type an answer, ";
    const isAlone = ticked.size > 0 && isMany;
    return isAlone ? "Enter answers with this alone, not with the ticks, " : "Enter answers with this, ";
  }
  if (isUnanswered) return "nothing is ticked: Space or a digit ticks, ";
  return isMany
    ? "Space or a digit ticks, Enter answers, text: your own, "
    : "arrows or a digit choose, Enter answers, text: your own, ";
}

function escapeOf(pending: PendingQuestion, item: Item, { free, answers }: QuestionState): string {
  if (free && item.options.length > 0) return "Esc: back to the choices";
  if (answers.length > 0) return "Esc: question before";
  return pending.questions.length > 1 ? "Esc: no answer to all" : "Esc: no answer";
}
