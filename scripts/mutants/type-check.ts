import { join } from "node:path";
import ts from "typescript";

/** What is no longer used says nothing of whether the breakage could be written by mistake. */
const UNUSED: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198, 6199, 6205]);

/** Whether one file of src/ compiles with another text: told as what the compiler says, or nothing. */
export type TypeCheck = (file: string, text: string) => string | undefined;

/** A check that knows the files of one configuration. */
interface Checker {
  knows(file: string): boolean;
  readonly check: TypeCheck;
}

/** What is neutral is checked as that; only what is there for Node alone is not. */
export function typeChecker(root: string): TypeCheck {
  const neutral = checkerOf(root, "tsconfig.neutral.json");
  let node: Checker | undefined; // made only where it is needed: it knows much more
  return (file, text) => {
    if (neutral.knows(file)) return neutral.check(file, text);
    node ??= checkerOf(root, "tsconfig.json");
    return node.knows(file) ? node.check(file, text) : `${file} is in no tsconfig`;
  };
}

/** A compiler that keeps what it knows between the checks, so that each costs a fraction of a second. */
function checkerOf(root: string, name: string): Checker {
  const config = join(root, name);
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(`${config}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
    },
  });
  if (!parsed) throw new Error(`${config} cannot be read`);
  const fileNames = parsed.fileNames.filter((path) => path.startsWith(join(root, "src")));
  let mutated: { readonly path: string; readonly text: string } | undefined;
  let version = 0;
  const textOf = (path: string): string | undefined =>
    path === mutated?.path ? mutated.text : ts.sys.readFile(path);
  const service = ts.createLanguageService({
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => (path === mutated?.path ? `mutated ${version}` : "as it is"),
    getScriptSnapshot: (path) => {
      const text = textOf(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => parsed.options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const check: TypeCheck = (file, text) => {
    const path = join(root, file);
    mutated = { path, text };
    version++;
    const [first] = [
      ...service.getSyntacticDiagnostics(path),
      ...service.getSemanticDiagnostics(path),
    ].filter(({ code }) => !UNUSED.has(code));
    return first && `TS${first.code} ${ts.flattenDiagnosticMessageText(first.messageText, "\n")}`;
  };
  return { knows: (file) => fileNames.includes(join(root, file)), check };
}
