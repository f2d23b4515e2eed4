import { loadavg } from "node:os";

/** How busy the machine was, as averages of one minute. */
export interface Load {
  readonly before: number;
  readonly after: number;
  /** The highest. It is looked at whenever a process begins to measure. */
  readonly most: number;
}

/** Above it, others were at work before the bench began. Its own build raises the average by some 0.2. */
const MAX_BEFORE = 0.7;

/** Above it, others worked meanwhile. The bench has two processes at work, and their threads collect garbage and compile. */
const MAX_MEANWHILE = 3;

export class LoadWatch {
  readonly #seen: number[] = [];

  constructor() {
    this.look();
  }

  look(): void {
    this.#seen.push(loadavg()[0] ?? Number.NaN);
  }

  get load(): Load {
    const seen = this.#seen;
    return { before: seen[0] ?? Number.NaN, after: seen.at(-1) ?? Number.NaN, most: Math.max(...seen) };
  }
}

/** The load for people. Says when figures of CPU may be worse than they are. */
export function describeLoad({ before, after, most }: Load): string {
  const [first, last, high] = [before, after, most].map((load) => load.toFixed(1));
  const told = `load average ${first} before, ${last} after, ${high} at most`;
  const isQuiet = before <= MAX_BEFORE && most <= MAX_MEANWHILE;
  return isQuiet ? told : `${told}: THE MACHINE WAS NOT QUIET`;
}
