import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { FakeCodebuffCli, type FakeCodebuffScenario } from "agentwire/testing";

export interface Surroundings {
  /** What is written to stdin, and then its end; `open` leaves it open; without, there is none. */
  readonly stdin?: string | "open" | number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly detached?: boolean;
  /** `false`: who starts it reads stdout. @default true */
  readonly collect?: boolean;
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A run under way, as a parent process has it. */
export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: Readable;
  /** Resolves once both pipes have ended, too. */
  readonly ended: Promise<Ended>;
  /** Resolves with the first output; rejects where there is none. */
  firstOutput(): Promise<string>;
}

const OPEN = "open";

/** Starts a run without anything of the developer's own key. */
export function start(
  cli: Pick<FakeCodebuffCli, "command" | "args" | "env">,
  argv: readonly string[],
  { stdin, env = {}, cwd, detached = false, collect = true }: Surroundings = {},
): Started {
  const { CODEBUFF_API_KEY: _, ...inherited } = process.env;
  const child = spawn(cli.command, [...cli.args, ...argv], {
    stdio: [typeof stdin === "number" ? stdin : stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    env: { ...inherited, ...cli.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    detached,
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr || child.pid === undefined) throw new Error("nothing was started");
  child.stdin?.on("error", () => {}); // a program may end without having read it
  if (typeof stdin === "string" && stdin !== OPEN) child.stdin?.end(stdin);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  if (collect) stdout.on("data", (bytes: Buffer) => out.push(bytes));
  stderr.on("data", (bytes: Buffer) => err.push(bytes));
  const ended = once(child, "close").then(([code, signal]): Ended => {
    const bytes = Buffer.concat(out);
    return { stdout: bytes.toString(), stderr: Buffer.concat(err).toString(), bytes, code, signal };
  });
  return {
    child,
    pid: child.pid,
    stdout,
    ended,
    async firstOutput() {
      if (out.length === 0) await once(stdout, "data");
      return Buffer.concat(out).toString();
    },
  };
}

/** One whole run. */
export function run(
  cli: Pick<FakeCodebuffCli, "command" | "args" | "env">,
  argv: readonly string[],
  surroundings?: Surroundings,
): Promise<Ended> {
  return start(cli, argv, surroundings).ended;
}

export const STREAM = ["--stream-json", "--", "hi"] as const;

/** What one scenario prints, and the record of it. */
export async function played(
  scenario: FakeCodebuffScenario,
  argv: readonly string[] = STREAM,
  surroundings?: Surroundings,
) {
  await using cli = await FakeCodebuffCli.start(scenario);
  const ended = await run(cli, argv, surroundings);
  const [record] = cli.runs();
  if (!record) throw new Error("there is no record");
  return { ...ended, record, lines: ended.stdout.split("\n").slice(0, -1) };
}

/** The lines of a scenario, parsed. */
export async function eventsOf(scenario: FakeCodebuffScenario, argv?: readonly string[]) {
  const { lines } = await played(scenario, argv);
  return lines.map((line): Record<string, unknown> => JSON.parse(line));
}

/** What `--json` printed. */
export function objectOf({ stdout }: Pick<Ended, "stdout">): Record<string, unknown> {
  return JSON.parse(stdout);
}
