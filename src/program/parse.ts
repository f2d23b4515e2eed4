// Reads the arguments of the program by the table of commands, with cac.
import { cac } from "cac";
import { checkName } from "../core/names.ts";
import { credentialsIn, isCredentialMember } from "../core/tell/credential-names.ts";
import { BACKENDS } from "./backends.ts";
import { type CommandCall, type CommandRow, flagsOf, type OptionRow } from "./command.ts";
import { COMMAND_TABLE } from "./commands.ts";
import { wrongCall } from "./failure.ts";
import { Given } from "./given.ts";

/** Options of every command. */
export const COMMON: readonly OptionRow[] = [
  { name: "json", about: "Failures are one line of JSON on stderr; so is what a command reports." },
  { name: "help", short: "h", about: "The help of the program, or of a command." },
  { name: "version", short: "v", about: "The version." },
];

export type ParsedCall =
  | { readonly type: "call"; readonly call: CommandCall }
  | { readonly type: "help"; readonly command: CommandRow | undefined; readonly isJson: boolean }
  | { readonly type: "version" };

/** Options whose value is a text of the user's, which may quote anything. */
const FREE_TEXT: ReadonlySet<string> = new Set(["prompt"]);

/** The options of a command, with those of the backends. */
export function optionsOf(command: CommandRow): readonly OptionRow[] {
  const rows = command.hasBackends ? BACKENDS.flatMap(({ options }) => options) : [];
  const byName = new Map([...command.options, ...rows].map((row) => [row.name, row]));
  return [...byName.values()];
}

/** Whether failures are to be JSON, whatever else is wrong with the arguments. */
export function wantsJson(argv: readonly string[]): boolean {
  const own = ownPart(argv);
  const outputs = own.flatMap((word, at) =>
    word === "--output" ? [own[at + 1]] : word.startsWith("--output=") ? [word.slice(9)] : [],
  );
  return (
    own.includes("--json") ||
    own.includes("--ask-stdio") ||
    outputs.some((output) => output?.endsWith("json"))
  );
}

/** @throws Failure, InvalidInputError for a call that cannot work */
export function parseCall(argv: readonly string[]): ParsedCall {
  const own = ownPart(argv);
  const known = Object.fromEntries(COMMAND_TABLE.map((command) => [command.name, command]));
  const cli = cac("agentwire");
  for (const row of COMMON) cli.option(flagsOf(row), row.about);
  for (const command of COMMAND_TABLE) {
    const made = cli.command(command.name, command.about);
    for (const row of optionsOf(command))
      made.option(flagsOf(row), row.about, row.many ? { type: [(value: unknown) => value] } : {});
  }
  const rest = argv.slice(own.length + 1);
  const { args: words, options } = cli.parse(["", "", ...own.map(marked)], { run: false });
  const isJson = options["json"] === true;
  const command = COMMAND_TABLE.find(({ name }) => name === cli.matchedCommandName);
  const [named] = words;
  if (!command && named !== undefined) checkName(unmarked(named), known, "command");
  const rows = [...COMMON, ...(command ? optionsOf(command) : [])];
  if (command || named === undefined) checkOptions(own, rows);
  if (options["version"] === true) return { type: "version" };
  if (!command || options["help"] === true) return { type: "help", command, isJson };
  const args = words.map(unmarked);
  checkWords(command, args, rest);
  const given = new Given(valuesIn(rows, options));
  return { type: "call", call: { command, args, rest, given, isJson, argv } };
}

function ownPart(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

/** No argument can hold it. It stands before values that cac would turn into numbers, or take for missing. */
const MARK = "\u0000";

function marked(arg: string): string {
  const at = arg.startsWith("-") ? arg.indexOf("=") + 1 : 0;
  if (at === 0 && arg.startsWith("-")) return arg;
  const value = arg.slice(at);
  return Number.isFinite(Number(value)) ? `${arg.slice(0, at)}${MARK}${value}` : arg;
}

function unmarked(value: unknown): string {
  return String(value).replace(MARK, "");
}

/** cac takes each word that begins with a dash for an option. */
function checkOptions(own: readonly string[], rows: readonly OptionRow[]): void {
  const names = Object.fromEntries(rows.map((row) => [`--${row.name}`, row]));
  const letters = Object.fromEntries(
    rows.flatMap((row) => (row.short === undefined ? [] : [[`-${row.short}`, row] as const])),
  );
  const seen = new Set<OptionRow>();
  for (const word of own.filter((each) => each.startsWith("-"))) {
    const [flag = "", ...value] = word.split("=");
    const isLong = flag.startsWith("--");
    if (isLong && !Object.hasOwn(names, flag)) refuseSecret(flag);
    if (isLong) checkName(flag, names, "option");
    for (const short of isLong ? [] : [...flag.slice(1)].map((letter) => `-${letter}`))
      checkName(short, letters, "option");
    const row = isLong ? names[flag] : letters[flag];
    if (!row) continue; // several letters
    if (value.length > 0 && row.value === undefined)
      throw wrongCall(`${flag} takes no value.`, `Pass ${flag} alone.`);
    if (seen.has(row) && !row.many) throw wrongCall(`--${row.name} is there twice.`, "Pass it once.");
    seen.add(row);
  }
}

/** @throws Failure for an option that would carry a secret */
function refuseSecret(flag: string): void {
  if (!isCredentialMember(flag) && !/(?:^--|-)key$/.test(flag)) return;
  const variables = BACKENDS.flatMap(({ secret }) => (secret ? [secret.variable] : []));
  throw wrongCall(
    `${flag} is refused: other programs on this machine can read the arguments of a process.`,
    `Set a variable of the environment: ${[...new Set(variables)].join(", ")}. On a terminal, the program asks for what is missing.`,
  );
}

function valuesIn(
  rows: readonly OptionRow[],
  options: Readonly<Record<string, unknown>>,
): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const row of rows) {
    const { name, value, many } = row;
    const raw = options[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    if (raw === undefined) continue;
    const texts = Array.isArray(raw) ? raw : [raw];
    if (value !== undefined && !value.startsWith("[") && texts.includes(true))
      throw wrongCall(
        `--${name} has no value.`,
        `Pass ${flagsOf(row)}; a value that begins with a dash as --${name}=<${value}>.`,
      );
    for (const text of texts) if (!FREE_TEXT.has(name)) refuseSecretIn(name, String(text));
    if (many) values.set(name, texts.map(unmarked));
    else values.set(name, value === undefined ? raw === true : raw === true ? true : unmarked(raw));
  }
  return values;
}

function refuseSecretIn(name: string, text: string): void {
  if (!text.includes("://") || credentialsIn(text).length === 0) return;
  throw wrongCall(
    `--${name} has a secret in its address: other programs on this machine can read the arguments of a process.`,
    "Take it out of the address, and set the variable of the environment that --help names.",
  );
}

function checkWords(command: CommandRow, args: readonly string[], rest: readonly string[]): void {
  const { name, args: usage } = command;
  const wanted = usage === "" ? [] : usage.split(" ");
  const missing = wanted.filter((each) => each.startsWith("<"))[args.length];
  const help = `Try agentwire ${name} --help.`;
  if (missing !== undefined) throw wrongCall(`agentwire ${name} needs ${missing}.`, help);
  const extra = args[wanted.length];
  if (extra !== undefined)
    throw wrongCall(
      `${JSON.stringify(extra)} is one word too many.`,
      `Quote a text of several words. ${help}`,
    );
  if (rest.length > 0 && command.rest === undefined)
    throw wrongCall(`agentwire ${name} takes nothing behind --.`, help);
}
