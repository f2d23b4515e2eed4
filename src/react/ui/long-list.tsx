// A long list as a tree of components: an entry that changes renders only the branches above it.
import { memo, type ReactElement, useRef } from "react";

/** Children of a branch, and entries of a leaf. */
const WIDTH = 32;

/** Counts the changes of ranges of a list: of each leaf, and of each branch over 32 leaves. */
export class Marks {
  readonly #leaves: number[] = [];
  readonly #branches: number[] = [];

  /** The entry at `index` has changed, or is new or gone. */
  mark(index: number): void {
    const leaf = Math.floor(index / WIDTH);
    const branch = Math.floor(leaf / WIDTH);
    this.#leaves[leaf] = this.leaf(leaf) + 1;
    this.#branches[branch] = this.branch(branch) + 1;
  }

  leaf(at: number): number {
    return this.#leaves[at] ?? 0;
  }

  branch(at: number): number {
    return this.#branches[at] ?? 0;
  }
}

export interface LongListProps {
  readonly length: number;
  readonly marks: Marks;
  /** Renders an entry. Only called for leaves with a changed entry. The same function as long as no entry changes. */
  readonly entry: (index: number) => ReactElement | null;
  /** The class of the element around each leaf. */
  readonly leafClass: string;
}

/** Renders at most 32 branches of a thousand entries, 32 leaves and 32 entries for a change. */
export function LongList({ length, ...props }: LongListProps): ReactElement {
  const { marks } = props;
  return (
    <>
      {ranges(0, length, WIDTH * WIDTH).map(({ start, end }) => {
        const at = start / (WIDTH * WIDTH);
        return <Branch key={at} {...props} start={start} end={end} version={marks.branch(at)} />;
      })}
    </>
  );
}

interface RangeProps extends Omit<LongListProps, "length"> {
  readonly start: number;
  readonly end: number;
  readonly version: number;
}

const Branch = /* @__PURE__ */ memo(function Branch({ start, end, ...props }: RangeProps): ReactElement {
  return (
    <>
      {ranges(start, end, WIDTH).map((range) => {
        const at = range.start / WIDTH;
        return (
          <Leaf key={at} {...props} start={range.start} end={range.end} version={props.marks.leaf(at)} />
        );
      })}
    </>
  );
}, isSame);

const Leaf = /* @__PURE__ */ memo(function Leaf({ start, end, entry, leafClass }: RangeProps): ReactElement {
  return <div className={leafClass}>{ranges(start, end, 1).map((range) => entry(range.start))}</div>;
}, isSame);

/** `entry` is another function after each change: the version tells whether this range has changed. */
function isSame(before: RangeProps, now: RangeProps): boolean {
  return before.version === now.version && before.end === now.end && before.marks === now.marks;
}

function ranges(
  start: number,
  end: number,
  size: number,
): readonly { readonly start: number; readonly end: number }[] {
  const found: { readonly start: number; readonly end: number }[] = [];
  for (let at = start; at < end; at += size) found.push({ start: at, end: Math.min(at + size, end) });
  return found;
}

/** The marks of a list. `changes` marks what has changed since the last call. */
export function useMarks<List>(
  list: List,
  changes: (marks: Marks, before: List | undefined, now: List) => void,
): Marks {
  const state = useRef<{ readonly marks: Marks; list: List | undefined }>(undefined);
  state.current ??= { marks: new Marks(), list: undefined };
  const { marks, list: before } = state.current;
  if (before !== list) changes(marks, before, list);
  state.current.list = list;
  return marks;
}
