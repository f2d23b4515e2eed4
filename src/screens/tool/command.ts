// The command of a tool call, and what a lasting decision about a call covers.
import { isObject } from "../../core/checks.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";

/** The fields of a call that only runs a command. */
const OF_COMMANDS = ["command", "cwd", "process_type", "timeout_seconds", "mode"];

/** The command of a call. Other tools name one of their own actions `command`: they have further fields. */
export function commandIn(input: unknown, kind?: ChatToolPart["kind"]): string | undefined {
  if (!isObject(input)) return undefined;
  const { command } = input;
  const isCommand = kind === "execute" || Object.keys(input).every((name) => OF_COMMANDS.includes(name));
  return typeof command === "string" && isCommand ? command : undefined;
}

/** Characters of an input that a grant quotes. */
const MAX_QUOTED = 100;

/** What a lasting decision covers, without repeating the input above it. */
export function grantText(
  grant: string,
  input: unknown,
  words: { readonly thisCommand: string; readonly thisInput: string },
): string {
  const command = commandIn(input);
  if (command !== undefined && grant.startsWith(`\`${command}\``))
    return words.thisCommand + grant.slice(command.length + 2);
  const fields = isObject(input) ? Object.fromEntries(Object.entries(input).sort()) : input;
  const whole = `${JSON.stringify(fields)}`;
  const quoted = whole.length > MAX_QUOTED ? `${whole.slice(0, MAX_QUOTED)}…` : whole;
  return grant === `exactly the input ${quoted}` ? words.thisInput : grant;
}
