// The dialog of an approval, as a pure function of keys, and its rows.
import type { Decision } from "../../core/values.ts";
import { approvalText } from "../../screens/tool/approval-text.ts";
import { composerRows } from "../composer/composer-rows.ts";
import { emptyEditor } from "../composer/editor.ts";
import { countLines } from "../parts/folded.ts";
import type { Press, TextPress } from "../press.ts";
import { clipped, clippedRow, marked, type Piece, type Row, rowsOf, type Surface } from "../rows/row.ts";
import { screenWords } from "../theme.ts";
import {
  type ChoiceKey,
  choiceOf,
  choiceRows,
  DECISIONS,
  EVERY_CALL,
  everyCallRows,
  nextChoice,
  oneLine,
  type PendingApproval,
  visible,
} from "./approval-choices.ts";
import { type DialogOptions, type Entry, insteadRows, stepEntry } from "./dialog.ts";
import { previewRows } from "./preview-rows.ts";

export type { PendingApproval } from "./approval-choices.ts";

export interface ApprovalState {
  /** The highlighted choice. */
  readonly at: ChoiceKey;
  /** The second steps: `reason` after `r`, `isForEveryCall` after `e`. */
  readonly reason?: Entry;
  readonly isForEveryCall?: true;
}

/** An accidental Enter rejects. */
export const newApproval: ApprovalState = { at: "n" };

export type ApprovalStep =
  | { readonly type: "open"; readonly state: ApprovalState }
  | { readonly type: "decided"; readonly decision: Decision };

export function stepApproval(state: ApprovalState, press: Press, pending: PendingApproval): ApprovalStep {
  if (state.reason) return stepReason(state, state.reason, press);
  if (state.isForEveryCall) return stepEveryCall(state, press);
  if (press.type === "text") {
    const choice = choiceOf(press.text, pending);
    return choice ? chosen(state, choice) : { type: "open", state };
  }
  switch (press.key) {
    case "left":
    case "up":
      return { type: "open", state: { at: nextChoice(state.at, -1, pending) } };
    case "right":
    case "down":
    case "tab":
      return { type: "open", state: { at: nextChoice(state.at, 1, pending) } };
    case "enter":
      return chosen(state, state.at);
    default:
      return { type: "open", state };
  }
}

/** Whether the dialog is in a second step, which Esc leaves. */
export function isBehindChoice({ reason, isForEveryCall }: ApprovalState): boolean {
  return reason !== undefined || isForEveryCall === true;
}

/** Whether the dialog handles a key. Other text is for the composer. */
export function takesPress(state: ApprovalState, press: Press, pending: PendingApproval): boolean {
  if (press.type === "key" || state.reason) return true;
  return state.isForEveryCall ? isYesOrNo(press) : choiceOf(press.text, pending) !== undefined;
}

/** Whether a letter decides, or leads to what covers more. Such a letter must stand alone. `r` only opens a field for text. */
export function isDeciding(state: ApprovalState, press: TextPress, pending: PendingApproval): boolean {
  if (state.reason) return false;
  if (state.isForEveryCall) return isYesOrNo(press);
  const choice = choiceOf(press.text, pending);
  return choice !== undefined && choice !== "r";
}

function isYesOrNo({ text }: TextPress): boolean {
  return /^[yn]$/i.test(text);
}

/** With the pointer at the choice of a letter. */
export function pointed(state: ApprovalState, press: TextPress, pending: PendingApproval): ApprovalState {
  return state.isForEveryCall ? state : { at: choiceOf(press.text, pending) ?? state.at };
}

/** With the pointer where it was before a letter. */
export function unpointed(state: ApprovalState): ApprovalState {
  return state.isForEveryCall ? state : newApproval;
}

function chosen(state: ApprovalState, key: ChoiceKey): ApprovalStep {
  switch (key) {
    case "r":
      return { type: "open", state: { ...state, at: "r", reason: emptyEditor } };
    case "e":
      return { type: "open", state: { ...state, at: "e", isForEveryCall: true } };
    default:
      return { type: "decided", decision: DECISIONS[key] };
  }
}

/** Only `y` allows every call. Enter goes back. */
function stepEveryCall({ at, ...state }: ApprovalState, press: Press): ApprovalStep {
  const text = press.type === "text" ? press.text.toLowerCase() : undefined;
  if (text === "y") return { type: "decided", decision: EVERY_CALL };
  const isBack = text === "n" || (press.type === "key" && (press.key === "escape" || press.key === "enter"));
  return { type: "open", state: isBack ? { at } : { at, ...state } };
}

function stepReason(state: ApprovalState, entry: Entry, press: Press): ApprovalStep {
  if (press.type === "key" && press.key === "escape") return { type: "open", state: { at: state.at } };
  const next = stepEntry(entry, press);
  if (next !== "submit") return { type: "open", state: { ...state, reason: next } };
  const reason = entry.text.trim();
  return { type: "decided", decision: reason === "" ? "reject" : { decision: "reject", reason } };
}

export interface ApprovalRowsOptions extends DialogOptions {
  /** The input was printed above the dialog, because it does not fit. */
  readonly isInputAbove?: boolean;
  readonly further?: number;
}

/** With fewer columns, the input has no bar in front. */
const NARROW = 20;

/**
 * The whole input of the call. Calls that do not do the same have different rows. Hidden and control characters are shown as codes. A
 * row that continues the previous row begins with two blanks; other input rows do not. All lines of the
 * call's changes follow below the input.
 */
export function approvalInput(pending: PendingApproval, surface: Surface): readonly Row[] {
  const { tool, preview = [] } = pending;
  const { columns, theme } = surface;
  const words = screenWords(theme);
  const margin = columns < NARROW ? "" : `  ${theme.symbols.bar} `;
  const name = rowsOf(words.approvalAsks(oneLine(tool)), "warn", {
    columns,
    at: "hard",
    lead: { text: `${theme.symbols.waiting} `, tone: "warn" },
    hang: { text: margin === "" ? "  " : "    ", tone: "plain" },
  });
  const options = {
    columns,
    at: "hard",
    lead: { text: margin, tone: "warn" },
    hang: { text: `${margin}  `, tone: "warn" },
  } as const;
  const lines = (approvalText(pending, words.shownBelow) || words.approvalNoInput).split("\n");
  return [
    ...name,
    ...lines.flatMap((line) => rowsOf(visible(line), "plain", options)),
    ...previewRows(preview, margin, surface),
  ];
}

export function fitsApproval(pending: PendingApproval, options: DialogOptions): boolean {
  const { columns, maxRows } = options;
  const input = approvalText(pending, screenWords(options.theme).shownBelow);
  const text = [input, ...(pending.preview ?? []).map(({ diff }) => diff)].join("\n");
  if (text.length > columns * maxRows || countLines(text) > maxRows) return false;
  const choices = choiceRows(pending, newApproval.at, options);
  return approvalInput(pending, options).length + choices.length <= maxRows;
}

export function approvalRows(
  pending: PendingApproval,
  state: ApprovalState,
  options: ApprovalRowsOptions,
): Piece {
  const { columns, theme, maxRows, isInputAbove = false, further = 0, instead } = options;
  const words = screenWords(theme);
  const more = further > 0 ? ` (${words.approvalFurther(further)})` : "";
  const tool = clipped(oneLine(pending.tool), Math.max(8, columns - 30));
  const above = words.approvalAbove(tool) + more;
  const head: readonly Row[] = isInputAbove
    ? rowsOf(above, "warn", marked(options, "waiting", "warn"))
    : approvalInput(pending, options);
  if (state.reason && instead === undefined) {
    const says = rowsOf(words.approvalReason, "warn", { columns });
    const before = [...head, ...says];
    const space = Math.max(1, maxRows - before.length);
    const { rows, cursor } = composerRows(state.reason, { columns, theme, maxRows: space });
    const all = [...before, ...rows];
    const dropped = Math.max(0, all.length - maxRows);
    return { rows: all.slice(dropped), cursor: { x: cursor.x, y: cursor.y + before.length - dropped } };
  }
  const choices =
    instead !== undefined
      ? insteadRows(instead, columns)
      : state.isForEveryCall
        ? everyCallRows(pending, options)
        : choiceRows(pending, state.at, options);
  return { rows: [...cut(head, maxRows - choices.length, options), ...choices].slice(-maxRows) };
}

/** The first rows. If rows are missing, the last row says how many. */
function cut(rows: readonly Row[], maxRows: number, { columns, theme }: Surface): readonly Row[] {
  if (rows.length <= maxRows) return rows;
  const shown = Math.max(0, maxRows - 1);
  const text = `... ${screenWords(theme).approvalMissing(rows.length - shown)}`;
  const all = [...rows.slice(0, shown), clippedRow([{ text, tone: "warn" }], columns)];
  return all.slice(0, Math.max(0, maxRows));
}
