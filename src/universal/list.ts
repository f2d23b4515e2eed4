/** A list that never changes. A changed copy shares all but a few entries, so a change of a long list costs as little as of a short one. */
export interface List<T> extends Iterable<T> {
  readonly length: number;
  /** Negative: from the end. */
  at(index: number): T | undefined;
  map<U>(change: (value: T, index: number) => U): U[];
  /** All entries. Made at the first call, and the same array at each further call. */
  toArray(): readonly T[];
  /** The entries, for `JSON.stringify`. */
  toJSON(): readonly T[];
}
