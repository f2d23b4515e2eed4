/** Something that breaks a promise of the package, and what to do about it. */
export interface Finding {
  /** Relative to the root of the tree or package, with forward slashes. */
  readonly file: string;
  /** Counted from 1. */
  readonly line?: number | undefined;
  readonly message: string;
}

/** Says in one line what a check looked at: a count, or a row of a table. */
export type Note = (line: string) => void;

/** Looks at the tree under `root` and resolves with everything wrong; it rejects only when it cannot look. */
export type Check = (root: string, note: Note) => Promise<Finding[]>;
