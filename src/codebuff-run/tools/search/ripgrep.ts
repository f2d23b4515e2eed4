// Searches with ripgrep, in its own process group.
import type { Clock } from "../../../core/clock.ts";
import { type Deferred, deferred } from "../../../core/deferred.ts";
import { Queue } from "../../../core/queue.ts";
import { GroupProcess } from "../../../process/group-process.ts";
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

export interface RipgrepSetup {
  readonly command: string;
  readonly cwd: string;
  readonly clock: Clock;
}

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

  /** Kills ripgrep, and drains the pipe: a paused process never ends. */
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

  async stop(): Promise<void> {
    this.#search.signal.removeEventListener("abort", this.#onAbort);
    if (this.#end) return;
    this.#kill();
    await this.#over.promise;
  }
}

/** For a script named `rg`. ripgrep itself needs no variables. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, Path, SystemRoot, HOME, LANG } = process.env;
  return JSON.parse(JSON.stringify({ PATH, Path, SystemRoot, HOME, LANG }));
}
