// The line that runs the program again, with packages that it lacks.
import { readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { BackendRow } from "./backend.ts";
import type { CommandCall } from "./command.ts";

/** Characters that no shell takes for its own. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * The line that gets packages: an install beside the installed program, otherwise npx with the program.
 * @param packages as npm installs them
 * @param argv the arguments of the program
 */
export function packagesLine(packages: readonly string[], argv: readonly string[]): string {
  const { folder, manifest } = installation();
  if (folder === undefined || manifest?._npx) {
    const words = ["-p", sourceIn(folder, manifest), ...packages.flatMap((name) => ["-p", name])];
    return ["npx", ...words, "agentwire", ...argv].map(quoted).join(" ");
  }
  const away = relative(folder, process.cwd());
  const isInside = !isAbsolute(away) && !/^\.\.(?:[\\/]|$)/.test(away);
  const where = manifest === undefined ? ["-g"] : isInside ? [] : ["--prefix", folder];
  return ["npm", "install", ...where, ...packages].map(quoted).join(" ");
}

interface Installation {
  /** Has the `node_modules` that the program is in. Absent if it runs from another folder. */
  readonly folder?: string;
  /** Of that folder. Absent for a global installation. */
  readonly manifest?: Manifest;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** npx writes it into the folders of its cache. */
  readonly _npx?: object;
}

function installation(): Installation {
  const path = import.meta.dirname;
  // The first `node_modules`: pnpm has further ones below it.
  const end = path.search(/[\\/]node_modules[\\/]/);
  if (end < 0 || !/[\\/]agentwire[\\/]/.test(path.slice(end))) return {};
  const folder = path.slice(0, end);
  try {
    return { folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
  } catch {
    return { folder };
  }
}

/** The package file that npx runs the program from, or the name of the package. */
function sourceIn(folder = ".", manifest: Manifest = {}): string {
  const spec = manifest.dependencies?.["agentwire"] ?? "";
  return spec.startsWith("file:") ? resolve(folder, spec.slice("file:".length)) : "agentwire";
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
