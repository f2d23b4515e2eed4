// A unified diff: coloured, with line numbers; side by side where 120 columns fit.
import { type ReactElement, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { reveal } from "../../chat/print/reveal.ts";
import type { ToolPreview } from "../../core/values.ts";
import { type DiffLine, type DiffPair, diffLines, pairedLines, withoutHeader } from "../../screens/diff.ts";
import { useWords } from "./root.tsx";

/** Rows that are shown at once. More is folded. */
const MAX_ROWS = 20;
/** The same in an approval, where nothing is folded that a person would read. */
const MAX_ASKED_ROWS = 2_000;
/** Rows that a click adds. */
const MORE_ROWS = 500;

export interface DiffProps extends Pick<ToolPreview, "path" | "diff">, Partial<Pick<ToolPreview, "by">> {
  /** Whether somebody decides about it. @default false */
  readonly isAsked?: boolean;
}

/** Nothing in it is hidden: hidden characters are shown as codes. */
export function Diff({ path, diff, by, isAsked = false }: DiffProps): ReactElement {
  const words = useWords();
  const [shown, setShown] = useState(isAsked ? MAX_ASKED_ROWS : MAX_ROWS);
  const box = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(box);
  const lines = useMemo(() => withoutHeader(diffLines(diff), path), [diff, path]);
  const rows = useMemo(() => (isWide ? pairedLines(lines) : lines.map(onlyLine)), [isWide, lines]);
  const more = rows.length - shown;
  return (
    <div ref={box} className="aw-diff" data-wide={isWide || undefined}>
      <p className="aw-label">
        <bdi>{reveal(path)}</bdi>
        {by === "agent" && `, ${words.statedByAgent}`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and a keyboard must reach all of them */}
      <div className="aw-diff-rows" tabIndex={0} dir="ltr">
        {rows.slice(0, shown).map(({ left, right }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change
          <div key={index} className="aw-diff-row">
            <Line line={left} />
            {isWide && !isAcross(left, right) && <Line line={right} />}
          </div>
        ))}
      </div>
      {more > 0 && (
        <button className="aw-plain" type="button" onClick={() => setShown(shown + MORE_ROWS)}>
          {words.moreLines(more)}
        </button>
      )}
    </div>
  );
}

function onlyLine(line: DiffLine): DiffPair {
  return { left: line };
}

/** A line about the file, or about lines that are left out: once, across both sides. */
function isAcross(left: DiffLine | undefined, right: DiffLine | undefined): boolean {
  return left !== undefined && left === right && left.after === undefined;
}

const SIGNS = { same: " ", added: "+", removed: "-", gap: "⋯" } as const;

function Line({ line }: { readonly line: DiffLine | undefined }): ReactElement {
  if (!line) return <span className="aw-line" />;
  const { type, before, after, text } = line;
  return (
    <span className="aw-line" data-type={type}>
      <span className="aw-number" data-number={before ?? ""} />
      <span className="aw-number" data-number={after ?? ""} />
      <span className="aw-sign">{SIGNS[type]}</span>
      <span className="aw-line-text">{reveal(text)}</span>
    </span>
  );
}

/** Columns from which a diff has two sides. */
const TWO_SIDES = 120;
/** A character of the code font is about this wide, in `em`. */
const CHARACTER = 0.6;

function useIsWide(box: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const sizes = new ResizeObserver(([entry]) => {
      const size = Number.parseFloat(getComputedStyle(element).fontSize);
      setWide((entry?.contentRect.width ?? 0) >= TWO_SIDES * CHARACTER * size);
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [box]);
  return isWide;
}
