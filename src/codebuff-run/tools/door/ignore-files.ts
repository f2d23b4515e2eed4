// Reads `.gitignore` and `.codebuffignore`, and reads them again after a change.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import ignore, { type Ignore } from "ignore";
import { Recent } from "../../../core/recent.ts";
import { type Stamp, sameFile, stampOf } from "./stamp.ts";
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
  readonly #folders = new Recent<string, Rules>(MAX_FOLDERS);

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
    if (
      known &&
      known.above === above &&
      stamps.every((stamp, index) => sameFile(stamp, known.stamps[index]))
    )
      return known;
    const own = NAMES.flatMap((name, index) =>
      stamps[index] === undefined ? [] : linesAtRoot(readText(`${at}/${name}`), path),
    );
    const count = (above?.count ?? 0) + own.length;
    const lines = count > MAX_RULES ? linesAtRoot(ALL, path) : own;
    const rules = { above, stamps, lines, count, matcher: undefined, answers: 0 };
    this.#folders.set(path, rules);
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
}

export interface IgnoreWay {
  readonly onFolder: OnFolder;
  ignores(path: string, kind: "file" | "folder"): boolean;
}

function stampAt(path: string): Stamp | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() ? stampOf(stats) : undefined;
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

/** Wildcards per line. The package `ignore` backtracks: each further wildcard can take 255 times as long. */
const MAX_WILDCARDS = 3;
const WILDCARDS = /\*+/g;

/** Rewrites the lines of the ignore file in `folder` for an ignore file at the root. */
function linesAtRoot(text: string, folder: string): readonly string[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .flatMap((line) => atRoot(line, folder) ?? []);
}

function atRoot(line: string, folder: string): string | undefined {
  if (line.trim() === "" || line.startsWith("#")) return undefined;
  const isNegative = line.startsWith("!");
  const written = isNegative ? line.slice(1) : line;
  // The package takes `a/**/` for `a/` too. Git takes it for the folders below.
  const exact = written.replace(/(^|\/)\*\*\/$/, "$1**/*/");
  const pattern = widened(exact);
  // A wider pattern blocks more. A wider negative pattern would allow more, so it is dropped.
  if (isNegative && pattern !== exact) return undefined;
  const sign = isNegative ? "!" : "";
  if (folder === "") return sign + pattern;
  // A pattern with an inner slash is relative to its folder. Other patterns match at any depth.
  const depth = /\/./.test(pattern) ? "" : "**/";
  return `${sign}/${escaped(folder)}/${depth}${pattern.replace(/^\\([#!])/, "$1").replace(/^\//, "")}`;
}

/** A pattern that matches at least as much, in bounded time. */
function widened(pattern: string): string {
  if ((pattern.match(WILDCARDS)?.length ?? 0) <= MAX_WILDCARDS) return pattern;
  if (!/\/./.test(pattern)) return "*";
  const names = pattern.replace(/^\//, "").split("/");
  const literal = names.slice(
    0,
    names.findIndex((name) => name.includes("*")),
  );
  return `/${[...literal, "**"].join("/")}`;
}

function escaped(folder: string): string {
  return folder.replace(/[\\*?[\]!# ]/g, "\\$&");
}
