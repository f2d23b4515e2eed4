// A whole Markdown text, as rows.
import { inert } from "../../chat/print/inert.ts";
import { markdownReader } from "../../screens/markdown/reader.ts";
import { LineFlow } from "../rows/line-flow.ts";
import type { Row, Surface } from "../rows/row.ts";
import { BlockLines } from "./block-lines.ts";

export function markdownRows(text: string, surface: Surface): readonly Row[] {
  const reader = markdownReader();
  reader.push(inert(text));
  reader.end();
  const flow = new LineFlow();
  flow.add(new BlockLines().next(reader.settled, surface));
  return flow.take(surface.columns, Number.POSITIVE_INFINITY, true);
}
