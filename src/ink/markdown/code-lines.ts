// A code block, as lines.
import type { CodeKind } from "../../screens/highlight.ts";
import type { CodeBlock } from "../../screens/markdown/blocks.ts";
import type { Line } from "../rows/lines.ts";
import { displayed, INDENT, inLine, type Row, type Span, type Surface } from "../rows/row.ts";
import type { Tone } from "../theme.ts";
import type { Margin } from "./margin.ts";

/** The lines of code, below the name of the language. A part that joins has no name. */
export function codeLines(
  { language, text, joins, midLine }: CodeBlock,
  { lead, hang }: Margin,
  { highlight }: Surface,
): readonly Line[] {
  const code = displayed(text);
  const pieces = highlight?.(code, language);
  const isWhole = pieces?.map((piece) => piece.text).join("") === code; // otherwise the rows would not show the code
  const spans: Row =
    pieces && isWhole
      ? pieces.map((piece) => ({ text: piece.text, tone: TONES[piece.kind] }))
      : [{ text: code, tone: "plain" }];
  const name: Row = [{ text: inLine(language), tone: "dim" }];
  const rows = [...(language === "" || joins ? [] : [name]), ...splitLines(spans)];
  const below: Row = [...hang, INDENT];
  return rows.map((spans, at) => ({
    lead: at === 0 ? [...lead, INDENT] : below,
    hang: below,
    spans,
    at: "hard",
    ...(midLine && at === 0 ? { joins: true } : {}),
  }));
}

const TONES = {
  plain: "plain",
  keyword: "keyword",
  string: "string",
  number: "number",
  comment: "comment",
  name: "name",
  type: "type",
} as const satisfies Readonly<Record<CodeKind, Tone>>;

/** The spans of each line. */
function splitLines(spans: Row): readonly Row[] {
  let line: Span[] = [];
  const lines: Span[][] = [line];
  for (const { text, tone } of spans) {
    const [first = "", ...more] = text.split("\n");
    if (first !== "") line.push({ text: first, tone });
    for (const next of more) {
      line = next === "" ? [] : [{ text: next, tone }];
      lines.push(line);
    }
  }
  return lines;
}
