import type { Finding } from "./chapter.ts";
import type { Counts } from "./counts.ts";
import type { SoakedName } from "./plan.ts";

const COLUMNS = [
  "turns",
  "completed",
  "cancelled",
  "failed",
  "cuts",
  "restarts",
  "reconnects",
  "recovered",
  "decisions",
] as const satisfies readonly (keyof Counts)[];

/** What has happened, by protocol, and below it how turns failed. */
export function table(all: ReadonlyMap<SoakedName, Counts>): string {
  const rows = [
    ["", ...COLUMNS],
    ...[...all].map(([name, counts]) => [name, ...COLUMNS.map((column) => String(counts[column]))]),
  ];
  const widths = ["", ...COLUMNS].map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  const told = [...all].flatMap(([name, { codes, faults }]) => {
    const begin = name.padEnd(widths[0] ?? 0);
    const failed = `${begin}  failed: ${counted(codes) || "none"}`;
    return Object.keys(faults).length === 0 ? [failed] : [failed, `${begin}  faults: ${counted(faults)}`];
  });
  return [...lines, "", ...told].join("\n");
}

function counted(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ");
}

/** A violation, with what was on the wire, and how to have it again. */
export function tell(finding: Finding, protocol: SoakedName, seed: number): string {
  const { kind, message, turn, chapter, frames } = finding;
  return [
    `VIOLATION ${kind}: ${protocol}, seed ${seed}, chapter ${chapter}${turn === undefined ? "" : `, turn ${turn}`}`,
    `  ${message}`,
    ...(frames.length > 0 ? ["  what was noted of it:"] : []),
    ...frames.map((frame) => `    ${frame}`),
    `  again: ${command(protocol, seed, chapter)}`,
  ].join("\n");
}

/** The same plan comes again; what of it comes first is up to the machine, so it may take some tries. */
export function command(protocol: SoakedName, seed: number, chapter?: number): string {
  const which = chapter === undefined ? "" : ` --chapter ${chapter}`;
  return `npm run soak -- --protocol ${protocol} --seed ${seed}${which}`;
}
