import * as z from "zod/mini";
import { type Figure, holds } from "./cases/figure.ts";
import { describeLoad, type Load } from "./support/load.ts";
import type { Machine } from "./support/machine.ts";

const committed = z.object({ figures: z.record(z.string(), z.number()) });

/** Figures by name, as RESULTS.md has them. */
export type Committed = Readonly<Record<string, number>>;

const NUMBERS = /```json\n([\s\S]*?)\n```/;

/** The page that is committed: for people a table, for `--quick` the numbers. */
export function renderResults(figures: readonly Figure[], machine: Machine, load: Load): string {
  const { cpu, cores, node, versions, date } = machine;
  const numbers = Object.fromEntries(figures.map(({ name, measured }) => [name, round(measured)]));
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const held = figures.filter(holds).length;
  return `# Results of the bench

Written by \`npm run bench -- --write\`; \`npm run bench -- --help\` says what is measured. Less is better everywhere.
\`x\` is a ratio of two things measured in turns in one run. ${held} of ${figures.length} figures hold their bar.

Node ${node} on ${cores} cores of ${cpu}, ${date}; ${packages.join(", ")}; ${describeLoad(load)}.

${markdownTable(HEADER, figures.map(cells))}

\`npm run bench -- --quick\` compares with these, and fails at half as much again:

\`\`\`json
${JSON.stringify({ date, node, cpu, cores, load, versions, figures: numbers }, null, 2)}
\`\`\`
`;
}

/** @throws Error when the page has no numbers to compare with. */
export function readResults(page: string): Committed {
  const [, json] = NUMBERS.exec(page) ?? [];
  if (json === undefined)
    throw new Error("bench/RESULTS.md has no block of numbers: npm run bench -- --write");
  return committed.parse(JSON.parse(json)).figures;
}

/** How much more than the committed figure is told as a loss: what a busy machine does to a ratio is less. */
const TOLERANCE = 1.5;

/** What a figure may be at most; `undefined` when none was committed. */
export function limitOf({ name, noise = 0 }: Figure, before: Committed): number | undefined {
  const value = before[name];
  return value === undefined ? undefined : Math.max(value * TOLERANCE, value + noise);
}

const HEADER = ["figure", "bar", "aim", "measured", "", "others"];

/** For a terminal: columns in line. */
export function plainTable(figures: readonly Figure[]): string {
  const rows = [HEADER, ...figures.map(cells)].map((row) => row.map((cell) => cell.replaceAll("`", "")));
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 || column === row.length - 1 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  return rows.map(line).join("\n");
}

function cells(figure: Figure): readonly string[] {
  const { about, unit, bar, aim, measured, peers = {} } = figure;
  const others = Object.entries(peers).map(([name, value]) => `${name} ${format(value, unit)}`);
  const verdict = bar === undefined ? "" : holds(figure) ? "holds" : "MISSED";
  return [about, told(bar, unit), told(aim, unit), format(measured, unit), verdict, others.join(", ")];
}

function told(value: number | undefined, unit: Figure["unit"]): string {
  return value === undefined ? "" : format(value, unit);
}

function format(value: number, unit: Figure["unit"]): string {
  if (unit === "count") return value.toString().replace(/\B(?=(\d{3})+$)/g, " ");
  const digits = Math.abs(value) >= 100 ? 0 : unit === "x" ? 2 : 1;
  return unit === "x" ? `${value.toFixed(digits)}x` : `${value.toFixed(digits)} ${unit}`;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}
