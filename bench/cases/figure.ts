/** `x` is a ratio, `count` a whole number. */
export type Unit = "x" | "kB" | "ms" | "count";

/** One promise about speed or size, and what was measured of it. Less is always better. */
export interface Figure {
  /** Its key in RESULTS.md. */
  readonly name: string;
  readonly about: string;
  readonly unit: Unit;
  /** What it has to hold; without one it is told for the record. */
  readonly bar?: number;
  readonly aim?: number;
  readonly measured: number;
  /** The same for others, by name. */
  readonly peers?: Readonly<Record<string, number>>;
  /** By how much it varies although nothing changed, in its unit: for figures near zero, which have no ratio. */
  readonly noise?: number;
}

/** `quick` is for a machine that is doing something else: fewer rounds, and no peers that take long. */
export type Effort = "full" | "quick";

/** Says in one line what is being measured. */
export type Progress = (line: string) => void;

export interface Case {
  readonly name: string;
  readonly about: string;
  measure(effort: Effort, progress: Progress): Promise<readonly Figure[]>;
}

/** Whether a figure holds its bar. */
export function holds({ bar, measured }: Figure): boolean {
  return bar === undefined || measured <= bar;
}
