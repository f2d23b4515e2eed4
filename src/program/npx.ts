// The lines that start the program again: with packages that it found missing, or to go on with a chat.

/** Characters that no shell takes for its own. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** @param packages as npm installs them @param argv the arguments of the program */
export function npxLine(packages: readonly string[], argv: readonly string[]): string {
  const words = ["-p", "agentwire", ...packages.flatMap((name) => ["-p", name]), "agentwire", ...argv];
  return `npx ${words.map(quoted).join(" ")}`;
}

/** The line that goes on with the last chat of a call. @param argv the arguments of the program */
export function continueLine(argv: readonly string[]): string {
  const isSaid = argv.some((word) => /^(?:-c|--continue|--session(?:=.*)?)$/.test(word));
  const end = argv.indexOf("--");
  const at = end < 0 ? argv.length : end;
  const words = isSaid ? argv : [...argv.slice(0, at), "-c", ...argv.slice(at)];
  return ["agentwire", ...words].map(quoted).join(" ");
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
