// The line of npx that starts the program again, with packages that it found missing.

/** Characters that no shell takes for its own. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** @param packages as npm installs them @param argv the arguments of the program */
export function npxLine(packages: readonly string[], argv: readonly string[]): string {
  const words = ["-p", "agentwire", ...packages.flatMap((name) => ["-p", name]), "agentwire", ...argv];
  return `npx ${words.map(quoted).join(" ")}`;
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
