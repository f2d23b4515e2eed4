// Searches with ripgrep, in its own process group.
import { deferred } from "../../../core/deferred.ts";
import { Queue } from "../../../core/queue.ts";
import { GroupProcess, type ProcessSetup } from "../../../process/group-process.ts";
import type { SearchFlags } from "./flags.ts";
import { type Engine, type EngineEnd, type EngineSearch, type FileHits, MAX_FILE_BYTES } from "./hits.ts";
import { EventReader } from "./ripgrep-events.ts";

/** Files in the queue before ripgrep is paused. */
const MAX_WAITING = 64;
/** Characters of ripgrep's stderr. */
const MAX_STDERR = 4_000;

/** Constant arguments. Sorted by name, so that a stopped search always stops at the same match. */
const FIXED = [
  "--no-config",
  "--json",
  "-n",
  "--color=never",
  "--sort=path",
  `--max-filesize=${MAX_FILE_BYTES}`,
  "--no-follow",
  "--no-pre",
  "--no-search-zip",
  // Errors could contain the names of blocked files.
  "--no-messages",
  // The door applies ignore files. ripgrep reads `.gitignore` only to save time.
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--no-ignore-parent",
  "--path-separator=/",
];

type RipgrepSetup = Pick<ProcessSetup, "command" | "cwd" | "clock">;

/** All flags are made here: nothing from the agent can become a flag. */
export function ripgrepArgs(search: EngineSearch): string[] {
  const { pattern, flags, maxPerFile, hidden, hiddenFolders, ignoreFiles } = search;
  return [
    ...FIXED,
    ignoreFiles ? "--ignore-vcs" : "--no-ignore",
    hidden ? "--hidden" : "--no-hidden",
    ...matchArgs(flags),
    // This limit counts lines, not ranges.
    ...(flags.multiline ? [] : [`--max-count=${maxPerFile}`]),
    ...flags.globs.map((glob) => `--glob=${glob}`),
    "--glob=!.git",
    ...flags.types.map(({ name, excludes }) => `--type${excludes ? "-not" : ""}=${name}`),
    "--",
    pattern,
    ".",
    ...hiddenFolders,
  ];
}

function matchArgs({ letterCase, boundary, fixed, multiline, dotAll }: SearchFlags): string[] {
  const letterCases = { sensitive: "--case-sensitive", insensitive: "--ignore-case", smart: "--smart-case" };
  return [
    letterCases[letterCase],
    ...(boundary === "word" ? ["--word-regexp"] : boundary === "line" ? ["--line-regexp"] : []),
    ...(fixed ? ["--fixed-strings"] : []),
    ...(multiline ? ["--multiline"] : []),
    ...(multiline && dotAll ? ["--multiline-dotall"] : []),
  ];
}

/** The process group ends with this generator. @throws the signal's reason; the error of `spawn` */
export async function* searchWithRipgrep(search: EngineSearch, setup: RipgrepSetup): Engine {
  const { maxPerFile, flags, signal } = search;
  signal.throwIfAborted();
  const files = new Queue<FileHits>();
  const over = deferred<void>();
  const decoder = new TextDecoder();
  let stderr = "";
  let isWanted = true;
  let end: EngineEnd | { readonly error: unknown } | undefined;
  let wake = (): void => {};
  const finish = (ended: NonNullable<typeof end>): void => {
    end = ended;
    over.resolve();
    wake();
  };
  const onFile = (file: FileHits): void => {
    if (!isWanted) return;
    files.add(file);
    if (files.size >= MAX_WAITING) ripgrep.pause();
    wake();
  };
  const events = new EventReader({ maxPerFile, multiline: flags.multiline, onFile });
  const ripgrep = new GroupProcess({
    ...setup,
    args: ripgrepArgs(search),
    env: environment(),
    scope: "program",
    input: undefined,
    forwardSignals: false,
    listener: {
      stdout: (piece) => events.feed(piece),
      stderr: (piece) => {
        if (stderr.length < MAX_STDERR) stderr += decoder.decode(piece, { stream: true });
      },
      exited: () => {},
      ended: ({ code }) => finish({ code: code ?? 2, stderr: stderr.slice(0, MAX_STDERR).trimEnd() }),
      abandoned: () => finish({ error: new Error("this process ends") }),
      failed: (error) => finish({ error }),
    },
  });
  /** Kills ripgrep, and drains the pipe: a paused process never ends. */
  const kill = (): void => {
    isWanted = false;
    files.clear();
    ripgrep.kill();
    ripgrep.resume();
  };
  const onAbort = (): void => {
    kill();
    wake();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const file = files.take();
      if (file) {
        yield file;
        continue;
      }
      ripgrep.resume();
      if (end && "error" in end) throw end.error;
      if (end) return end;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (!end) {
      kill();
      await over.promise;
    }
  }
}

/** For a script named `rg`. ripgrep itself needs no variables. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, Path, SystemRoot, HOME, LANG } = process.env;
  return JSON.parse(JSON.stringify({ PATH, Path, SystemRoot, HOME, LANG }));
}
