// Parses and checks the ripgrep flags of a search.
import { globProblem } from "./globs.ts";

/** Parsed flags. Engines use only this, never the agent's text. */
export interface SearchFlags {
  readonly letterCase: "sensitive" | "insensitive" | "smart";
  readonly boundary: "none" | "word" | "line";
  readonly fixed: boolean;
  readonly multiline: boolean;
  /** Whether `.` matches line feeds. Needs `multiline`. */
  readonly dotAll: boolean;
  /** Context lines. */
  readonly before: number;
  readonly after: number;
  /** Matches per file. */
  readonly maxCount: number | undefined;
  /** In ripgrep's syntax; `!` excludes. The last matching glob decides. */
  readonly globs: readonly string[];
  readonly types: readonly TypeFlag[];
}

export interface TypeFlag {
  readonly name: string;
  readonly excludes: boolean;
}

export const NO_FLAGS: SearchFlags = {
  letterCase: "sensitive",
  boundary: "none",
  fixed: false,
  multiline: false,
  dotAll: false,
  before: 0,
  after: 0,
  maxCount: undefined,
  globs: [],
  types: [],
};

/** Context lines. */
const MAX_CONTEXT = 100;
/** Matches per file. Far above one search's limit. */
const MAX_COUNT = 1_000_000;
/** Globs and types per search. Each costs time per path. */
const MAX_FILTERS = 50;

const ALLOWED =
  "-i -S -s -w -x -F -U --multiline-dotall -A <n> -B <n> -C <n> -m <n> -g <glob> -t <type> -T <type>";

/** Quoted spaces do not split. */
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g;
const TYPE_NAME = /^[A-Za-z0-9]{1,40}$/;

export type ParsedFlags =
  | { readonly flags: SearchFlags; readonly problem?: undefined }
  | { readonly problem: string };

/** Parses flags like ripgrep (`-iw`, `-A3`). Refuses others: some run programs or leave the folder. */
export function parseFlags(text: string): ParsedFlags {
  const words = (text.match(WORD) ?? []).map((word) => word.replace(/["']/g, ""));
  const draft = new Draft();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--multiline-dotall") {
      draft.dotAll = true;
      continue;
    }
    if (!/^-[A-Za-z]/.test(word)) return { problem: refused(word) };
    for (let n = 1; n < word.length; n++) {
      const flag = word.charAt(n);
      if (draft.toggle(flag)) continue;
      if (!TAKES_VALUE.has(flag)) return { problem: refused(word) };
      const joined = word.slice(n + 1).replace(/^=/, "");
      const value = n + 1 < word.length ? joined : words[++at];
      if (value === undefined) return { problem: `The flag -${flag} needs a value.` };
      const problem = draft.set(flag, value);
      if (problem !== undefined) return { problem };
      break;
    }
  }
  return { flags: draft.flags() };
}

const TAKES_VALUE: ReadonlySet<string> = new Set(["A", "B", "C", "m", "g", "t", "T"]);

function refused(word: string): string {
  return `The flag ${JSON.stringify(word.slice(0, 100))} is not allowed. Allowed flags: ${ALLOWED}`;
}

/** As in ripgrep, later flags win, and `-A` and `-B` override `-C`. */
class Draft {
  dotAll = false;
  #letterCase: SearchFlags["letterCase"] = NO_FLAGS.letterCase;
  #boundary: SearchFlags["boundary"] = NO_FLAGS.boundary;
  #fixed = false;
  #multiline = false;
  readonly #numbers = new Map<string, number>();
  readonly #globs: string[] = [];
  readonly #types: TypeFlag[] = [];

  /** Returns whether the flag exists and takes no value. */
  toggle(flag: string): boolean {
    if (flag === "i") this.#letterCase = "insensitive";
    else if (flag === "S") this.#letterCase = "smart";
    else if (flag === "s") this.#letterCase = "sensitive";
    else if (flag === "w") this.#boundary = "word";
    else if (flag === "x") this.#boundary = "line";
    else if (flag === "F") this.#fixed = true;
    else if (flag === "U") this.#multiline = true;
    else return false;
    return true;
  }

  /** Returns the problem of an invalid value. */
  set(flag: string, value: string): string | undefined {
    if (flag === "g") return this.#addGlob(value);
    if (flag === "t" || flag === "T") return this.#addType({ name: value, excludes: flag === "T" });
    const [from, to] = flag === "m" ? [1, MAX_COUNT] : [0, MAX_CONTEXT];
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= from && number <= to))
      return `The flag -${flag} needs a whole number from ${from} to ${to}.`;
    this.#numbers.set(flag, number);
    return undefined;
  }

  #addGlob(glob: string): string | undefined {
    if (this.#globs.length >= MAX_FILTERS) return `There may be at most ${MAX_FILTERS} flags -g.`;
    const problem = globProblem(glob);
    if (problem !== undefined) return `The glob ${JSON.stringify(glob.slice(0, 100))} ${problem}.`;
    this.#globs.push(glob);
    return undefined;
  }

  #addType(type: TypeFlag): string | undefined {
    if (this.#types.length >= MAX_FILTERS) return `There may be at most ${MAX_FILTERS} flags -t and -T.`;
    if (!TYPE_NAME.test(type.name)) return `${JSON.stringify(type.name.slice(0, 100))} is no file type.`;
    this.#types.push(type);
    return undefined;
  }

  flags(): SearchFlags {
    const around = this.#numbers.get("C") ?? 0;
    return {
      letterCase: this.#letterCase,
      boundary: this.#boundary,
      fixed: this.#fixed,
      multiline: this.#multiline,
      dotAll: this.dotAll,
      before: this.#numbers.get("B") ?? around,
      after: this.#numbers.get("A") ?? around,
      maxCount: this.#numbers.get("m"),
      globs: this.#globs,
      types: this.#types,
    };
  }
}
