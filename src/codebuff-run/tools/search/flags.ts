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

const SWITCHES: ReadonlyMap<string, Partial<SearchFlags>> = new Map<string, Partial<SearchFlags>>([
  ["i", { letterCase: "insensitive" }],
  ["S", { letterCase: "smart" }],
  ["s", { letterCase: "sensitive" }],
  ["w", { boundary: "word" }],
  ["x", { boundary: "line" }],
  ["F", { fixed: true }],
  ["U", { multiline: true }],
]);

interface Values {
  readonly numbers: Map<string, number>;
  readonly globs: string[];
  readonly types: TypeFlag[];
}

/**
 * Parses flags like ripgrep (`-iw`, `-A3`): later flags win, and `-A` and `-B` override `-C`. Refuses others: some run
 * programs or leave the folder.
 */
export function parseFlags(text: string): ParsedFlags {
  const words = (text.match(WORD) ?? []).map((word) => word.replace(/["']/g, ""));
  let switches: Partial<SearchFlags> = {};
  const values: Values = { numbers: new Map(), globs: [], types: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--multiline-dotall") {
      switches = { ...switches, dotAll: true };
      continue;
    }
    if (!/^-[A-Za-z]/.test(word)) return { problem: refused(word) };
    for (let n = 1; n < word.length; n++) {
      const flag = word.charAt(n);
      const known = SWITCHES.get(flag);
      switches = { ...switches, ...known };
      if (known) continue;
      if (!/[ABCmgtT]/.test(flag)) return { problem: refused(word) };
      const joined = word.slice(n + 1).replace(/^=/, "");
      const value = n + 1 < word.length ? joined : words[++at];
      if (value === undefined) return { problem: `The flag -${flag} needs a value.` };
      const problem = add(values, flag, value);
      if (problem !== undefined) return { problem };
      break;
    }
  }
  const { numbers, globs, types } = values;
  const around = numbers.get("C") ?? 0;
  const context = { before: numbers.get("B") ?? around, after: numbers.get("A") ?? around };
  return { flags: { ...NO_FLAGS, ...switches, ...context, maxCount: numbers.get("m"), globs, types } };
}

function refused(word: string): string {
  return `The flag ${JSON.stringify(word.slice(0, 100))} is not allowed. Allowed flags: ${ALLOWED}`;
}

/** Adds a flag's value, or returns its problem. */
function add({ numbers, globs, types }: Values, flag: string, value: string): string | undefined {
  const quoted = JSON.stringify(value.slice(0, 100));
  if (flag === "g") {
    if (globs.length >= MAX_FILTERS) return `There may be at most ${MAX_FILTERS} flags -g.`;
    const problem = globProblem(value);
    if (problem !== undefined) return `The glob ${quoted} ${problem}.`;
    globs.push(value);
  } else if (flag === "t" || flag === "T") {
    if (types.length >= MAX_FILTERS) return `There may be at most ${MAX_FILTERS} flags -t and -T.`;
    if (!TYPE_NAME.test(value)) return `${quoted} is no file type.`;
    types.push({ name: value, excludes: flag === "T" });
  } else {
    const [from, to] = flag === "m" ? [1, MAX_COUNT] : [0, MAX_CONTEXT];
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= from && number <= to))
      return `The flag -${flag} needs a whole number from ${from} to ${to}.`;
    numbers.set(flag, number);
  }
  return undefined;
}
