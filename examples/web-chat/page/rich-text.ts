import { element } from "./dom.ts";

/** What stands at a place of a text: a chip, say. */
export interface Inset {
  /** UTF-16 index in the text. */
  readonly offset: number;
  readonly node: Node;
}

const FENCE = "```";

/** A text as nodes: code between fences as blocks, all else as it is, each inset at its place. */
export function richText(text: string, insets: readonly Inset[] = []): DocumentFragment {
  const made = document.createDocumentFragment();
  const waiting = insets.toSorted((one, other) => one.offset - other.offset);
  let placed = 0;
  const fill = (into: ParentNode, start: number, end: number): void => {
    let at = start;
    for (let inset = waiting[placed]; inset && inset.offset <= end; inset = waiting[++placed]) {
      const cut = Math.max(inset.offset, at);
      into.append(text.slice(at, cut), inset.node);
      at = cut;
    }
    into.append(text.slice(at, end));
  };
  for (const { start, end, isCode } of parts(text)) {
    if (!isCode) {
      fill(made, start, end);
      continue;
    }
    const code = document.createElement("code");
    fill(code, start, end);
    made.append(element("pre", "", code));
  }
  return made;
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly isCode: boolean;
}

/** Where prose and code begin and end, without the lines of the fences. A fence that nothing closes opens no code. */
function parts(text: string): readonly Part[] {
  const found: Part[] = [];
  let start = 0;
  for (;;) {
    const open = fenceFrom(text, start);
    const close = open && fenceFrom(text, open.after);
    if (!open || !close) break;
    found.push({ start, end: open.at, isCode: false }, { start: open.after, end: close.at, isCode: true });
    start = close.after;
  }
  found.push({ start, end: text.length, isCode: false });
  return found.map((part) => withoutBlankLines(text, part)).filter((part) => part.end > part.start);
}

/** A block stands apart by itself. */
function withoutBlankLines(text: string, { start, end, isCode }: Part): Part {
  let from = start;
  let to = end;
  while (!isCode && from < to && text[from] === "\n") from++;
  while (from < to && text[to - 1] === "\n") to--;
  return { start: from, end: to, isCode };
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
