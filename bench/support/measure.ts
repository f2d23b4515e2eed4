import { fork } from "node:child_process";
import { join } from "node:path";
import * as z from "zod/mini";

/** What one process measured, by name. */
export type Measured = Readonly<Record<string, number>>;

/** What it is told: how often, how many, whom. */
export type Settings = Readonly<Record<string, string | number>>;

/** ms; the longest measurement takes a minute, and one that hangs is to be told. */
const LIMIT = 300_000;

/** `queryObjects` is the one experiment of Node's that is used. */
const FLAGS = ["--expose-gc", "--disable-warning=ExperimentalWarning"];

const measured = z.record(z.string(), z.number());

/** Runs a file of `measurements/` in a process of its own, and resolves with what it measured. `flags`: further ones of Node. */
export function measure(
  name: string,
  settings: Settings = {},
  flags: readonly string[] = [],
): Promise<Measured> {
  const file = join(import.meta.dirname, "..", "measurements", `${name}.ts`);
  return new Promise((resolve, reject) => {
    const child = fork(file, [JSON.stringify(settings)], { execArgv: [...FLAGS, ...flags], timeout: LIMIT });
    let answer: unknown;
    child.once("message", (message) => {
      answer = message;
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const parsed = measured.safeParse(answer);
      if (parsed.success) resolve(parsed.data);
      else
        reject(
          new Error(`measurements/${name}.ts ended without an answer (${signal ?? `exit code ${code}`})`),
        );
    });
  });
}

const settings = z.record(z.string(), z.union([z.string(), z.number()]));

/** The other end of {@link measure}: runs what a file measures, and ends the process with the answer. */
export async function answer(work: (read: SettingsReader) => Promise<Measured>): Promise<void> {
  const given = settings.parse(JSON.parse(process.argv[2] ?? "{}"));
  let result: Measured;
  try {
    result = await work({
      number: (name) => z.number().parse(given[name]),
      text: (name) => z.string().parse(given[name]),
    });
  } catch (error) {
    // Not the whole error: that of a turn holds its text, which is megabytes here.
    console.error(error instanceof Error ? error.stack : error);
    process.exit(1);
  }
  // Alone, a file prints what it measured.
  if (process.send) process.send(result, () => process.exit());
  else {
    console.log(result);
    process.exit();
  }
}

export interface SettingsReader {
  number(name: string): number;
  text(name: string): string;
}
