import { Fragment, memo, type ReactElement, type ReactNode } from "react";

/** What stands at a place of a text, such as a chip. */
export interface Inset {
  /** UTF-16 index in the text. */
  readonly offset: number;
  readonly node: ReactElement;
}

const FENCE = "```";
const LINK = /\bhttps?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/g;

const NONE: readonly Inset[] = [];

/**
 * A text as nodes: code between fences as blocks, `http` and `https` addresses as links, all else as it is, each inset at its place. A text that
 * grows renders only its last piece again.
 */
export function RichText({
  text,
  insets = NONE,
}: {
  readonly text: string;
  readonly insets?: readonly Inset[];
}): ReactElement {
  const waiting = [...insets].sort((one, other) => one.offset - other.offset);
  return (
    <>
      {piecesOf(text).map(({ start, end, kind }) => {
        const count = waiting.filter(({ offset }) => offset <= end).length;
        const inside = count === 0 ? NONE : waiting.splice(0, count);
        return (
          <Piece
            key={`${kind}-${start}`}
            start={start}
            kind={kind}
            text={text.slice(start, end)}
            insets={inside}
          />
        );
      })}
    </>
  );
}

interface PieceProps {
  /** Where the piece begins in the whole text. */
  readonly start: number;
  readonly kind: "prose" | "code";
  readonly text: string;
  readonly insets: readonly Inset[];
}

const Piece = memo(function Piece({ start: first, kind, text, insets }: PieceProps): ReactElement {
  const waiting = insets.map(({ offset, node }) => ({ offset: offset - first, node }));
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
  if (kind === "code")
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and a keyboard must reach them
      <pre tabIndex={0}>
        <code>{fill(0, text.length)}</code>
      </pre>
    );
  return (
    <>
      {withLinks(text).map(({ start, end, kind }) => {
        const key = `${kind}-${start}`;
        if (kind === "prose") return <Fragment key={key}>{fill(start, end)}</Fragment>;
        return (
          <a key={key} href={text.slice(start, end)} target="_blank" rel="noopener noreferrer nofollow">
            {fill(start, end)}
          </a>
        );
      })}
    </>
  );
});

interface Range {
  readonly start: number;
  readonly end: number;
}

interface TextPart extends Range {
  readonly kind: "prose" | "code";
}

/** Characters of prose from which a piece ends at the next line break. No address goes over a line break. */
const PIECE = 1_000;

/** Where prose and code begin and end, without the lines of the fences. A fence that nothing closes opens no code. */
function piecesOf(text: string): readonly TextPart[] {
  const found: TextPart[] = [];
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
    .flatMap((part) => (part.kind === "prose" ? cut(text, part) : [part]));
}

/** Pieces that stay as they are when the text grows, and the last one. */
function cut(text: string, { start, end, kind }: TextPart): readonly TextPart[] {
  const found: TextPart[] = [];
  let at = start;
  for (;;) {
    const next = text.indexOf("\n", at + PIECE) + 1;
    if (next === 0 || next >= end) break;
    found.push({ start: at, end: next, kind });
    at = next;
  }
  return [...found, { start: at, end, kind }];
}

function withLinks(text: string): readonly (Range & { readonly kind: "prose" | "link" })[] {
  const found: (Range & { readonly kind: "prose" | "link" })[] = [];
  let at = 0;
  for (const { 0: link, index } of text.matchAll(LINK)) {
    found.push({ start: at, end: index, kind: "prose" });
    at = index + link.length;
    found.push({ start: index, end: at, kind: "link" });
  }
  found.push({ start: at, end: text.length, kind: "prose" });
  return found.filter((part) => part.end > part.start);
}

/** A block stands apart by itself. */
function withoutBlankLines(text: string, { start, end, kind }: TextPart): TextPart {
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
