// The empty rows between the parts of an answer: around texts and plans, but not between tool calls and other steps.
import type { ChatPart } from "../../universal/transcript/message.ts";
import { EMPTY_ROW, type Row } from "../rows/row.ts";

/** What stands in an answer. */
export type Stacked = "text" | "step" | "plan";

export function stackedAs({ type }: ChatPart): Stacked {
  return type === "text" ? "text" : "step";
}

/** The rows between two of them. Nothing is above the first. */
export function gapBetween(above: Stacked | undefined, below: Stacked): readonly Row[] {
  const isDense = above === undefined || (above === "step" && below === "step");
  return isDense ? [] : [EMPTY_ROW];
}

/** The parts with the rows between them. */
export function stackedRows(
  parts: Iterable<ChatPart>,
  rowsFor: (part: ChatPart) => readonly Row[],
): readonly Row[] {
  const all: Row[] = [];
  let above: Stacked | undefined;
  for (const part of parts) {
    const rows = rowsFor(part);
    if (rows.length === 0) continue;
    const below = stackedAs(part);
    all.push(...gapBetween(above, below), ...rows);
    above = below;
  }
  return all;
}
