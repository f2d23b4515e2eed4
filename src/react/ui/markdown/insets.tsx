// What stands inside of a text: a marker in the Markdown becomes a node again.
import { createContext, Fragment, type ReactElement, type ReactNode, useContext } from "react";
import { inert } from "../../../chat/print/inert.ts";

/** What stands at a place of a text, such as a chip. */
export interface Inset {
  /** UTF-16 index in the text. */
  readonly offset: number;
  readonly node: ReactElement;
}

export const InsetContext = /* @__PURE__ */ createContext<readonly Inset[] | undefined>(undefined);

/** Private characters, one for each inset. */
const FIRST = 0xf0000;
const MARKERS = /[\u{f0000}-\u{ffffd}]/gu;
/** What begins a block: an inset in front of it would make the line a paragraph. */
const BEGINNING = /^[ \t]*(?:(?:[-*+>]|#{1,6}|\d{1,9}[.)])[ \t]+)*/;

/** Puts a marker at the place of each inset. Private characters of the text are removed. */
export function withMarkers(text: string, insets: readonly Inset[]): string {
  const sorted = insets
    .map(({ offset }, index) => ({ offset, index }))
    .sort((one, other) => one.offset - other.offset);
  let marked = "";
  let from = 0;
  for (const { offset, index } of sorted) {
    const at = Math.max(from, behindBeginning(text, Math.min(Math.max(offset, 0), text.length)));
    marked += text.slice(from, at).replace(MARKERS, "") + String.fromCodePoint(FIRST + index);
    from = at;
  }
  return marked + text.slice(from).replace(MARKERS, "");
}

function behindBeginning(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] !== "\n") return offset;
  const line = text.slice(offset, offset + 200);
  return offset + (BEGINNING.exec(line)?.[0].length ?? 0);
}

/** A text of the agent, with the insets whose markers it has. */
export function InertText({ text }: { readonly text: string }): ReactElement {
  const insets = useContext(InsetContext);
  if (!insets) return <>{inert(text)}</>;
  const nodes: ReactNode[] = [];
  let from = 0;
  for (const { 0: marker, index } of text.matchAll(MARKERS)) {
    const place = (marker.codePointAt(0) ?? 0) - FIRST;
    nodes.push(<Fragment key={`text ${from}`}>{inert(text.slice(from, index))}</Fragment>);
    nodes.push(<Fragment key={`inset ${place}`}>{insets[place]?.node}</Fragment>);
    from = index + marker.length;
  }
  return (
    <>
      {nodes}
      {inert(text.slice(from))}
    </>
  );
}
