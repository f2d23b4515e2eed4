// The program `agentwire` in a process of its own.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { Child } from "../../examples/support/child.ts";
import { fastStart } from "../../helpers/sources.ts";
import { programFile } from "./program-file.ts";

/** ms after which a program that hangs is killed, so that its test fails with what it has said. */
const LIMIT = 30_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What stands on the standard input. @default nothing: it is at its end */
  readonly input?: string;
}

/** Runs the program to its end. */
export function agentwire(args: readonly string[], { env, input = "" }: RunOptions = {}): Promise<Ended> {
  return ended(
    spawn(process.execPath, [programFile(), ...args], { env: environment(env), stdio: "pipe" }),
    input,
  );
}

/** Runs a line in a shell in which `agentwire` is the program. */
export async function shell(line: string): Promise<Ended> {
  await using folder = await emptyFolder();
  const { PATH, ...env } = environment();
  const script = `#!/bin/sh\nexec "${process.execPath}" "${programFile()}" "$@"\n`;
  await writeFile(join(folder.path, "agentwire"), script, { mode: 0o755 });
  const found = { ...env, PATH: `${folder.path}:${PATH}` };
  return await ended(spawn("sh", ["-c", line], { env: found, cwd: folder.path, stdio: "pipe" }), "");
}

/** Writes the input, and waits for the end. */
async function ended(child: ChildProcessWithoutNullStreams, input: string): Promise<Ended> {
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  child.stdin.on("error", () => {}); // it has left
  child.stdin.end(input);
  await once(child, "close");
  clearTimeout(timer);
  return { code: child.exitCode, stdout, stderr };
}

/** The program with its user at the other end of the pipes. */
export function talkingTo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  return new Child(programFile(), args, { env: environment(env), limit: LIMIT });
}

/** Nothing of this environment but `PATH`, and a home of the test's own. */
function environment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", ...fastStart(), HOME: home, AGENTWIRE_HOME: home, ...env };
}

/** Where programs of this file keep chats, unless they are told otherwise. It does not exist before a program makes it. */
const home = join(tmpdir(), `agentwire-home-${process.pid}-${Math.random().toString(36).slice(2)}`);

afterEach(() => rm(home, { recursive: true, force: true }));

export const programHome = (): string => home;

/** An empty folder. */
export async function emptyFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "agentwire-program-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** The lines of JSON in a text. */
export function linesOf<Line>(text: string): readonly Line[] {
  return text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
