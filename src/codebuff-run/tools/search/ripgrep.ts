// Searches with ripgrep, in a process group of its own.
import type { Clock } from "../../../core/clock.ts";
import { type Deferred, deferred } from "../../../core/deferred.ts";
import { Queue } from "../../../core/queue.ts";
import { GroupProcess } from "../../../process/group-process.ts";
import type { SearchFlags } from "./flags.ts";
import { type Engine, type EngineEnd, type EngineSearch, type FileHits, MAX_FILE_BYTES } from "./hits.ts";
import { EventReader } from "./ripgrep-events.ts";

/** Files that wait for their reader before ripgrep has to. */
const MAX_WAITING = 64;
/** Characters of ripgrep's errors that are kept. */
const MAX_STDERR = 4_000;

/** What never changes. Order is by name, so that a search that stops early stops at the same match each time. */
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
  // A file that cannot be read is skipped: its message would have the name of a file that may be blocked.
  "--no-messages",
  // The door says what is ignored. ripgrep reads each `.gitignore` only so as not to search what is dropped anyway.
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--no-ignore-parent",
  "--path-separator=/",
];

export interface RipgrepSetup {
  readonly command: string;
  /** The folder to search. */
  readonly cwd: string;
  readonly clock: Clock;
}

/** ripgrep's arguments, all made here: nothing of the agent can be read as a flag. */
export function ripgrepArgs(search: EngineSearch): string[] {
  const { pattern, flags, maxPerFile, hidden, hiddenFolders, ignoreFiles } = search;
  return [
    ...FIXED,
    ignoreFiles ? "--ignore-vcs" : "--no-ignore",
    hidden ? "--hidden" : "--no-hidden",
    ...matchArgs(flags),
    // A limit counts lines, and not ranges.
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

/**
 * Searches with ripgrep, in a process group of its own that has ended when this generator ends: by itself, by the signal, or by a reader that stops.
 *
 * @throws the signal's reason, or the error of a program that cannot be started
 */
export async function* searchWithRipgrep(search: EngineSearch, setup: RipgrepSetup): Engine {
  search.signal.throwIfAborted();
  const run = new Run(search, setup);
  try {
    for (;;) {
      const next = await run.next();
      if (!("path" in next)) return next;
      yield next;
    }
  } finally {
    await run.stop();
  }
}

/** One ripgrep under way: what it has found, and who waits for it. */
class Run {
  readonly #search: EngineSearch;
  readonly #process: GroupProcess;
  readonly #files = new Queue<FileHits>();
  readonly #over: Deferred<void> = deferred();
  readonly #decoder = new TextDecoder();
  #isWanted = true;
  #stderr = "";
  #end: EngineEnd | { readonly error: unknown } | undefined;
  #wake = (): void => {};

  constructor(search: EngineSearch, { command, cwd, clock }: RipgrepSetup) {
    this.#search = search;
    const { maxPerFile, flags, signal } = search;
    const onFile = (file: FileHits): void => this.#onFile(file);
    const events = new EventReader({ maxPerFile, multiline: flags.multiline, onFile });
    this.#process = new GroupProcess({
      command,
      args: ripgrepArgs(search),
      cwd,
      env: environment(),
      scope: "program",
      input: undefined,
      forwardSignals: false,
      clock,
      listener: {
        stdout: (piece) => events.feed(piece),
        stderr: (piece) => {
          if (this.#stderr.length < MAX_STDERR) this.#stderr += this.#decoder.decode(piece, { stream: true });
        },
        exited: () => {},
        ended: ({ code }) =>
          this.#onEnd({ code: code ?? 2, stderr: this.#stderr.slice(0, MAX_STDERR).trimEnd() }),
        abandoned: () => this.#onEnd({ error: new Error("this process ends") }),
        failed: (error) => this.#onEnd({ error }),
      },
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    this.#kill();
    this.#wake();
  };

  /** Nothing is read any more, but the pipe is emptied: a process that is paused never ends. */
  #kill(): void {
    this.#isWanted = false;
    this.#files.clear();
    this.#process.kill();
    this.#process.resume();
  }

  #onFile(file: FileHits): void {
    if (!this.#isWanted) return;
    this.#files.add(file);
    if (this.#files.size >= MAX_WAITING) this.#process.pause();
    this.#wake();
  }

  #onEnd(end: EngineEnd | { readonly error: unknown }): void {
    this.#end = end;
    this.#over.resolve(undefined);
    this.#wake();
  }

  async next(): Promise<FileHits | EngineEnd> {
    for (;;) {
      this.#search.signal.throwIfAborted();
      const file = this.#files.take();
      if (file) return file;
      this.#process.resume();
      if (this.#end && "error" in this.#end) throw this.#end.error;
      if (this.#end) return this.#end;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves when the process and all that it started have ended. */
  async stop(): Promise<void> {
    this.#search.signal.removeEventListener("abort", this.#onAbort);
    if (this.#end) return;
    this.#kill();
    await this.#over.promise;
  }
}

/** ripgrep needs none of it; a script called `rg` may. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, Path, SystemRoot, HOME, LANG } = process.env;
  return JSON.parse(JSON.stringify({ PATH, Path, SystemRoot, HOME, LANG }));
}
