// Parses arguments as the real program does.
import { describeFlag, type Flag, type Program } from "./flags.ts";

export interface Arguments {
  /** By long name; of an option that is given twice, the last one. */
  readonly options: ReadonlyMap<string, string | true>;
  readonly words: readonly string[];
  /** Whether the first word stands before any `--`, so that it may be a command. */
  readonly firstWordIsBare: boolean;
  /** Options that the program lacks, as they were given. */
  readonly unknown: readonly string[];
  /** What is wrong besides. */
  readonly mistake?: string;
}

/** As the real parser sees it: a lone `-` is a word. */
const looksLikeOption = (argument: string): boolean => argument.length > 1 && argument.startsWith("-");

/**
 * Reads arguments as the parser of the real CLI does: a value that must be there is the next argument, whatever that is;
 * one that may be there is the next argument unless that looks like an option; `-oFILE` and `--opt=value` hold theirs;
 * `-nq` is two options; behind `--` there are only words.
 */
export function parseArguments(program: Program, argv: readonly string[]): Arguments {
  const find = (name: string): Flag | undefined =>
    program.flags.find(({ short, long }) => name === short || name === long);
  const options = new Map<string, string | true>();
  const words: string[] = [];
  const unknown: string[] = [];
  let firstWordIsBare = false;
  let mistake: string | undefined;

  let at = 0;
  /** What is left of a group like `-nq` behind its first letter. */
  let rest: string | undefined;
  while (rest !== undefined || at < argv.length) {
    const argument = rest ?? argv[at++] ?? "";
    rest = undefined;
    if (argument === "--") {
      words.push(...argv.slice(at));
      break;
    }
    if (!looksLikeOption(argument)) {
      if (words.length === 0) firstWordIsBare = true;
      words.push(argument);
      continue;
    }
    const whole = find(argument);
    if (whole) {
      const next = argv[at];
      if (whole.value === undefined) options.set(whole.long, true);
      else if (whole.value.startsWith("<")) {
        if (next === undefined) mistake ??= `error: option '${describeFlag(whole)}' argument missing`;
        else options.set(whole.long, next);
        at++;
      } else if (next === undefined || looksLikeOption(next)) options.set(whole.long, true);
      else {
        options.set(whole.long, next);
        at++;
      }
      continue;
    }
    const letter = argument.startsWith("--") ? undefined : find(argument.slice(0, 2));
    if (letter) {
      if (letter.value === undefined) {
        options.set(letter.long, true);
        rest = `-${argument.slice(2)}`;
      } else options.set(letter.long, argument.slice(2));
      continue;
    }
    const equals = argument.indexOf("=");
    const assigned = argument.startsWith("--") && equals > 0 ? find(argument.slice(0, equals)) : undefined;
    if (assigned?.value === undefined) unknown.push(argument);
    else options.set(assigned.long, argument.slice(equals + 1));
  }
  return { options, words, firstWordIsBare, unknown, ...(mistake === undefined ? {} : { mistake }) };
}
