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

/** The parsed libraries of the language. A process that compiles often parses each of them once. */
const libraries = new Map<string, ts.SourceFile>();

/** Reads files as a compiler does. */
export function compilerHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const folder = dirname(ts.getDefaultLibFilePath(options));
  const getSourceFile: typeof host.getSourceFile = (file, how, ...more) => {
    if (dirname(file) !== folder) return host.getSourceFile(file, how, ...more);
    const key = JSON.stringify([file, how]);
    const parsed = libraries.get(key) ?? host.getSourceFile(file, how, ...more);
    if (parsed !== undefined) libraries.set(key, parsed);
    return parsed;
  };
  return { ...host, getSourceFile };
}

/** What a compiler complains of, but for the libraries of the language themselves. */
export function diagnosticsOf(program: ts.Program): readonly ts.Diagnostic[] {
  const own = program.getSourceFiles().filter((file) => !program.isSourceFileDefaultLibrary(file));
  const ofFiles = own.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  return ts.sortAndDeduplicateDiagnostics([
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ofFiles,
  ]);
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
    host: compilerHost(parsed.options),
    configFileParsingDiagnostics: parsed.errors,
  });
  return {
    files: parsed.fileNames,
    errors: diagnosticsOf(program).map((diagnostic) => toError(root, diagnostic)),
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
