import { join, posix, relative, sep } from "node:path";
import ts from "typescript";
import { compilerHost, diagnosticsOf } from "./compile.ts";
import { readImports } from "./read-imports.ts";

/** The line that every declaration file begins with: `Symbol.asyncDispose` for those who do not ask for its library. */
export const LIB_REFERENCE = '/// <reference lib="esnext.disposable" />';

/**
 * Globals that the declarations may name. lib.dom and @types/node both declare them, so a user has them
 * whichever of the two is there; what else is shared (WebSocket, fetch) differs between them in detail.
 */
const SHARED_GLOBALS: ReadonlySet<string> = new Set(["AbortSignal", "AbortController", "URL"]);

/** "Cannot find name", in the words for each kind of name; the hint at its end is what differs. */
const UNKNOWN_NAME: ReadonlySet<number> = new Set([
  2304, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2662, 2663, 2867, 2868,
]);

export interface Problem {
  /** Relative to the package, with forward slashes. */
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/**
 * Reads the declaration files that `entries` lead to and says what a user's compiler could trip over:
 * a missing library reference, an import of a package, a global that only some users have.
 */
export function judgeDeclarations(
  folder: string,
  entries: readonly string[],
): { readonly files: readonly string[]; readonly problems: readonly Problem[] } {
  const { files, missing } = reach(folder, entries);
  const problems: Problem[] = [...missing];
  for (const [file, text] of files) {
    if (!text.startsWith(LIB_REFERENCE)) {
      problems.push({ file, line: 1, message: `must begin with ${LIB_REFERENCE}: see tsup.types.config.ts` });
    }
    for (const { specifier, line } of readImports(file, text)) {
      if (specifier?.startsWith(".")) continue;
      const message = `imports "${specifier}": declare the type in src/ instead of taking a package's`;
      problems.push({ file, line, message });
    }
  }
  problems.push(...foreignGlobals(folder, [...files.keys()]));
  return { files: [...files.keys()], problems };
}

/** The files that relative imports lead to, with their text. */
function reach(
  folder: string,
  entries: readonly string[],
): { readonly files: ReadonlyMap<string, string>; readonly missing: readonly Problem[] } {
  const files = new Map<string, string>();
  const missing: Problem[] = [];
  const queue = entries.map((file) => ({ file: posix.normalize(file), from: "package.json" }));
  for (const { file, from } of queue) {
    if (files.has(file)) continue;
    const text = ts.sys.readFile(join(folder, file));
    if (text === undefined) {
      missing.push({ file: from, message: `leads to ${file}, which is not there: npm run build:types` });
      continue;
    }
    files.set(file, text);
    for (const { specifier } of readImports(file, text)) {
      if (!specifier?.startsWith(".")) continue;
      const target = posix.join(posix.dirname(file), specifier).replace(/\.(c?)js$/, ".d.$1ts");
      queue.push({ file: target, from: file });
    }
  }
  return { files, missing };
}

/** Compiles the files with nothing but the language's own library; what is unknown then is a global. */
function foreignGlobals(folder: string, files: readonly string[]): Problem[] {
  const options: ts.CompilerOptions = {
    lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts"],
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  };
  const rootNames = files.map((file) => join(folder, file));
  const program = ts.createProgram({ rootNames, options, host: compilerHost(options) });
  const problems: Problem[] = [];
  for (const { code, file, start, length, messageText } of diagnosticsOf(program)) {
    if (file === undefined || start === undefined) {
      problems.push({ file: "package.json", message: ts.flattenDiagnosticMessageText(messageText, "\n") });
      continue;
    }
    const name = file.text.slice(start, start + (length ?? 0));
    const isUnknownName = UNKNOWN_NAME.has(code);
    if (isUnknownName && SHARED_GLOBALS.has(name)) continue;
    problems.push({
      file: relative(folder, file.fileName).split(sep).join("/"),
      line: file.getLineAndCharacterOfPosition(start).line + 1,
      message: isUnknownName
        ? `names the global ${name}, which not every user has: write down the part that is used, as an interface`
        : `TS${code} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    });
  }
  return problems;
}
