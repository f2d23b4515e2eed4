import { join } from "node:path";
import { run, tail } from "../scripts/support/run.ts";
import { failed, type Outcome, outcomeOf, type Row } from "./outcome.ts";
import { MATRIX } from "./place.ts";

/** ms for all trials. */
const LIMIT = 180_000;

/** A runtime that runs a file. */
export interface Runtime {
  readonly command: string;
  readonly args?: readonly string[];
}

const installed = (path: string): string => join(MATRIX, "node_modules", path);

export const RUNTIMES = {
  "node22.12": { command: installed("node22-12/bin/node") },
  node22: { command: installed("node22/bin/node") },
  node24: { command: process.execPath },
  node26: { command: installed("node26/bin/node") },
  bun: { command: installed(".bin/bun") },
  deno: { command: installed(".bin/deno"), args: ["run", "-A", "--quiet", "--node-modules-dir=manual"] },
} as const satisfies Record<string, Runtime>;

/** Runs a file of a project. */
export async function runIn(
  { command, args = [] }: Runtime,
  folder: string,
  file: string,
  addresses: string,
): Promise<Outcome> {
  const result = await run(command, [...args, file, addresses], { cwd: folder, timeout: LIMIT });
  return result.ok ? outcomeOf(result.stdout) : failed(`${result.ending}: ${tail(result)}`);
}

/** The program as a module and as CommonJS. */
export async function runtimeRow(runtime: Runtime, folder: string, addresses: string): Promise<Row> {
  return {
    version: await versionOf(runtime, folder),
    module: await runIn(runtime, folder, "main.mjs", addresses),
    commonJs: await runIn(runtime, folder, "main.cjs", addresses),
  };
}

async function versionOf({ command }: Runtime, folder: string): Promise<string> {
  const result = await run(command, ["--version"], { cwd: folder });
  return /\d+\.\d+\.\d+/.exec(result.stdout)?.[0] ?? result.ending;
}
