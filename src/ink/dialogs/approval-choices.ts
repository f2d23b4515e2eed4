// The choices of an approval: their keys, words and decisions.

import type { ChatPending } from "../../chat/pending.ts";
import { reveal } from "../../chat/print/reveal.ts";
import type { Decision } from "../../core/values.ts";
import { grantText } from "../../screens/tool/command.ts";
import type { TerminalWords } from "../../screens/words-terminal.ts";
import { clipped, type Row, rowsOf, type Span, type Surface } from "../rows/row.ts";
import { unitsOf } from "../rows/width.ts";
import { screenWords } from "../theme.ts";
import { flow } from "./dialog.ts";

export type PendingApproval = Extract<ChatPending, { readonly type: "approval" }>;

/** The user's choices. `isLasting`: only for a call that can get a grant. */
export const APPROVAL_CHOICES = [
  { key: "y", label: "choiceOnce", isLasting: false },
  { key: "t", label: "choiceTurn", isLasting: true },
  { key: "a", label: "choiceAlways", isLasting: true },
  { key: "n", label: "choiceReject", isLasting: false },
  { key: "r", label: "choiceReason", isLasting: false },
  { key: "e", label: "choiceEvery", isLasting: true },
] as const;

/** Columns below which the longest choice does not fit. */
const NARROW = 24;
/** Columns for all choices in one row, with gaps of two. */
const WIDE = 83;

export type ChoiceKey = (typeof APPROVAL_CHOICES)[number]["key"];

/** The decision of each choice. `r` and `e` open a second step. */
export const DECISIONS = {
  y: "once",
  t: { decision: "once", scope: "turn" },
  a: "always",
  n: "reject",
} as const satisfies Partial<Record<ChoiceKey, Decision>>;

export const EVERY_CALL: Decision = { decision: "always", tool: true };

function choicesFor({ grant }: PendingApproval): readonly (typeof APPROVAL_CHOICES)[number][] {
  return APPROVAL_CHOICES.filter(({ isLasting }) => grant !== undefined || !isLasting);
}

/** Accepts only the key alone, not a word that begins with it. */
export function choiceOf(text: string, pending: PendingApproval): ChoiceKey | undefined {
  return choicesFor(pending).find(({ key }) => key === text.toLowerCase())?.key;
}

export function nextChoice(at: ChoiceKey, by: 1 | -1, pending: PendingApproval): ChoiceKey {
  const choices = choicesFor(pending);
  const index = choices.findIndex(({ key }) => key === at);
  return choices[(index + choices.length + by) % choices.length]?.key ?? "n";
}

/** Rows that say which agent asks and what the lasting choices cover, and that list the choices. */
export function choiceRows(
  pending: PendingApproval,
  at: ChoiceKey,
  { columns, theme }: Surface,
): readonly Row[] {
  const { symbols } = theme;
  const says = screenWords(theme);
  const isNarrow = columns < NARROW;
  const items = choicesFor(pending).map(({ key, label }): Row => {
    const words = says[isNarrow && key === "r" ? "choiceReasonShort" : label];
    const text = `${key === at ? symbols.pointer : " "}${key} ${words}`;
    return [{ text, tone: key === at ? "selected" : "plain" }];
  });
  return [...wordRows(pending, columns, says), ...flow(items, columns, columns < WIDE ? 1 : 2)];
}

/** Maximum rows of a tool's name, and of what lasting choices cover. The rows above have the full text. */
const MAX_WORD_ROWS = 3;

const BLANK: Span = { text: " ", tone: "dim" };

function briefly(words: string, text: string, columns: number): string {
  const space = MAX_WORD_ROWS * (columns - 1);
  return clipped(words + oneLine(text.slice(0, unitsOf(space))), space);
}

function wordRows(
  { agent, grant, input }: PendingApproval,
  columns: number,
  words: TerminalWords,
): readonly Row[] {
  const rows = (says: string, text: string): readonly Row[] =>
    rowsOf(briefly(`${says} `, text, columns), "dim", { columns, lead: BLANK, hang: BLANK });
  return [
    ...(agent === undefined ? [] : rows(words.approvalAskedBy, agent)),
    ...(grant === undefined ? [] : rows(words.approvalAlways, grantText(grant, input, words))),
  ];
}

export function everyCallRows({ tool }: PendingApproval, { columns, theme }: Surface): readonly Row[] {
  const { approvalEvery, approvalEveryEnd, choiceEvery, choiceBack } = screenWords(theme);
  const text = `${briefly(`${approvalEvery} `, tool, columns)} ${approvalEveryEnd}`;
  const choices: readonly Row[] = [
    [{ text: ` y ${choiceEvery}`, tone: "plain" }],
    [{ text: `${theme.symbols.pointer}n ${choiceBack}`, tone: "selected" }],
  ];
  return [...rowsOf(text, "warn", { columns }), ...flow(choices, columns)];
}

/** The text in one line, with hidden characters revealed. */
export function oneLine(text: string): string {
  return visible(text).replaceAll("\n", "\\u{a}");
}

const TAB = "→   ";

/** The line with hidden characters, tabs and a trailing blank revealed. */
export function visible(line: string): string {
  return reveal(line).replace(/ $/, "\\u{20}").replaceAll("→", "\\u{2192}").replaceAll("\t", TAB);
}
