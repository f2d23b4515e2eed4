// Filters paths by the globs and file types of a search.
import picomatch from "picomatch";

/** Whether to list a file or enter a folder. Paths are relative to the searched folder. */
export type PathFilter = (path: string, isFolder: boolean) => boolean;

/** As ripgrep's `-g`: `*` also matches a leading dot. */
const GITIGNORE = { dot: true, nonegate: true, noextglob: true, posix: true } as const;

interface Rule {
  readonly excludes: boolean;
  readonly foldersOnly: boolean;
  readonly matches: (path: string) => boolean;
}

export interface TypeGlobs {
  readonly globs: readonly string[];
  readonly excludes: boolean;
}

/** Applies `-g`, `-t` and `-T` as ripgrep: the last matching glob decides, and globs override types. */
export function searchFilter(globs: readonly string[], types: readonly TypeGlobs[]): PathFilter {
  const rules = globs.map(ruleOf).reverse();
  const wantsSome = rules.some(({ excludes }) => !excludes);
  const typeRules = types
    .map((type) => ({
      excludes: type.excludes,
      matchers: type.globs.map((glob) => picomatch(glob, GITIGNORE)),
    }))
    .reverse();
  const wantsTypes = typeRules.some(({ excludes }) => !excludes);
  return (path, isFolder) => {
    const rule = rules.find(({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(path));
    if (rule) return !rule.excludes;
    if (isFolder) return true;
    if (wantsSome) return false;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const type = typeRules.find(({ matchers }) => matchers.some((matches) => matches(name)));
    return type ? !type.excludes : !wantsTypes;
  };
}

function ruleOf(glob: string): Rule {
  const excludes = glob.startsWith("!");
  const pattern = excludes ? glob.slice(1) : glob;
  const foldersOnly = pattern.endsWith("/");
  const path = foldersOnly ? pattern.slice(0, -1) : pattern;
  // As in `.gitignore`: with a slash, relative to the folder; otherwise at any depth.
  const anchored = path.startsWith("/") ? path.slice(1) : path.includes("/") ? path : `**/${path}`;
  return { excludes, foldersOnly, matches: picomatch(anchored, GITIGNORE) };
}

/** Expands a range such as `{1..20}`. `globProblem` has limited its size. */
function expandRange(from: string, to: string): string {
  const [first, last] = [Number(from), Number(to)];
  if (!Number.isInteger(first) || !Number.isInteger(last)) return `[${from}-${to}]`;
  const step = first <= last ? 1 : -1;
  const numbers = Array.from({ length: Math.abs(last - first) + 1 }, (_, n) => first + n * step);
  return `(${numbers.join("|")})`;
}

/** Matches files by path from the root or from `folder`. Skips folders without possible matches. */
export function globFilter(pattern: string, folder: string): PathFilter {
  const options = { posix: true, expandRange };
  const matches = picomatch(pattern, options);
  const canEnter = pattern.startsWith("!") ? () => true : folderFilter(pattern, options);
  const prefix = folder === "" ? "" : `${folder}/`;
  return (path, isFolder) => {
    const test = isFolder ? canEnter : matches;
    return test(path) || (prefix !== "" && test(`${prefix}${path}`));
  };
}

/** Whether a folder may contain a match. Compares names up to the first `**`, brace or group. */
function folderFilter(pattern: string, options: object): (path: string) => boolean {
  const parts = picomatch.scan(pattern, { parts: true }).parts ?? [];
  if (parts.length === 0) return () => false; // only top-level files can match
  const names: ((name: string) => boolean)[] = [];
  let isOpen = false;
  for (const part of parts) {
    isOpen = part.includes("**") || part.includes("/") || /[{(]/.test(part);
    if (isOpen) break;
    names.push(picomatch(part, options));
  }
  return (path) => {
    const folders = path.split("/");
    if (!isOpen && folders.length >= names.length) return false;
    return folders.every((name, n) => n >= names.length || names[n]?.(name));
  };
}
