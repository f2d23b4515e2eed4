// The changes in git, for a prompt: read by the program `git`, which runs nothing that the project configures.

import { joinBytes } from "../../../core/bytes.ts";
import { systemClock } from "../../../core/clock.ts";
import { deferred } from "../../../core/deferred.ts";
import { programEnvironment } from "../../../process/environment.ts";
import { GroupProcess } from "../../../process/group-process.ts";
import { findProgram } from "../../../process/program.ts";
import type { ProjectFacts } from "../../project.ts";
import type { Door } from "../door/door.ts";

type GitChanges = NonNullable<ProjectFacts["gitChanges"]>;

/** ms for one command. */
const TIME_LIMIT = 10_000;
/** Bytes of one command's output. A prompt shows less. */
const MAX_OUTPUT = 262_144;
/** Files whose changes are shown. */
const MAX_FILES = 200;

/** No hook, no monitor, no pager. */
const SAFE = [
  "--no-pager",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.quotePath=false",
];
/** No program of the project. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color"];

/** @returns a problem in words if git is missing, the folder is no repository, or the repository configures filters */
export async function readGit(
  door: Door,
  signal: AbortSignal,
): Promise<GitChanges | { readonly problem: string }> {
  const git = (...args: readonly string[]) => runGit(door, [...SAFE, ...args], signal);
  const filters = await git("config", "--local", "--includes", "--name-only", "--get-regexp", "^filter\\.");
  if (filters.code === undefined) return { problem: `the changes in git are not shown: ${filters.output}` };
  if (filters.output.trim() !== "")
    return {
      problem: "the changes in git are not shown: the repository configures filters, which git would run",
    };
  const status = await git(
    "status",
    "--porcelain=v1",
    "-z",
    "--no-renames",
    "--untracked-files=normal",
    "--",
    ".",
  );
  if (status.code !== 0)
    return { problem: "the changes in git are not shown: the folder is no usable repository" };
  const changed = await usable(door, entriesOf(status.output));
  const files = changed.filter(({ mark }) => mark !== "??").slice(0, MAX_FILES);
  const paths = files.map(({ path }) => path);
  const diff = async (...more: readonly string[]): Promise<string> =>
    paths.length === 0
      ? ""
      : (await git("diff", ...PLAIN, "--relative", ...more, "--", ...paths.map(literal))).output;
  const log = await git("log", "-10", "--format=%s", "--", ".");
  return {
    status: changed.map(({ mark, path }) => `${mark} ${path}`).join("\n"),
    diff: await diff(),
    diffCached: await diff("--cached"),
    lastCommitMessages: log.code === 0 ? log.output.trimEnd() : "",
  };
}

/** A path that git takes by its letters. */
const literal = (path: string): string => `:(literal)${path}`;

interface Changed {
  readonly mark: string;
  /** Relative to the root. */
  readonly path: string;
}

/** `-z` separates entries by NUL: names need no quotes. */
function entriesOf(output: string): readonly Changed[] {
  return output
    .split("\0")
    .filter((entry) => entry.length > 3)
    .map((entry) => ({ mark: entry.slice(0, 2), path: entry.slice(3) }));
}

/** Without what the tools may not read, such as a tracked `.env`. */
async function usable(door: Door, changed: readonly Changed[]): Promise<readonly Changed[]> {
  const allowed: Changed[] = [];
  for (const each of changed.slice(0, MAX_FILES)) {
    const isFolder = each.path.endsWith("/");
    const path = isFolder ? each.path.slice(0, -1) : each.path;
    if ((await door.status(path, isFolder ? "folder" : "file")) !== "blocked") allowed.push(each);
  }
  return allowed;
}

interface Ended {
  /** Undefined: git was not run, and `output` says why. */
  readonly code: number | undefined;
  readonly output: string;
}

async function runGit(door: Door, args: readonly string[], signal: AbortSignal): Promise<Ended> {
  signal.throwIfAborted();
  const { platform, env: own } = process;
  const env = { ...programEnvironment({ own, inheritEnv: false, platform }), GIT_OPTIONAL_LOCKS: "0" };
  const found = findProgram("git", env);
  if ("code" in found) return { code: undefined, output: "there is no git in PATH" };
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const over = deferred<Ended>();
  const text = (): string => new TextDecoder().decode(joinBytes(pieces)).slice(0, MAX_OUTPUT);
  const child = new GroupProcess({
    command: found.command,
    args: [...found.args, ...args],
    cwd: door.root,
    env,
    input: undefined,
    forwardSignals: false,
    scope: "group",
    clock: systemClock,
    listener: {
      stdout: (piece) => {
        if (bytes <= MAX_OUTPUT) pieces.push(piece);
        bytes += piece.length;
        if (bytes > MAX_OUTPUT) child.kill();
      },
      stderr: () => {}, // it may name absolute paths
      exited: () => {},
      abandoned: () => over.resolve({ code: undefined, output: "this process ends" }),
      ended: ({ code }) => over.resolve({ code: code ?? (bytes > MAX_OUTPUT ? 0 : 1), output: text() }),
      failed: () => over.resolve({ code: undefined, output: "git could not be started" }),
    },
  });
  const kill = (): void => child.kill();
  const limit = systemClock.setTimeout(kill, TIME_LIMIT);
  signal.addEventListener("abort", kill, { once: true });
  try {
    return await over.promise;
  } finally {
    limit();
    signal.removeEventListener("abort", kill);
    signal.throwIfAborted();
  }
}
