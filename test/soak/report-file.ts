import type { Counts } from "./counts.ts";
import { INVARIANTS } from "./invariants.ts";
import { RELAYS, type SoakedName } from "./plan.ts";

/** A run, when it is over. */
export interface SoakRun {
  readonly seed: number;
  readonly seconds: number;
  /** Such as `v24.1.0`. */
  readonly node: string;
  readonly counts: ReadonlyMap<SoakedName, Counts>;
  readonly violations: readonly string[];
}

/** What was looked for, and how often. */
interface Checked {
  readonly of: keyof typeof INVARIANTS;
  readonly times: number;
  readonly invariants: readonly string[];
}

/** The report of a run as data. */
export function reportOf({ counts, ...run }: SoakRun) {
  return {
    ...run,
    held: run.violations.length === 0,
    soaked: Object.fromEntries(counts),
    checked: checkedIn(counts),
  };
}

/** The report of a run for readers: what was done, what came of it, and what was checked. */
export function markdownOf({ seed, seconds, node, counts, violations }: SoakRun): string {
  const rows = [...counts].map(([name, { chapters, turns, completed, cancelled, failed, ...more }]) => [
    name,
    ...[chapters, turns, completed, cancelled, failed, more.links, more.reconnects, more.recovered].map(
      String,
    ),
    String(more.decisions),
  ]);
  const kinds = [...counts].map(([name, { faults, codes }]) => [name, listed(faults), listed(codes)]);
  const checks = checkedIn(counts).map(({ of, times, invariants }) => [
    `${times} ${of}s`,
    invariants.map((name) => `\`${name}\``).join(", "),
  ]);
  const verdict = violations.length === 0 ? "All invariants held" : `${violations.length} violations`;
  return [
    `# Soak: seed ${seed}, ${Math.round(seconds)} s, Node ${node}`,
    `${verdict}.`,
    table(
      [
        "",
        "chapters",
        "turns",
        "completed",
        "cancelled",
        "failed",
        "links",
        "reconnects",
        "recovered",
        "decisions",
      ],
      rows,
    ),
    table(["", "faults that happened", "failed turns by code"], kinds),
    table(["looked at", "for"], checks),
    ...violations.map((violation) => `\`\`\`\n${violation}\n\`\`\``),
    "",
  ].join("\n\n");
}

function checkedIn(counts: ReadonlyMap<SoakedName, Counts>): readonly Checked[] {
  const isRelay = (name: SoakedName): boolean => RELAYS.some((relay) => relay === name);
  const sum = (of: "turns" | "decisions" | "chapters", relays: boolean): number =>
    [...counts].reduce((total, [name, each]) => total + (isRelay(name) === relays ? each[of] : 0), 0);
  return [
    { of: "turn", times: sum("turns", false), invariants: INVARIANTS.turn },
    { of: "decision", times: sum("decisions", false), invariants: INVARIANTS.decision },
    { of: "chapter", times: sum("chapters", false), invariants: INVARIANTS.chapter },
    { of: "relay", times: sum("chapters", true), invariants: INVARIANTS.relay },
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function listed(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
}
