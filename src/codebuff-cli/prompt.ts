import { checkFields, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError, PayloadTooLargeError } from "../core/errors.ts";
import { utf8Length, wellFormed } from "../core/text.ts";
import { type PromptOf, readPromptText } from "../core/turn/prompt-input.ts";
import { PROMPT_CHECKS } from "./options.ts";

/** What a prompt for the program says. */
export interface CodebuffCliPromptInput {
  /** What the user says; not blank. */
  readonly prompt: string;
}

/** How prompts get to a program, and what they may be. */
export interface PromptRules {
  readonly promptVia: "arg" | "stdin";
  readonly endOfOptions: boolean;
  readonly commandPrefixes: readonly string[];
  readonly allowCommands: boolean;
  /** On Windows an argument is shorter, and counted in characters. */
  readonly platform: string;
}

/** A prompt that can be handed over. */
export interface CodebuffCliPrompt {
  readonly text: string;
  readonly via: "arg" | "stdin";
  readonly bytes: number;
}

/** Bytes of one argument: Linux takes 131,072 of all in one, and the rest is for the others. */
const MAX_ARGUMENT_BYTES = 100_000;

/** Characters of a whole command line on Windows are 32,767. */
const MAX_WINDOWS_CHARACTERS = 24_000;

/** Bytes over stdin: far above what a model reads, and far below what hurts. */
const MAX_STDIN_BYTES = 16 * 1_048_576;

const HOW = 'Pass a string, or an object such as { prompt: "Fix the tests" }.';

/** @throws InvalidInputError for what the program would take for something else, or choke on; PayloadTooLargeError */
export function buildPrompt(input: PromptOf<CodebuffCliPromptInput>, rules: PromptRules): CodebuffCliPrompt {
  const words = readPromptText(input);
  const given = words === undefined ? (input as CodebuffCliPromptInput) : { prompt: words };
  if (!isObject(given as unknown)) throw new InvalidInputError(`the prompt is ${describe(given)}.`, HOW);
  const misplaced = Object.keys(given).find((name) => Object.hasOwn(PROMPT_CHECKS, name)); // it would be lost there
  if (misplaced !== undefined) {
    throw new InvalidInputError(
      `\`${misplaced}\` is an option, and no part of the prompt.`,
      `Pass it behind the prompt: client.prompt("...", { ${misplaced}: ... }).`,
    );
  }
  checkFields(given, { prompt: checks.text }, "prompt field");
  const text = given.prompt as string | undefined;
  if (text === undefined) throw new InvalidInputError("the prompt has no `prompt`.", HOW);
  if (text.includes("\0")) throw new InvalidInputError("the prompt has a NUL character.", "Leave it out.");
  if (wellFormed(text) !== text)
    throw new InvalidInputError("the prompt has half of a surrogate pair.", "Leave it out.");
  const trimmed = text.trim();
  const command = rules.commandPrefixes.find((prefix) => trimmed.startsWith(prefix));
  if (command !== undefined && !rules.allowCommands) {
    throw new InvalidInputError(
      `the prompt begins with \`${command}\`, which the program takes for a command of its own.`,
      "Say it otherwise, or set `allowCommands` if that is meant.",
    );
  }
  const bytes = utf8Length(text);
  const fits =
    bytes <= MAX_ARGUMENT_BYTES && (rules.platform !== "win32" || text.length <= MAX_WINDOWS_CHARACTERS);
  const via = fits ? rules.promptVia : "stdin";
  if (via === "arg" && !rules.endOfOptions && text.startsWith("-")) {
    throw new InvalidInputError(
      "the prompt begins with a dash, and the program knows no `--`: it would read it as an option.",
      'Begin it with a word, or set `promptVia: "stdin"`.',
    );
  }
  if (bytes > MAX_STDIN_BYTES) {
    throw new PayloadTooLargeError(`the prompt takes ${bytes} bytes; put what is long into a file`, {
      bytes,
      limit: MAX_STDIN_BYTES,
    });
  }
  return { text, via, bytes };
}
