// Rewrites the lines of an ignore file in a folder as lines at the root.

/** Wildcards in a line: each one more makes a match up to 255 times as long, because the package `ignore` matches by backtracking. */
const MAX_WILDCARDS = 3;
const WILDCARDS = /\*+/g;

/** The lines of an ignore file in the folder `folder`, as lines of an ignore file at the root. */
export function linesAtRoot(text: string, folder: string): readonly string[] {
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
  // A wider line blocks more. A negative one would allow more.
  if (isNegative && pattern !== exact) return undefined;
  const sign = isNegative ? "!" : "";
  if (folder === "") return sign + pattern;
  // A pattern with a slash before its end counts from its folder, and another one at any depth.
  const depth = /\/./.test(pattern) ? "" : "**/";
  return `${sign}/${escaped(folder)}/${depth}${pattern.replace(/^\\([#!])/, "$1").replace(/^\//, "")}`;
}

/** A pattern that matches in bounded time, and all that this one matches. */
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
