// A code block, as lines.
import type { CodeKind } from "../../screens/highlight.ts";
import type { CodeBlock } from "../../screens/markdown/blocks.ts";
import type { FlowLine } from "../rows/lines.ts";
import { displayed, INDENT, inLine, type Row, type Span, type Surface } from "../rows/row.ts";
import type { Tone } from "../theme.ts";
import type { Margin } from "./margin.ts";

/** Characters of the parts before that the highlighter gets again: a part may begin inside a comment. */
const MAX_BEFORE = 2_000;

/** The code up to the end of this part, as far as the next part needs it. */
export function codeBefore(block: CodeBlock, before: string): string {
  const all = frontOf(block, before) + displayed(block.text);
  return all.length > MAX_BEFORE ? all.slice(-MAX_BEFORE).replace(/^.*\n/, "") : all;
}

/** The code before this part. */
function frontOf({ joins, midLine }: CodeBlock, before: string): string {
  return joins ? `${before}${midLine ? "" : "\n"}` : "";
}

/**
 * The lines of code, below the name of the language. A part that joins has no name.
 * @param before the code before this part
 */
export function codeLines(
  block: CodeBlock,
  { lead, hang }: Margin,
  surface: Surface,
  before: string,
): readonly FlowLine[] {
  const { language, joins, midLine } = block;
  const name: Row = [{ text: inLine(language), tone: "dim" }];
  const rows = [
    ...(language === "" || joins ? [] : [name]),
    ...splitLines(codeSpans(block, surface, before)),
  ];
  const below: Row = [...hang, INDENT];
  return rows.map((spans, at) => ({
    lead: at === 0 ? [...lead, INDENT] : below,
    hang: below,
    spans,
    at: "hard",
    ...(midLine && at === 0 ? { joins: true } : {}),
  }));
}

function codeSpans(block: CodeBlock, { highlight }: Surface, before: string): Row {
  const code = displayed(block.text);
  const front = frontOf(block, before);
  const pieces = highlight?.(front + code, block.language);
  const isWhole = pieces?.map((piece) => piece.text).join("") === front + code;
  if (!pieces || !isWhole) return [{ text: code, tone: "plain" }]; // other pieces would not show the code
  const spans: Span[] = [];
  let from = 0;
  for (const piece of pieces) {
    const fresh = piece.text.slice(Math.max(0, front.length - from));
    if (fresh !== "") spans.push({ text: fresh, tone: TONES[piece.kind] });
    from += piece.text.length;
  }
  return spans;
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
