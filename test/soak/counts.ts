import type { TurnFacts } from "./book.ts";

/** What has happened in a run, for the table. */
export interface Counts {
  readonly chapters: number;
  readonly turns: number;
  readonly completed: number;
  readonly cancelled: number;
  readonly failed: number;
  /** Failed turns by the code of their error. */
  readonly codes: Readonly<Record<string, number>>;
  readonly cuts: number;
  readonly links: number;
  readonly restarts: number;
  readonly reconnects: number;
  readonly recovered: number;
  readonly decisions: number;
  /** What was done to links, servers and logs, by kind. */
  readonly faults: Readonly<Record<string, number>>;
}

export const NOTHING: Counts = {
  chapters: 0,
  turns: 0,
  completed: 0,
  cancelled: 0,
  failed: 0,
  codes: {},
  cuts: 0,
  links: 0,
  restarts: 0,
  reconnects: 0,
  recovered: 0,
  decisions: 0,
  faults: {},
};

export function add(one: Counts, other: Counts): Counts {
  return {
    chapters: one.chapters + other.chapters,
    turns: one.turns + other.turns,
    completed: one.completed + other.completed,
    cancelled: one.cancelled + other.cancelled,
    failed: one.failed + other.failed,
    codes: sums(one.codes, other.codes),
    cuts: one.cuts + other.cuts,
    links: one.links + other.links,
    restarts: one.restarts + other.restarts,
    reconnects: one.reconnects + other.reconnects,
    recovered: one.recovered + other.recovered,
    decisions: one.decisions + other.decisions,
    faults: sums(one.faults, other.faults),
  };
}

function sums(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** Of the turns of a chapter. */
export function countTurns(turns: Iterable<TurnFacts>): Counts {
  let counts = NOTHING;
  for (const { endings } of turns) {
    const [ending] = endings;
    if (!ending) continue;
    const { status, code, recovered } = ending;
    counts = add(counts, {
      ...NOTHING,
      turns: 1,
      [status]: 1,
      codes: status === "failed" ? { [code ?? "none"]: 1 } : {},
      recovered: recovered ? 1 : 0,
    });
  }
  return counts;
}
