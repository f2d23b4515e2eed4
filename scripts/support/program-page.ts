// docs/program.md: words by hand, and tables between marks that are made from those of the program.
import { BACKENDS } from "../../src/program/backends.ts";
import { type CommandRow, flagsOf } from "../../src/program/command.ts";
import { COMMAND_TABLE } from "../../src/program/commands.ts";
import { EXIT, EXIT_WORDS } from "../../src/program/exit-codes.ts";
import { usageOf, variables } from "../../src/program/help.ts";
import { COMMON } from "../../src/program/parse.ts";

/** Relative to the root of the tree. */
export const PROGRAM_PAGE = "docs/program.md";

/** The page with all that is made, made anew. Text outside of the marks stays. @throws Error for a mark that nothing is made for */
export function filledPage(page: string): string {
  return page.replace(
    /<!-- made: ([\w-]+) -->\n.*?<!-- end -->/gs,
    (_, name: string) => `<!-- made: ${name} -->\n${madeOf(name)}\n<!-- end -->`,
  );
}

/** The commands that the page does not show. */
export function missingCommands(page: string): readonly string[] {
  return COMMAND_TABLE.map(({ name }) => name).filter((name) => !page.includes(`<!-- made: ${name} -->`));
}

function madeOf(name: string): string {
  switch (name) {
    case "backends":
      return backends();
    case "exit-codes":
      return table(
        ["code", ""],
        Object.entries(EXIT).map(([key, code]) => [`${code}`, EXIT_WORDS[key as keyof typeof EXIT]]),
      );
    case "environment":
      return table(
        ["variable", ""],
        variables().map(([variable, about]) => [`\`${variable}\``, about]),
      );
    case "common":
      return options(COMMON);
    default: {
      const command = COMMAND_TABLE.find((each) => each.name === name);
      if (!command) throw new Error(`${PROGRAM_PAGE} has a mark for ${name}, and nothing is made for it`);
      return commandOf(command);
    }
  }
}

function backends(): string {
  const rows = BACKENDS.map(({ name, about, options: own, secret }) => [
    `\`${name}\``,
    about,
    own.map((row) => `\`${flagsOf(row)}\``).join(", "),
    secret ? `\`${secret.variable}\`` : "",
  ]);
  return table(["backend", "", "options", "secret"], rows);
}

function commandOf(command: CommandRow): string {
  const examples = command.examples.map(({ line, about }) => `${line}  # ${about}`);
  return [
    `\`${usageOf(command)}\``,
    ["```bash", ...examples, "```"].join("\n"),
    `Options: ${command.options.map((row) => `\`${flagsOf(row)}\``).join(", ")}.`,
    ...command.notes,
  ].join("\n\n");
}

const options = (rows: CommandRow["options"]): string =>
  table(
    ["option", ""],
    rows.map((row) => [`\`${flagsOf(row)}\``, row.about]),
  );

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
