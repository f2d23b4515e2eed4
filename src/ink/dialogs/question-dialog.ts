import type { ChatPending } from "../../chat/pending.ts";
import type { Answer } from "../../core/values.ts";
import { composerRows } from "../composer/composer-rows.ts";
import { emptyEditor } from "../composer/editor.ts";
import type { Press } from "../press.ts";
import { clipped, clippedRow, displayed, inLine, type Row, rowsOf, type Span } from "../rows/row.ts";
import type { Theme } from "../theme.ts";
import { type DialogOptions, type DialogRows, type Entry, entryOf, stepEntry } from "./dialog.ts";

export type PendingQuestion = Extract<ChatPending, { readonly type: "question" }>;
type Item = PendingQuestion["questions"][number];

export interface QuestionState {
  /** The answers to the questions before. */
  readonly answers: readonly (readonly string[])[];
  /** The choice that the arrows point at. */
  readonly at: number;
  /** The choices that are taken, where several may be. */
  readonly taken: ReadonlySet<number>;
  /** The free answer that the user writes. */
  readonly free?: Entry;
}

export const newQuestion: QuestionState = { answers: [], at: 0, taken: new Set() };

export type QuestionStep =
  | { readonly type: "open"; readonly state: QuestionState }
  | { readonly type: "answered"; readonly answer: Answer };

/** The dialog after a key. */
export function stepQuestion(state: QuestionState, press: Press, pending: PendingQuestion): QuestionStep {
  const item = pending.questions[state.answers.length];
  if (!item) return { type: "answered", answer: state.answers };
  const isEscape = press.type === "key" && press.key === "escape";
  const isFreeOnly = item.options.length === 0;
  if (isEscape && (!state.free || isFreeOnly)) return { type: "answered", answer: null };
  if (isEscape) return open({ answers: state.answers, at: state.at, taken: state.taken });
  if (state.free || isFreeOnly) return stepFree(state, state.free ?? emptyEditor, press, pending);
  if (press.type === "text") return typed(state, item, press.text, pending);
  const count = item.options.length;
  switch (press.key) {
    case "up":
    case "left":
      return open({ ...state, at: (state.at + count - 1) % count });
    case "down":
    case "right":
    case "tab":
      return open({ ...state, at: (state.at + 1) % count });
    case "enter":
      return answered(state, labelsOf(item, state), pending);
    default:
      return open(state);
  }
}

/** Whether the question takes text now: it has no choices, or the user has begun a free answer. */
export function takesText(pending: PendingQuestion, state: QuestionState): boolean {
  return state.free !== undefined || pending.questions[state.answers.length]?.options.length === 0;
}

function typed(state: QuestionState, item: Item, text: string, pending: PendingQuestion): QuestionStep {
  if (item.multi_select && text === " ") return open(toggled(state, state.at));
  const at = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
  const option = item.options[at];
  if (!option) return open({ ...state, free: entryOf(text) });
  if (item.multi_select) return open(toggled({ ...state, at }, at));
  return answered(state, [option.label], pending);
}

function stepFree(state: QuestionState, free: Entry, press: Press, pending: PendingQuestion): QuestionStep {
  const next = stepEntry(free, press);
  if (next !== "submit") return open({ ...state, free: next });
  const text = free.text.trim();
  return text === "" ? open({ ...state, free }) : answered(state, [text], pending);
}

function toggled(state: QuestionState, at: number): QuestionState {
  const taken = new Set(state.taken);
  if (!taken.delete(at)) taken.add(at);
  return { ...state, taken };
}

/** The labels that are taken; the one that the arrows point at, if none is. */
function labelsOf(item: Item, { at, taken }: QuestionState): readonly string[] {
  const labels = item.options.filter((_, index) => taken.has(index)).map(({ label }) => label);
  const pointed = item.options[at];
  return labels.length > 0 || !pointed ? labels : [pointed.label];
}

function answered(state: QuestionState, labels: readonly string[], pending: PendingQuestion): QuestionStep {
  const answers = [...state.answers, labels];
  if (answers.length === pending.questions.length) return { type: "answered", answer: answers };
  return open({ ...newQuestion, answers });
}

function open(state: QuestionState): QuestionStep {
  return { type: "open", state };
}

/** The text of the question that is asked now. */
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
  /** The text of the question was printed above the dialog, because it is longer than the dialog may be. */
  readonly isTextAbove?: boolean;
}

export function questionRows(
  pending: PendingQuestion,
  state: QuestionState,
  options: QuestionRowsOptions,
): DialogRows {
  const { columns, theme, maxRows, isTextAbove = false } = options;
  const item = pending.questions[state.answers.length];
  if (!item) return { rows: [] };
  const above: Row = clippedRow(
    [{ text: `${theme.symbols.waiting} The question is above.`, tone: "warn" }],
    columns,
  );
  const head = isTextAbove ? [above] : questionText(pending, state, columns, theme);
  const room = Math.max(1, maxRows - head.length);
  if (state.free || item.options.length === 0) {
    const { rows, cursor } = composerRows(state.free ?? emptyEditor, {
      columns,
      theme,
      maxRows: room,
      placeholder: "your answer, then Enter; Esc: none",
    });
    const all = [...head, ...rows];
    const dropped = Math.max(0, all.length - maxRows);
    return { rows: all.slice(dropped), cursor: { x: cursor.x, y: head.length + cursor.y - dropped } };
  }
  const hint: Row = clippedRow([{ text: hintOf(item), tone: "dim" }], columns);
  const space = room > item.options.length ? room - 1 : room;
  const first = Math.max(0, Math.min(state.at - Math.floor(space / 2), item.options.length - space));
  const choices = item.options
    .slice(first, first + space)
    .map((_, index) => choiceRow(item, state, first + index, columns, theme));
  const all = [...head, ...choices, ...(room > item.options.length ? [hint] : [])];
  return { rows: all.slice(Math.max(0, all.length - maxRows)) };
}

function choiceRow(
  item: Item,
  state: QuestionState,
  index: number,
  columns: number,
  { symbols }: Theme,
): Row {
  const option = item.options[index];
  const isPointed = index === state.at;
  const box = item.multi_select ? `${state.taken.has(index) ? symbols.chosen : symbols.unchosen} ` : "";
  const text = `${isPointed ? symbols.pointer : " "} ${index < 9 ? index + 1 : " "} ${box}${inLine(option?.label ?? "")}`;
  const label: Span = { text: clipped(text, columns), tone: isPointed ? "selected" : "plain" };
  const description = option?.description ? ` ${inLine(option.description)}` : "";
  return clippedRow(
    [label, ...(description === "" ? [] : [{ text: description, tone: "dim" as const }])],
    columns,
  );
}

function hintOf({ multi_select: isMany }: Item): string {
  return isMany
    ? "Space takes, Enter answers, text: your own answer, Esc: none"
    : "Enter or a digit answers, text: your own answer, Esc: none";
}
