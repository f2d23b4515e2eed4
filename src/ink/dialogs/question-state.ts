// The state of a question's dialog, as a pure function of keys.
import type { ChatPending } from "../../chat/pending.ts";
import type { Answer } from "../../core/values.ts";
import { emptyEditor } from "../composer/editor.ts";
import type { Press } from "../press.ts";
import { type Entry, entryOf, stepEntry } from "./dialog.ts";

export type PendingQuestion = Extract<ChatPending, { readonly type: "question" }>;
type Item = PendingQuestion["questions"][number];

export interface QuestionState {
  readonly answers: readonly (readonly string[])[];
  /** The choice that the arrows or a digit highlight. */
  readonly at: number;
  readonly ticked: ReadonlySet<number>;
  /** The digits typed last in a question with one answer. They may begin a free answer. */
  readonly digits: string;
  readonly free?: Entry;
  /** Enter was pressed without a ticked choice or text. */
  readonly isUnanswered?: boolean;
}

export const newQuestion: QuestionState = { answers: [], at: 0, ticked: new Set(), digits: "" };

export type QuestionStep =
  | { readonly type: "open"; readonly state: QuestionState }
  | { readonly type: "answered"; readonly answer: Answer };

/**
 * Handles a key. Only Enter answers. Esc goes back: from a free answer to the choices, or to the previous question. At
 * the first question, Esc leaves all questions unanswered.
 */
export function stepQuestion(
  { isUnanswered: _, ...state }: QuestionState,
  press: Press,
  pending: PendingQuestion,
): QuestionStep {
  const item = pending.questions[state.answers.length];
  if (!item) return { type: "answered", answer: state.answers };
  const isEscape = press.type === "key" && press.key === "escape";
  const isFreeOnly = item.options.length === 0;
  if (isEscape && state.free && !isFreeOnly)
    return open({ answers: state.answers, at: state.at, ticked: state.ticked, digits: "" });
  if (isEscape)
    return state.answers.length === 0
      ? { type: "answered", answer: null }
      : open(reopened(state.answers, pending));
  if (state.free || isFreeOnly) return stepFree(state, state.free ?? emptyEditor, press, pending);
  if (press.type === "text") return open(typed(state, item, press.text));
  const count = item.options.length;
  const moved = { ...state, digits: "" };
  switch (press.key) {
    case "up":
    case "left":
      return open({ ...moved, at: (state.at + count - 1) % count });
    case "down":
    case "right":
    case "tab":
      return open({ ...moved, at: (state.at + 1) % count });
    case "enter": {
      const labels = labelsOf(item, state);
      return labels.length === 0 ? open({ ...moved, isUnanswered: true }) : answered(state, labels, pending);
    }
    default:
      return open(moved);
  }
}

/** Whether the question takes text: it has no choices, or the user has begun a free answer. */
export function takesText(pending: PendingQuestion, state: QuestionState): boolean {
  return state.free !== undefined || pending.questions[state.answers.length]?.options.length === 0;
}

/** A digit highlights or ticks a choice. Other text begins a free answer. */
function typed(state: QuestionState, item: Item, text: string): QuestionState {
  const at = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
  const isChoice = item.options[at] !== undefined;
  if (item.multi_select && text === " ") return toggled(state, state.at);
  if (item.multi_select && isChoice) return toggled({ ...state, at }, at);
  if (isChoice) return { ...state, at, digits: state.digits + text };
  return { ...state, digits: "", free: entryOf(state.digits + text) };
}

function stepFree(state: QuestionState, free: Entry, press: Press, pending: PendingQuestion): QuestionStep {
  const next = stepEntry(free, press);
  if (next !== "submit") return open({ ...state, free: next });
  const text = free.text.trim();
  return text === "" ? open({ ...state, free, isUnanswered: true }) : answered(state, [text], pending);
}

function reopened(given: QuestionState["answers"], pending: PendingQuestion): QuestionState {
  const answers = given.slice(0, -1);
  const said = given.at(-1) ?? [];
  const options = pending.questions[answers.length]?.options ?? [];
  const chosen = options.flatMap(({ label }, index) => (said.includes(label) ? [index] : []));
  const [at = 0] = chosen;
  const isFree = chosen.length === 0;
  return {
    ...newQuestion,
    answers,
    at,
    ticked: new Set(chosen),
    ...(isFree ? { free: entryOf(said.join(" ")) } : {}),
  };
}

function toggled(state: QuestionState, at: number): QuestionState {
  const ticked = new Set(state.ticked);
  if (!ticked.delete(at)) ticked.add(at);
  return { ...state, ticked };
}

/** The ticked labels, or the highlighted label of a question with one answer. */
function labelsOf(item: Item, { at, ticked }: QuestionState): readonly string[] {
  return item.options
    .filter((_, index) => (item.multi_select ? ticked.has(index) : index === at))
    .map(({ label }) => label);
}

function answered(state: QuestionState, labels: readonly string[], pending: PendingQuestion): QuestionStep {
  const answers = [...state.answers, labels];
  if (answers.length === pending.questions.length) return { type: "answered", answer: answers };
  return open({ ...newQuestion, answers });
}

function open(state: QuestionState): QuestionStep {
  return { type: "open", state };
}
