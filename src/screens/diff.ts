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
