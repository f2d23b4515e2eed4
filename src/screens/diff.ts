// The lines of a unified diff.

/** A line of a file, with its numbers before and after the change. `gap`: unchanged lines are left out here. */
export interface DiffLine {
  readonly type: "same" | "added" | "removed" | "gap";
  readonly before?: number;
  readonly after?: number;
  readonly text: string;
}

/** One row of two columns. */
export interface DiffPair {
  readonly left?: DiffLine;
  readonly right?: DiffLine;
}

/** Stand-in until the real one is there. */
export function diffLines(diff: string): readonly DiffLine[] {
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const type = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
      return { type, text: line.slice(1) };
    });
}

/** Stand-in until the real one is there. */
export function pairedLines(lines: readonly DiffLine[]): readonly DiffPair[] {
  return lines.map((line) =>
    line.type === "added"
      ? { right: line }
      : line.type === "removed"
        ? { left: line }
        : { left: line, right: line },
  );
}
