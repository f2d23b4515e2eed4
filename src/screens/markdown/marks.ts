// Emphasis: which runs of marks open and close what.
import type { Inline } from "./blocks.ts";
import { sideAfter, sideBefore } from "./characters.ts";

/** A run of `*`, `_` or `~`. */
export interface MarkRun {
  readonly type: "mark";
  readonly character: string;
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
  /** Its place in the text. */
  readonly at: number;
}

/** Marks that wait for their other half. The oldest is text once there are more: so a closing mark looks at no more, and nothing nests deeper. */
const MAX_WAITING = 16;

/** Longer runs are text: each pair of marks would be a level. */
const MAX_RUN = 6;

/** `before` and `after`: a few characters beside the run. */
export function markRunOf(run: string, at: number, before: string, after: string): MarkRun | undefined {
  const character = run.charAt(0);
  if (run.length > (character === "~" ? 2 : MAX_RUN)) return undefined;
  const left = sideBefore(before);
  const right = sideAfter(after);
  const opening = right === "word" || (right === "sign" && left !== "word");
  const closing = left === "word" || (left === "sign" && right !== "word");
  const inWord = character === "_" && opening && closing;
  return {
    type: "mark",
    character,
    length: run.length,
    opens: opening && (!inWord || left === "sign"),
    closes: closing && (!inWord || right === "sign"),
    at,
  };
}

interface Waiting {
  readonly mark: MarkRun;
  /** How many of its characters have no other half yet. */
  left: number;
  content: Inline[];
}

/** What was paired, and what still waits for its other half: for finding a place where a text can be cut. */
export interface Trace {
  pair(from: number, to: number): void;
  lone(at: number): void;
}

/** Linear: a mark looks at `MAX_WAITING` others at most, and a node moves once before it is inside another. */
export function pairMarks(
  nodes: readonly (Inline | MarkRun)[],
  unfinished: boolean,
  trace?: Trace,
): Inline[] {
  const root: Inline[] = [];
  const waiting: Waiting[] = [];
  const innermost = (): Inline[] => waiting.at(-1)?.content ?? root;
  for (const node of nodes) {
    if (node.type !== "mark") {
      append(innermost(), node);
      continue;
    }
    let left = node.length;
    while (node.closes && left > 0) {
      const found = openerOf(waiting, node, left);
      if (found < 0) break;
      for (const given of waiting.splice(found + 1)) giveUp(given, innermost());
      const opener = waiting[found];
      if (opener === undefined) break;
      const size = node.character === "~" ? left : Math.min(left, opener.left, 2);
      const wrapped: Inline = { type: kindOf(node.character, size), content: opener.content };
      opener.left -= size;
      left -= size;
      opener.content = [wrapped];
      trace?.pair(opener.mark.at, node.at + node.length);
      if (opener.left > 0) continue;
      waiting.pop();
      innermost().push(wrapped);
    }
    if (left === 0) continue;
    if (!node.opens) {
      append(innermost(), { type: "text", text: node.character.repeat(left) });
      continue;
    }
    waiting.push({ mark: node, left, content: [] });
    if (waiting.length > MAX_WAITING) for (const given of waiting.splice(0, 1)) giveUp(given, root);
  }
  while (waiting.length > 0) {
    const [last] = waiting.splice(-1);
    if (last === undefined) break;
    trace?.lone(last.mark.at);
    if (unfinished && isHalfOf(last)) closeUnfinished(last, innermost());
    else giveUp(last, innermost());
  }
  return root;
}

function openerOf(waiting: readonly Waiting[], closer: MarkRun, left: number): number {
  for (let at = waiting.length - 1; at >= 0; at -= 1) {
    const opener = waiting[at];
    if (opener === undefined || opener.mark.character !== closer.character) continue;
    if (closer.character === "~" ? opener.left === left : mayPair(opener.mark, closer)) return at;
  }
  return -1;
}

/** CommonMark, rules 9 and 10: a run that could do both pairs with none whose length makes a multiple of three with its own. */
function mayPair(opener: MarkRun, closer: MarkRun): boolean {
  if (!opener.closes && !closer.opens) return true;
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

const kindOf = (character: string, size: number): "strong" | "emphasis" | "strike" => {
  if (character === "~") return "strike";
  return size === 2 ? "strong" : "emphasis";
};

/** Its characters are text. */
function giveUp(given: Waiting, into: Inline[]): void {
  append(into, { type: "text", text: given.mark.character.repeat(given.left) });
  for (const node of given.content) append(into, node);
}

/** `2*3`, and `~5 minutes`, are rather not the start of something. */
function isHalfOf({ mark, left }: Waiting): boolean {
  return !mark.closes && left <= 3 && (mark.character !== "~" || left === 2);
}

function closeUnfinished({ mark, left, content }: Waiting, into: Inline[]): void {
  if (content.length === 0) return;
  let inner = content;
  for (let rest = left; rest > 0; ) {
    const size = mark.character === "~" ? rest : Math.min(rest, 2);
    inner = [{ type: kindOf(mark.character, size), content: inner }];
    rest -= size;
  }
  into.push(...inner);
}

/** Texts beside each other are one. */
function append(into: Inline[], node: Inline): void {
  const last = into.at(-1);
  if (node.type === "text" && last?.type === "text")
    into[into.length - 1] = { type: "text", text: last.text + node.text };
  else into.push(node);
}
