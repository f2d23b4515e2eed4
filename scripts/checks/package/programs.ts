import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";
import * as z from "zod/mini";
import { bundle } from "../../support/bundle.ts";
import { type Program, toModule } from "../../support/first-program.ts";
import type { NodeVersion } from "../../support/node-versions.ts";
import type { Consumer } from "../../support/pack.ts";
import { type RunResult, run, tail } from "../../support/run.ts";

/** ms. Each program takes one turn on loopback, and must let its process end. */
const TIMEOUT = 30_000;
const PROGRAMS = join(import.meta.dirname, "../../consumer");
const complaints = z.array(z.string());

/** Runs `exercise.ts` in both module formats, and returns what it found wrong. */
export async function exercise(consumer: Consumer, node: NodeVersion): Promise<readonly string[]> {
  const source = await readFile(join(PROGRAMS, "exercise.ts"), "utf8");
  const found: string[] = [];
  for (const { format, file } of [
    { format: "esm", file: "exercise.mjs" },
    { format: "cjs", file: "exercise.cjs" },
  ] as const) {
    const { code } = await transform(source, { loader: "ts", format, target: "node22" });
    await writeFile(join(consumer.folder, file), code);
    const result = await run(node.path, [file], { cwd: consumer.folder, timeout: TIMEOUT });
    const label = `${format === "esm" ? "an ES module" : "CommonJS"} on Node ${node.version}`;
    if (result.ok) {
      const wrong = complaints.parse(JSON.parse(result.stdout));
      found.push(...wrong.map((complaint) => `used from ${label}: ${complaint}`));
    } else found.push(`used from ${label}: ${ending(result)}`);
  }
  return found;
}

/** Bundles `browser-app.ts` as an app does and runs it with a browser's globals only. */
export async function browserApp(consumer: Consumer): Promise<readonly string[]> {
  const source = await readFile(join(PROGRAMS, "browser-app.ts"), "utf8");
  const { code } = await transform(source, { loader: "ts", format: "esm" });
  const bundled = await bundle(consumer.folder, code, { format: "iife" });
  if (bundled.errors.length > 0) return bundled.errors.map((error) => `in a browser bundle: ${error}`);
  const file = join(consumer.folder, "bundle.js");
  await writeFile(file, bundled.code);
  const page = await run(process.execPath, [join(PROGRAMS, "browser-page.ts"), file], {
    cwd: consumer.folder,
    timeout: TIMEOUT,
  });
  const shown = page.stdout.trim();
  if (page.ok && shown === "one two / one two") return [];
  return [`in a browser bundle: showed ${JSON.stringify(shown)} instead of the text; ${ending(page)}`];
}

/** Runs the README's first program as its reader would: installed package, no server, no key. */
export async function firstProgram(
  consumer: Consumer,
  program: Program,
  node: NodeVersion,
): Promise<string | undefined> {
  try {
    await writeFile(join(consumer.folder, "first-program.mjs"), await toModule(program));
  } catch (error) {
    return `the first program is no ${program.language}: ${error instanceof Error ? error.message : String(error)}`;
  }
  const result = await run(node.path, ["first-program.mjs"], { cwd: consumer.folder, timeout: TIMEOUT });
  if (!result.ok) return `the first program fails on Node ${node.version}: ${ending(result)}`;
  if (result.stdout.trim() === "") return `the first program prints nothing on Node ${node.version}`;
  return undefined;
}

/** Runs the program `agentwire` as its first user would: installed package, nothing else. */
export async function installedProgram(consumer: Consumer, node: NodeVersion): Promise<string | undefined> {
  const file = join(consumer.folder, "node_modules", ".bin", "agentwire");
  const result = await run(node.path, [file, "chat", "mock", "-p", "ask"], {
    cwd: consumer.folder,
    timeout: TIMEOUT,
  });
  const label = `agentwire chat mock on Node ${node.version}`;
  if (!result.ok) return `${label} fails: ${ending(result)}`;
  return result.stdout.startsWith("You said: ask.")
    ? undefined
    : `${label} prints ${JSON.stringify(result.stdout)}`;
}

function ending(result: RunResult): string {
  return `${result.ending}\n${tail(result)}`.trim();
}
