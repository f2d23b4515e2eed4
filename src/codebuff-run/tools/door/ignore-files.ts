// Reads `.gitignore` and `.codebuffignore`, and reads them again after a change.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import ignore, { type Ignore } from "ignore";
import type { Stamp } from "./door.ts";
import { linesAtRoot } from "./ignore-lines.ts";
import { sameFile, stampOf } from "./stamp.ts";
import type { OnFolder } from "./walker.ts";

/** A later file overrides an earlier one. */
const NAMES = [".gitignore", ".codebuffignore"];
const ALL = "*";
/** Bytes of an ignore file. A larger file blocks its whole folder. */
const MAX_BYTES = 262_144;
/** Rules from the root to a path. Matching is synchronous. A folder above the limit is blocked. */
const MAX_RULES = 2_000;
/** Names in a path. Longer paths are blocked if there are rules: matching time grows quadratically. */
const MAX_NAMES = 100;
/** Folders whose rules are cached. */
const MAX_FOLDERS = 1_000;
/** Matched paths until the matcher is rebuilt: the package caches each answer. */
const MAX_ANSWERS = 10_000;

/** The rules of a folder: its own ignore files, and those above. */
interface Rules {
  readonly above: Rules | undefined;
  readonly stamps: readonly (Stamp | undefined)[];
  readonly lines: readonly string[];
  /** Including the folders above. */
  readonly count: number;
  /** Created on first use: most folders need none. */
  matcher: Ignore | undefined;
  answers: number;
}

/** Cached ignore files. Links are not read, as in Git. */
export class IgnoreFiles {
  readonly #isCaseless: boolean;
  readonly #folders = new Map<string, Rules>();

  constructor(platform: NodeJS.Platform) {
    this.#isCaseless = platform === "win32" || platform === "darwin";
  }

  way(): IgnoreWay {
    let rules: Rules | undefined;
    return {
      onFolder: (at, path) => {
        rules = this.#rulesOf(at, path, path === "" ? undefined : rules);
      },
      ignores: (path, kind) => rules !== undefined && this.#ask(rules, kind === "folder" ? `${path}/` : path),
    };
  }

  #rulesOf(at: string, path: string, above: Rules | undefined): Rules | undefined {
    // Everything is blocked here already.
    if (above !== undefined && above.count > MAX_RULES) return above;
    const stamps = NAMES.map((name) => stampAt(`${at}/${name}`));
    const known = this.#folders.get(path);
    if (stamps.every((stamp) => stamp === undefined)) {
      if (known) this.#folders.delete(path);
      return above;
    }
    if (known && known.above === above && stamps.every((stamp, index) => same(stamp, known.stamps[index])))
      return known;
    const own = NAMES.flatMap((name, index) =>
      stamps[index] === undefined ? [] : linesAtRoot(readText(`${at}/${name}`), path),
    );
    const count = (above?.count ?? 0) + own.length;
    const lines = count > MAX_RULES ? linesAtRoot(ALL, path) : own;
    const rules = { above, stamps, lines, count, matcher: undefined, answers: 0 };
    this.#remember(path, rules);
    return rules;
  }

  #ask(rules: Rules, path: string): boolean {
    if (path.split("/").length > MAX_NAMES) return true;
    if (rules.answers++ >= MAX_ANSWERS) {
      rules.matcher = undefined;
      rules.answers = 0;
    }
    rules.matcher ??= this.#matcher(rules);
    return rules.matcher.ignores(path);
  }

  #matcher(rules: Rules): Ignore {
    const folders: (readonly string[])[] = [];
    for (let at: Rules | undefined = rules; at; at = at.above) folders.push(at.lines);
    return ignore({ ignorecase: this.#isCaseless }).add(folders.reverse().flat());
  }

  #remember(path: string, rules: Rules): void {
    this.#folders.delete(path);
    this.#folders.set(path, rules);
    if (this.#folders.size <= MAX_FOLDERS) return;
    const [oldest] = this.#folders.keys();
    if (oldest !== undefined) this.#folders.delete(oldest);
  }
}

export interface IgnoreWay {
  readonly onFolder: OnFolder;
  ignores(path: string, kind: "file" | "folder"): boolean;
}

function stampAt(path: string): Stamp | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() ? stampOf(stats) : undefined;
}

function same(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameFile(a, b);
}

/** Returns `ALL` for an unreadable file: its rules are unknown. */
function readText(path: string): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      if (!fstatSync(fd).isFile()) return ALL;
      const bytes = Buffer.alloc(MAX_BYTES + 1);
      let length = 0;
      for (let got = -1; got !== 0 && length < bytes.length; length += got)
        got = readSync(fd, bytes, length, bytes.length - length, null);
      return length > MAX_BYTES ? ALL : bytes.toString("utf8", 0, length);
    } finally {
      closeSync(fd);
    }
  } catch {
    return ALL;
  }
}
