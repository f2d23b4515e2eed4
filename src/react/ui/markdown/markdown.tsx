// `<Markdown>`: a text of an agent as nodes. What has settled is not rendered again.
import { memo, type ReactElement, useRef } from "react";
import { type MarkdownReader, markdownReader } from "../../../screens/markdown/reader.ts";
import { LongList, Marks } from "../long-list.tsx";
import { BlockNode } from "./block.tsx";
import { type Inset, InsetContext, withMarkers } from "./insets.tsx";

export interface MarkdownProps {
  /** As the agent wrote it. */
  readonly text: string;
  /** Whether more may follow: half-finished marks are closed. @default false */
  readonly open?: boolean;
  /** What stands in the text, such as a chip. Pass the same array at each render. */
  readonly insets?: readonly Inset[];
}

const NONE: readonly Inset[] = [];

/**
 * A Markdown text. HTML is text. Links go to `http` and `https` alone, and show their host. Images are not loaded: those
 * in a `data:` URL show at a click. A text that grows renders its open end.
 */
export const Markdown = /* @__PURE__ */ memo(function Markdown({
  text,
  open = false,
  insets = NONE,
}: MarkdownProps): ReactElement {
  const { key, marks, entry, length } = useMarkdown(
    insets.length === 0 ? text : withMarkers(text, insets),
    open,
  );
  const blocks = <LongList key={key} length={length} marks={marks} entry={entry} leafClass="aw-blocks" />;
  return (
    <div className="aw-text" dir="auto">
      {insets.length === 0 ? blocks : <InsetContext.Provider value={insets}>{blocks}</InsetContext.Provider>}
    </div>
  );
});

interface Read {
  /** Counts the texts that did not go on from the one before. */
  readonly key: number;
  readonly reader: MarkdownReader;
  readonly marks: Marks;
  readonly entry: (index: number) => ReactElement | null;
  text: string;
  isOver: boolean;
  settled: number;
  length: number;
}

function begin(before = 0): Read {
  const reader = markdownReader();
  const all = () => [...reader.settled, ...reader.open];
  const entry = (index: number): ReactElement | null => {
    const block = reader.settled[index] ?? reader.open[index - reader.settled.length];
    return block ? <BlockNode key={index} block={block} at={index} siblings={all} /> : null;
  };
  return {
    key: before + 1,
    reader,
    marks: new Marks(),
    entry,
    text: "",
    isOver: false,
    settled: 0,
    length: 0,
  };
}

/** Reads what was added to the text since the last render. */
function useMarkdown(text: string, isOpen: boolean): Read {
  const last = useRef<Read>(undefined);
  let read = last.current;
  if (!read || !text.startsWith(read.text) || (read.isOver && text !== read.text)) read = begin(read?.key);
  last.current = read;
  const { reader, marks } = read;
  if (text.length === read.text.length && read.isOver === !isOpen) return read;
  if (text !== read.text) reader.push(text.slice(read.text.length));
  if (!isOpen) reader.end();
  read.text = text;
  read.isOver = !isOpen;
  const length = reader.settled.length + reader.open.length;
  for (let at = read.settled; at < Math.max(length, read.length); at++) marks.mark(at);
  read.settled = reader.settled.length;
  read.length = length;
  return read;
}
