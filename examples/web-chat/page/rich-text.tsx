import { Fragment, type ReactElement, type ReactNode } from "react";

/** What stands at a place of a text, such as a chip. */
export interface Inset {
  /** UTF-16 index in the text. */
  readonly offset: number;
  readonly node: ReactElement;
}

const FENCE = "```";
const LINK = /\bhttps?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/g;

/** A text as nodes: code between fences as blocks, `http` and `https` addresses as links, all else as it is, each inset at its place. */
export function RichText({
  text,
  insets = [],
}: {
  readonly text: string;
  readonly insets?: readonly Inset[];
}): ReactElement {
  const waiting = [...insets].sort((one, other) => one.offset - other.offset);
  const fill = (start: number, end: number): ReactNode[] => {
    const nodes: ReactNode[] = [];
    let at = start;
    while (waiting[0] && waiting[0].offset <= end) {
      const [inset] = waiting.splice(0, 1);
      if (!inset) break;
      const cut = Math.max(inset.offset, at);
      nodes.push(<Fragment key={`before-${at}-${nodes.length}`}>{text.slice(at, cut)}</Fragment>, inset.node);
      at = cut;
    }
    nodes.push(<Fragment key={`end-${end}`}>{text.slice(at, end)}</Fragment>);
    return nodes;
  };
  return (
    <>
      {partsOf(text).map(({ start, end, kind }) => {
        const key = `${kind}-${start}`;
        if (kind === "prose") return <Fragment key={key}>{fill(start, end)}</Fragment>;
        if (kind === "link")
          return (
            <a key={key} href={text.slice(start, end)} target="_blank" rel="noopener noreferrer nofollow">
              {fill(start, end)}
            </a>
          );
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and a keyboard must reach them
          <pre key={key} tabIndex={0}>
            <code>{fill(start, end)}</code>
          </pre>
        );
      })}
    </>
  );
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly kind: "prose" | "code" | "link";
}

/** Where prose, links and code begin and end, without the lines of the fences. A fence that nothing closes opens no code. */
function partsOf(text: string): readonly Part[] {
  const found: Part[] = [];
  let start = 0;
  for (;;) {
    const open = fenceFrom(text, start);
    const close = open && fenceFrom(text, open.after);
    if (!open || !close) break;
    found.push({ start, end: open.at, kind: "prose" }, { start: open.after, end: close.at, kind: "code" });
    start = close.after;
  }
  found.push({ start, end: text.length, kind: "prose" });
  return found
    .map((part) => withoutBlankLines(text, part))
    .filter((part) => part.end > part.start)
    .flatMap((part) => (part.kind === "prose" ? withLinks(text, part) : [part]));
}

function withLinks(text: string, { start, end }: Part): readonly Part[] {
  const found: Part[] = [];
  let at = start;
  for (const { 0: link, index } of text.slice(start, end).matchAll(LINK)) {
    const begin = start + index;
    found.push({ start: at, end: begin, kind: "prose" });
    at = begin + link.length;
    found.push({ start: begin, end: at, kind: "link" });
  }
  found.push({ start: at, end, kind: "prose" });
  return found.filter((part) => part.end > part.start);
}

/** A block stands apart by itself. */
function withoutBlankLines(text: string, { start, end, kind }: Part): Part {
  let from = start;
  let to = end;
  while (kind === "prose" && from < to && text[from] === "\n") from++;
  while (from < to && text[to - 1] === "\n") to--;
  return { start: from, end: to, kind };
}

/** The next line that begins with a fence. */
function fenceFrom(text: string, from: number): { readonly at: number; readonly after: number } | undefined {
  for (let at = text.indexOf(FENCE, from); at !== -1; at = text.indexOf(FENCE, at + 1)) {
    if (at > 0 && text[at - 1] !== "\n") continue;
    const end = text.indexOf("\n", at);
    return { at, after: end === -1 ? text.length : end + 1 };
  }
  return undefined;
}
