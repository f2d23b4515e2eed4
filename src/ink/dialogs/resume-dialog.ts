// The dialog that asks how to continue after the backend has lost the conversation.
import type { ChatResume } from "../../chat/chat.ts";
import type { Press } from "../press.ts";
import { type Row, rowsOf, type Span } from "../rows/row.ts";
import { type DialogOptions, type DialogRows, insteadRows } from "./dialog.ts";

/** The user's choice. Undefined: the key does nothing. */
export function stepResume(press: Press): ChatResume | undefined {
  if (press.type !== "text") return undefined;
  const key = press.text.toLowerCase();
  if (key === "y") return "with-transcript";
  return key === "n" ? "without-context" : undefined;
}

export function resumeRows({ columns, theme, maxRows, instead }: DialogOptions): DialogRows {
  const lead: Span = { text: `${theme.symbols.waiting} `, tone: "warn" };
  const hang: Span = { text: "  ", tone: "plain" };
  const full: readonly Row[] = [
    ...rowsOf(
      "The agent has forgotten this conversation. Send the transcript along with the next message?",
      "warn",
      { columns, lead, hang },
    ),
    ...(instead === undefined
      ? rowsOf("y yes, n no: go on without it", "plain", { columns, hang })
      : insteadRows(instead, columns)),
  ];
  if (full.length <= maxRows) return { rows: full };
  const short = instead ?? "Context lost. Send the transcript? y/n";
  return {
    rows: rowsOf(short, "warn", { columns, lead, hang }).slice(0, maxRows),
  };
}
