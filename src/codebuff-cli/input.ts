// Checks a prompt, and builds the arguments of the program.
import { resolve } from "node:path";
import { checks } from "../core/checks.ts";
import { InvalidInputError, PayloadTooLargeError } from "../core/errors.ts";
import { utf8Length, wellFormed } from "../core/text.ts";
import { checkOwnPrompt, type PromptOf, readPromptText } from "../core/turn/prompt-input.ts";
import { isFolder } from "../process/folder.ts";
import {
  CLI_PROMPT_CHECKS,
  type CodebuffCliMode,
  type CodebuffCliProfile,
  type CodebuffCliPromptOptions,
  type CodebuffCliSettings,
} from "./options.ts";

/** A prompt for the program. */
export interface CodebuffCliPromptInput {
  /** The user's text; not blank, at most 16 MiB. */
  readonly prompt: string;
}

/** The rules for prompts. Windows limits arguments more strictly, in characters. */
export type PromptRules = { readonly platform: string } & Pick<
  CodebuffCliSettings,
  "promptVia" | "endOfOptions" | "commandPrefixes" | "allowCommands"
>;

export interface CodebuffCliPrompt {
  readonly text: string;
  readonly via: "arg" | "stdin";
  readonly bytes: number;
}

/** Largest prompt as an argument, in bytes. Linux accepts 131,072. */
const MAX_ARGUMENT_BYTES = 100_000;

/** Largest prompt on Windows, in characters. A whole command line may have 32,767. */
const MAX_WINDOWS_CHARACTERS = 24_000;

/** Largest prompt over stdin, in bytes: far more than a model reads. */
const MAX_STDIN_BYTES = 16 * 1_048_576;

const HOW = 'Pass a string, or an object such as { prompt: "Fix the tests" }.';

/** @throws InvalidInputError for a prompt that the program would misread or refuse; PayloadTooLargeError */
export function buildPrompt(input: PromptOf<CodebuffCliPromptInput>, rules: PromptRules): CodebuffCliPrompt {
  const words = readPromptText(input);
  const given = words === undefined ? (input as CodebuffCliPromptInput) : { prompt: words };
  checkOwnPrompt(given, { prompt: checks.text }, CLI_PROMPT_CHECKS, HOW);
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
      "Rephrase the prompt, or set `allowCommands` to run the command.",
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

export interface Invocation {
  /** The caller's own arguments, before all flags. Trusted. */
  readonly args: readonly string[];
  readonly profile: CodebuffCliProfile;
  readonly mode: CodebuffCliMode;
  readonly freeFlag: "--free" | "--lite";
  readonly agent: string | undefined;
  /** JSON. */
  readonly params: string | undefined;
  readonly sessionId: string | undefined;
  /** Whole seconds. */
  readonly timeoutSeconds: number | undefined;
  readonly cwd: string | undefined;
  readonly endOfOptions: boolean;
  /** Undefined if the prompt goes over stdin. */
  readonly prompt: string | undefined;
}

const PROFILE_FLAGS: Readonly<Record<CodebuffCliProfile, readonly string[]>> = {
  "stream-json": ["--stream-json"],
  json: ["-n", "--json"],
  print: ["-p"],
  text: ["-n", "-q"],
};

/** Options without a flag in a profile. `timeoutSeconds` needs no flag: this library also enforces it. */
const LACKS: Readonly<Record<CodebuffCliProfile, readonly string[]>> = {
  "stream-json": ["agent", "params"],
  json: ["params"],
  print: ["plan", "sessionId"],
  text: ["params"],
};

export function canContinue(profile: CodebuffCliProfile): boolean {
  return !LACKS[profile].includes("sessionId");
}

/** The first given option that the profile lacks. */
export function lacking({ profile, mode, agent, params, sessionId }: Invocation): string | undefined {
  const asked: Readonly<Record<string, boolean>> = {
    plan: mode === "plan",
    agent: agent !== undefined,
    params: params !== undefined,
    sessionId: sessionId !== undefined,
  };
  return LACKS[profile].find((name) => asked[name]);
}

/**
 * The arguments of the program: the prompt is last, after `--`. Without `--`, the program would read a prompt that
 * begins with a dash as options, which could change the folder or write files.
 */
export function buildArgv(invocation: Invocation): readonly string[] {
  const { args, profile, mode, freeFlag, agent, params, sessionId, cwd, endOfOptions, prompt } = invocation;
  const timeoutSeconds = profile === "print" ? undefined : invocation.timeoutSeconds;
  return [
    ...args,
    ...PROFILE_FLAGS[profile],
    ...(mode === "default" ? [] : [mode === "free" ? freeFlag : `--${mode}`]),
    ...flag("--agent", agent),
    ...flag("--params", params),
    ...flag("--continue", sessionId),
    ...flag("--timeout", timeoutSeconds),
    ...flag("--cwd", cwd),
    ...(prompt === undefined ? [] : [...(endOfOptions ? ["--"] : []), prompt]),
  ];
}

function flag(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}

/**
 * Builds the program's call for a prompt.
 * @throws InvalidInputError for an unsupported option, `params` that are not JSON, or a missing folder
 */
export function buildInvocation(
  settings: CodebuffCliSettings,
  prompt: CodebuffCliPrompt,
  options: CodebuffCliPromptOptions,
  sessionId: string | undefined,
  clean: (text: string) => string,
): Invocation {
  const { args, profile, freeFlag, endOfOptions } = settings;
  const { mode = settings.mode, cwd = settings.cwd, agent, params, timeoutSeconds } = options;
  const invocation: Invocation = {
    args,
    profile,
    mode,
    freeFlag,
    agent,
    params: params && jsonOf(params),
    sessionId: options.sessionId ?? sessionId,
    timeoutSeconds: timeoutSeconds === undefined ? undefined : Math.ceil(timeoutSeconds),
    cwd: cwd === undefined ? undefined : resolve(cwd),
    endOfOptions,
    prompt: prompt.via === "arg" ? prompt.text : undefined,
  };
  const missing = lacking(invocation);
  if (missing !== undefined) {
    throw new InvalidInputError(
      `programs of the profile \`${profile}\` have no flag for \`${missing}\`.`,
      "Leave it out, or choose another `profile`.",
    );
  }
  if (invocation.cwd !== undefined && !isFolder(invocation.cwd))
    throw new InvalidInputError(`\`cwd\` is no folder: ${clean(invocation.cwd)}`, "Pass one that exists.");
  return invocation;
}

function jsonOf(params: object): string {
  const hint = "Pass an object of strings, numbers, booleans, arrays and objects.";
  let json: string | undefined;
  try {
    json = JSON.stringify(params);
  } catch (cause) {
    throw new InvalidInputError("`params` cannot be written as JSON.", hint, { cause });
  }
  if (json?.startsWith("{")) return json;
  throw new InvalidInputError("`params` is no object in JSON.", hint);
}
