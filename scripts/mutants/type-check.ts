import { join } from "node:path";
import ts from "typescript";

/** What is no longer used says nothing of whether the breakage could be written by mistake. */
const UNUSED: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198, 6199, 6205]);

/** Whether one file of the neutral rooms compiles with another text: told as what the compiler says, or nothing. */
export type TypeCheck = (file: string, text: string) => string | undefined;

/** A compiler that keeps what it knows between the checks, so that each costs a fraction of a second. */
export function typeChecker(root: string): TypeCheck {
  const config = join(root, "tsconfig.neutral.json");
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(`${config}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
    },
  });
  if (!parsed) throw new Error(`${config} cannot be read`);
  let mutated: { readonly path: string; readonly text: string } | undefined;
  let version = 0;
  const textOf = (path: string): string | undefined =>
    path === mutated?.path ? mutated.text : ts.sys.readFile(path);
  const service = ts.createLanguageService({
    getScriptFileNames: () => parsed.fileNames,
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
  return (file, text) => {
    const path = join(root, file);
    if (!parsed.fileNames.includes(path)) return `${file} is not in tsconfig.neutral.json`;
    mutated = { path, text };
    version++;
    const [first] = [
      ...service.getSyntacticDiagnostics(path),
      ...service.getSemanticDiagnostics(path),
    ].filter(({ code }) => !UNUSED.has(code));
    return first && `TS${first.code} ${ts.flattenDiagnosticMessageText(first.messageText, "\n")}`;
  };
}
