// The types of the table of commands: a row, its options, a call.
import type { Given } from "./given.ts";

/** An option. It is a flag unless it has a `value`. */
export interface OptionRow {
  /** Without dashes. */
  readonly name: string;
  /** One letter, without its dash. */
  readonly short?: string;
  /** The word for its value, such as `number`. In brackets it may be left out: `[text]`. */
  readonly value?: string;
  /** Whether it may be given more than once. */
  readonly many?: true;
  /** What it does, and its default. */
  readonly about: string;
}

export interface Example {
  readonly line: string;
  readonly about: string;
}

/** What a command was called with. */
export interface CommandCall {
  readonly command: CommandRow;
  /** What stands behind the name of the command. */
  readonly args: readonly string[];
  /** What stands behind `--`. */
  readonly rest: readonly string[];
  readonly given: Given;
  /** Whether failures are JSON. */
  readonly isJson: boolean;
  /** The arguments of the program, for lines that repeat the call. */
  readonly argv: readonly string[];
}

/** One command: a row of the table. cac, the help and docs/program.md are made from the rows. */
export interface CommandRow {
  readonly name: string;
  /** What follows its name: `<backend>`, `[file]`. */
  readonly args: string;
  /** What follows behind `--`, if anything may. */
  readonly rest?: string;
  readonly about: string;
  readonly options: readonly OptionRow[];
  /** Whether it has the options of the backends too. */
  readonly hasBackends?: true;
  /** Further words, one paragraph each. */
  readonly notes: readonly string[];
  readonly examples: readonly Example[];
  /** Loads the file of the command, and runs it. Resolves with the exit code. */
  readonly run: (call: CommandCall) => Promise<number>;
}

/** An option as cac declares it: `-p, --prompt [text]`. */
export function flagsOf({ name, short, value }: OptionRow): string {
  const flags = short === undefined ? `--${name}` : `-${short}, --${name}`;
  if (value === undefined) return flags;
  return value.startsWith("[") ? `${flags} ${value}` : `${flags} <${value}>`;
}
