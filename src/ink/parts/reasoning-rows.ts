// The rows of a reasoning, open or finished.
import type { ChatReasoningPart } from "../../universal/transcript/message.ts";
import { clippedRow, displayed, endOf, type Row, rowsOf } from "../rows/row.ts";
import type { Theme } from "../theme.ts";

export interface ReasoningRowsOptions {
  readonly columns: number;
  readonly theme: Theme;
  /** Whether to show only that and how long the agent thinks. @default true */
  readonly folded?: boolean;
  /** How long the agent has thought, in whole seconds. Absent: not known, such as in a restored chat. */
  readonly seconds?: number | undefined;
}

/** Characters at the end of a reasoning in which its last line is looked for. */
const MAX_LAST_LINE = 1_000;

/** Reasoning. Folded: one row while it is open, with the end of its last line, and one row at the end. Unfolded: all of it. */
export function reasoningRows(given: ChatReasoningPart, options: ReasoningRowsOptions): readonly Row[] {
  const { columns, theme, folded = true } = options;
  const part = withoutPrivate(given);
  const head = reasoningHead(part, options);
  if (!folded)
    return [head, ...rowsOf(displayed(part.text).trimEnd(), "dim", { columns, hang: reasoningHang(theme) })];
  if (!part.open) return [head];
  const last = displayed(part.text.slice(-MAX_LAST_LINE)).trimEnd().split("\n").at(-1) ?? "";
  return last === ""
    ? [head]
    : [head, [reasoningHang(theme), { text: endOf(last, Math.max(1, columns - 4)), tone: "dim" }]];
}

/** A reasoning as it may be shown: of a private one that and how long the agent thinks, and no text. */
export function withoutPrivate(part: ChatReasoningPart): ChatReasoningPart {
  return part.visibility === "private" ? { ...part, text: "" } : part;
}

/** `Thinking 3 s`, or `Thought for 3 s`; `Thought` alone for less than a second. */
export function reasoningHead(
  { open }: Pick<ChatReasoningPart, "open">,
  { columns, theme, seconds }: ReasoningRowsOptions,
): Row {
  const since = seconds === undefined || (!open && seconds === 0) ? "" : ` ${open ? "" : "for "}${seconds} s`;
  const symbol = open ? theme.symbols.running : theme.symbols.done;
  return clippedRow([{ text: `${symbol} ${open ? "Thinking" : "Thought"}${since}`, tone: "dim" }], columns);
}

/** The head in the scrollback of a reasoning that goes on: how long it takes is not known yet, and the head cannot change. */
export function openHead({ symbols }: Theme): Row {
  return [{ text: `${symbols.separator} Reasoning`, tone: "dim" }];
}

export function reasoningHang({ symbols }: Theme): { readonly text: string; readonly tone: "dim" } {
  return { text: `  ${symbols.bar} `, tone: "dim" };
}
