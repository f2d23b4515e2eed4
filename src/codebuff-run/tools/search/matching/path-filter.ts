// Which paths the globs and file types of a search want.
import picomatch from "picomatch";

/** Whether an entry of a folder is wanted: a file is told, a folder entered. Paths are relative to the searched folder. */
export type PathFilter = (path: string, isFolder: boolean) => boolean;

/** As ripgrep matches `-g`: `*` matches a leading dot too. */
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

/** `-g`, `-t` and `-T`, by ripgrep's rules: the last glob that matches decides, and a glob that includes a file wins over its type. */
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
  // As in gitignore files: a slash ties the glob to the folder, else the glob matches names at any depth.
  const anchored = path.startsWith("/") ? path.slice(1) : path.includes("/") ? path : `**/${path}`;
  return { excludes, foldersOnly, matches: picomatch(anchored, GITIGNORE) };
}

/** Numbers of a range such as `{1..20}`. `globProblem` keeps ranges below its limit on alternatives. */
function expandRange(from: string, to: string): string {
  const [first, last] = [Number(from), Number(to)];
  if (!Number.isInteger(first) || !Number.isInteger(last)) return `[${from}-${to}]`;
  const step = first <= last ? 1 : -1;
  const numbers = Array.from({ length: Math.abs(last - first) + 1 }, (_, n) => first + n * step);
  return `(${numbers.join("|")})`;
}

/**
 * The pattern of `glob`. A file matches by its path from the root, or from `folder`. Folders that cannot have a match are not entered.
 *
 * @param folder relative to the root, empty for the root itself
 */
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

/** Whether a file below a folder could match: name by name, until a part of the pattern that matches more than one name. */
function folderFilter(pattern: string, options: object): (path: string) => boolean {
  const parts = picomatch.scan(pattern, { parts: true }).parts ?? [];
  if (parts.length === 0) return () => false; // one name: only files of the top
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
