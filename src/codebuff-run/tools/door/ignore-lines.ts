// Rewrites the lines of a nested ignore file for the root.

/** Wildcards per line. The package `ignore` backtracks: each further wildcard can take 255 times as long. */
const MAX_WILDCARDS = 3;
const WILDCARDS = /\*+/g;

/** Rewrites the lines of the ignore file in `folder` for an ignore file at the root. */
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
