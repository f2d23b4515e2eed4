// The help texts, made from the tables.
import { BACKENDS } from "./backends.ts";
import { type CommandRow, type Example, flagsOf, type OptionRow } from "./command.ts";
import { COMMAND_TABLE } from "./commands.ts";
import { EXIT, EXIT_WORDS } from "./exit-codes.ts";
import { COMMON, optionsOf } from "./parse.ts";

const RELAY_TOKEN = "AGENTWIRE_TOKEN";

/** Columns of a help text. */
const WIDTH = 100;

export function usageOf({ name, args, rest }: CommandRow): string {
  const words = ["agentwire", name, args, "[options]", rest === undefined ? "" : `[-- ${rest}]`];
  return words.filter((word) => word !== "").join(" ");
}

/** The help of a command, or of the program. */
export function helpPage(command: CommandRow | undefined): string {
  const sections = command ? commandHelp(command) : programHelp();
  return `${sections.join("\n\n")}\n`;
}

/** The same for programs. */
export function helpJson(command: CommandRow | undefined): object {
  const rows = command ? [command] : COMMAND_TABLE;
  return {
    commands: rows.map((row) => ({
      name: row.name,
      usage: usageOf(row),
      about: row.about,
      options: [...optionsOf(row), ...COMMON].map(({ about, ...option }) => ({
        flags: flagsOf(option as OptionRow),
        about,
      })),
      examples: row.examples,
    })),
    exit_codes: Object.fromEntries(
      Object.entries(EXIT).map(([name, code]) => [code, EXIT_WORDS[name as keyof typeof EXIT]]),
    ),
  };
}

function programHelp(): readonly string[] {
  return [
    "agentwire: talk with AI agents, serve them, test against them",
    "Usage: agentwire <command> [options]",
    table(
      "Commands",
      COMMAND_TABLE.map(({ name, about }) => [name, about]),
    ),
    table(
      "Backends",
      BACKENDS.map(({ name, about }) => [name, about]),
    ),
    optionTable("Options", COMMON),
    exits(),
    examples([
      COMMAND_TABLE[0]?.examples[0],
      { line: "agentwire <command> --help", about: "more of a command" },
    ]),
  ];
}

function commandHelp(command: CommandRow): readonly string[] {
  return [
    command.about,
    `Usage: ${usageOf(command)}`,
    ...(command.hasBackends
      ? [
          table(
            "Backends",
            BACKENDS.map(({ name, about }) => [name, about]),
          ),
        ]
      : []),
    optionTable("Options", command.options),
    ...(command.hasBackends
      ? [
          optionTable(
            "Options of backends",
            optionsOf(command).filter((row) => !command.options.includes(row)),
          ),
          table("Environment", variables()),
        ]
      : []),
    optionTable("Common options", COMMON),
    ...command.notes.map((note) => wrapped(note, "")),
    exits(),
    examples(command.examples),
  ];
}

/** The variables of the environment that the program reads, and what they hold. */
export function variables(): readonly (readonly [string, string])[] {
  const secrets = new Map<string, string>();
  for (const { name, secret } of BACKENDS) {
    if (!secret) continue;
    const others = secrets.get(secret.variable);
    secrets.set(
      secret.variable,
      others === undefined ? `${secret.label}: for ${name}` : `${others} and ${name}`,
    );
  }
  secrets.set(RELAY_TOKEN, `${secrets.get(RELAY_TOKEN)} and serve`);
  return [
    ...secrets,
    ["OPENAI_API_KEY", "Key of a server with OpenAI's API: for run with --model"],
    ["AGENTWIRE_REDIS_URL", "Address of a Redis: for serve --log redis"],
    ["AGENTWIRE_HOME", "Where chats and recordings are kept; by default ~/.agentwire"],
    ["AGENTWIRE_DEBUG", "If it is set, failures have a stack"],
  ];
}

const exits = (): string =>
  table(
    "Exit codes",
    Object.entries(EXIT).map(([name, code]) => [String(code), EXIT_WORDS[name as keyof typeof EXIT]]),
  );

const optionTable = (title: string, rows: readonly OptionRow[]): string =>
  table(
    title,
    rows.map((row) => [flagsOf(row), row.about]),
  );

function examples(list: readonly (Example | undefined)[]): string {
  const lines = list.flatMap((example) => (example ? [`  ${example.line}\n      ${example.about}`] : []));
  return ["Examples:", ...lines].join("\n");
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const longest = Math.max(...rows.map(([name]) => name.length));
  const indent = " ".repeat(longest + 4);
  const lines = rows.map(([name, about]) => `  ${name.padEnd(longest)}  ${wrapped(about, indent)}`);
  return [`${title}:`, ...lines].join("\n");
}

/** @param indent of the lines behind the first one, which begins as far in */
function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}
