// The changes that a call would make, completely.
import type { ToolPreview } from "../../core/values.ts";
import { diffRows } from "../parts/diff-rows.ts";
import { type Row, rowsOf, type Span, type Surface } from "../rows/row.ts";
import { screenWords } from "../theme.ts";
import { oneLine, visible } from "./approval-choices.ts";

/** All lines of the diffs. Hidden and control characters are shown as codes. */
export function previewRows(
  preview: readonly ToolPreview[],
  margin: string,
  surface: Surface,
): readonly Row[] {
  if (preview.length === 0) return [];
  const { columns, theme } = surface;
  const words = screenWords(theme);
  const hang: Span = { text: margin, tone: "warn" };
  const files = preview.flatMap(({ path, diff, by }) => {
    const says = by === "agent" ? words.previewClaim : ":";
    const head = rowsOf(oneLine(path) + says, "strong", { columns, at: "hard", lead: INDENT, hang: BELOW });
    return [...head, ...diffRows(diff, { columns, theme, path, hang, folds: false, safe: visible }).rows];
  });
  return [...rowsOf(words.previewHead, "warn", { columns }), ...files];
}

const INDENT: Span = { text: "  ", tone: "strong" };
const BELOW: Span = { text: "    ", tone: "strong" };
