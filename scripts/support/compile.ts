import { dirname, relative, sep } from "node:path";
import ts from "typescript";

/** What `tsc -p` says, as data. */
export interface CompileResult {
  /** The files that the configuration names, absolute. */
  readonly files: readonly string[];
  readonly errors: readonly CompileError[];
}

export interface CompileError {
  /** Relative to the folder of the configuration; empty for an error of the configuration itself. */
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/** Compiles a project as `tsc -p` does, without starting a process and without output. */
export function compile(configFile: string): CompileResult {
  const root = dirname(configFile);
  const failures: ts.Diagnostic[] = [];
  const parsed = ts.getParsedCommandLineOfConfigFile(configFile, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => failures.push(diagnostic),
  });
  if (parsed === undefined) return { files: [], errors: failures.map((failure) => toError(root, failure)) };
  const program = ts.createProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    configFileParsingDiagnostics: parsed.errors,
  });
  return {
    files: parsed.fileNames,
    errors: ts.getPreEmitDiagnostics(program).map((diagnostic) => toError(root, diagnostic)),
  };
}

function toError(root: string, diagnostic: ts.Diagnostic): CompileError {
  const message = `TS${diagnostic.code} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")}`;
  const { file, start } = diagnostic;
  if (file === undefined || start === undefined) return { file: "", message };
  return {
    file: relative(root, file.fileName).split(sep).join("/"),
    line: file.getLineAndCharacterOfPosition(start).line + 1,
    message,
  };
}
