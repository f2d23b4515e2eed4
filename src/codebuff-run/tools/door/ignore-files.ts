// Reads `.gitignore` and its like, again after each change.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import ignore, { type Ignore } from "ignore";
import type { Stamp } from "./door.ts";
import { linesAtRoot } from "./ignore-lines.ts";
import { sameFile, stampOf } from "./stamp.ts";
import type { OnFolder } from "./walker.ts";

/** In this order: a later file overrules an earlier one. */
const NAMES = [".gitignore", ".codebuffignore"];
/** A line that ignores all. */
const ALL = "*";
/** Bytes of an ignore file. A larger one blocks all that is below its folder. */
const MAX_BYTES = 262_144;
/**
 * Rules on the way from the root to a path, in all ignore files together. Each is matched with each folder of the path, while nothing else runs.
 * A folder that brings more blocks all that is below it. The longest common templates have 400 rules.
 */
const MAX_RULES = 2_000;
/** Names of a path. A longer one is blocked where there are rules: time grows with the square of this. Deep projects have 30. */
const MAX_NAMES = 100;
/** Folders with ignore files that are remembered. */
const MAX_FOLDERS = 1_000;
/** Paths that one set of rules is asked about before it is built again: the package remembers each answer. */
const MAX_ANSWERS = 10_000;

/** The rules that hold in a folder: of its own ignore files and of those above. */
interface Rules {
  readonly above: Rules | undefined;
  readonly stamps: readonly (Stamp | undefined)[];
  /** Of its own files. */
  readonly lines: readonly string[];
  /** Of its own files and of those above. */
  readonly count: number;
  /** Made for the first question: most folders on a way are asked none. */
  matcher: Ignore | undefined;
  answers: number;
}

/** What ignore files say. Each is read once and again when it changed. A link is no ignore file, as for git. */
export class IgnoreFiles {
  readonly #isCaseless: boolean;
  readonly #folders = new Map<string, Rules>();

  constructor(platform: NodeJS.Platform) {
    this.#isCaseless = platform === "win32" || platform === "darwin";
  }

  /** Collects the rules on one way. */
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
    // All is blocked here, whatever the files below say.
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

/** `undefined`: no file. */
function stampAt(path: string): Stamp | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() ? stampOf(stats) : undefined;
}

function same(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameFile(a, b);
}

/** `ALL` for a file that cannot be read: what it would have blocked is unknown. */
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
