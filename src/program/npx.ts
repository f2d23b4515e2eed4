// The lines that start the program again: with packages that it found missing, to go on with a chat, or to look at its backend.
import type { BackendRow } from "./backend.ts";
import type { CommandCall } from "./command.ts";

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

/** The line that looks at the backend of a call. */
export function doctorLine({ options }: BackendRow, { args, rest, given }: CommandCall): string {
  const own = options.flatMap(({ name, value, many }) => {
    if (!given.has(name)) return [];
    if (value === undefined) return [`--${name}`];
    const values = many ? given.list(name) : [given.text(name) ?? ""];
    return values.flatMap((text) => (text.startsWith("-") ? [`--${name}=${text}`] : [`--${name}`, text]));
  });
  const behind = rest.length === 0 ? [] : ["--", ...rest];
  return ["agentwire", "doctor", ...args, ...own, ...behind].map(quoted).join(" ");
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
