import { cleanCause } from "../core/client/clean-cause.ts";
import { ConnectError } from "../core/errors.ts";
import type { CodebuffCliFailureKind } from "./errors.ts";

type Pattern = readonly [words: RegExp, kind: CodebuffCliFailureKind];

/** By known beginnings only: a program's free words decide nothing. */
const PATTERNS: readonly Pattern[] = [
  [/^No prompt provided/, "no_prompt"],
  [/^Print mode requires a prompt/, "no_prompt"],
  [/^No authentication token found/, "auth"],
  [/^Authentication failed/, "auth"],
  [/^(?:Agent run error: )?Unauthorized/, "auth"],
  [/^(?:Agent run error: )?Payment Required/, "payment_required"],
  [/^(?:Agent run error: )?Forbidden/, "forbidden"],
  [/^(?:Agent run error: )?(?:Failed after \d+ attempts\. Last error: )?Too Many Requests/, "rate_limited"],
  [/^(?:Agent run error: )?Failed after \d+ attempts\. Last error: /, "server"],
  [
    /^(?:Agent run error: )?(?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Timeout)/,
    "server",
  ],
  [/^Could not connect to server/, "server"],
  [/^Invalid agent ID: /, "agent_not_found"],
  [/^No response from agent/, "no_response"],
  [/^Run cancelled by user/, "cancelled_by_cli"],
  [/^Request timed out after/, "cancelled_by_cli"],
  [/^unknown option /, "unsupported_flag"],
];

/** What the program's last words mean; `undefined` for words that are not known. */
export function kindOf(words: string): CodebuffCliFailureKind | undefined {
  const text = words.trim().replace(/^(?:Error running prompt|Error|error): /, "");
  return PATTERNS.find(([pattern]) => pattern.test(text))?.[1];
}

/** A stack trace comes behind a blank line, and helps nobody at a terminal. */
export function withoutStack(words: string): string {
  const [first = ""] = words.trim().split(/\n\s*\n|\n\s+at /, 1);
  return first.trimEnd();
}

/** The last line of error output that says what went wrong. */
export function lastWords(lines: readonly string[]): string | undefined {
  return lines.findLast((line) =>
    /^(?:(?:Error running prompt|Error|error): |Could not connect to server)/.test(line),
  );
}

/** Frames of a stack, what closes an object, and what Node signs with: the words are before those. */
const NO_WORDS = /^(?:\s+at .*|Node\.js v\d.*|[\s{}[\]^]*)$/;

/** The last line of error output that has any words. */
export function lastLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => !NO_WORDS.test(line));
}

/** What the user can do about it. */
export function adviceOn(kind: CodebuffCliFailureKind, words: string): string | undefined {
  const isFree = kind === "unsupported_flag" && /unknown option '?--(?:free|lite)\b/.test(words);
  return isFree ? "its free mode has another name: set `freeFlag`, or ask `probe()`" : ADVICE[kind];
}

const ADVICE: Readonly<Partial<Record<CodebuffCliFailureKind, string>>> = {
  auth: "set CODEBUFF_API_KEY, or run the program once by itself to log in",
  payment_required: "the account is out of credits",
  unsupported_flag: "this program speaks otherwise: choose another `profile`, or ask `probe()`",
  protocol_error: "it may speak otherwise: choose another `profile`, or ask `probe()`",
  interactive_cli: "this program has no way to run without a terminal; choose another `command`",
  rate_limited: "wait before the next prompt",
  cancelled_by_cli: "the program has limits of its own",
};

/** Why a program does not start, and what to do about it; `found` says that it is there. */
export function startFailure(command: string, cause: unknown, found = false): string {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "ENOENT":
      if (found) return `\`${command}\` is there, but not what runs it: see the first line of the script`;
      return `\`${command}\` is not to be found; ${whereToLook(command)}`;
    case "EACCES":
    case "EPERM":
      return `\`${command}\` is no file that may be executed; check its permissions, and that it is no folder`;
    case "EINVAL":
      return `\`${command}\` is no program that starts without a shell; on Windows pass Node as \`command\` and the script in \`args\``;
    case "E2BIG":
      return 'the arguments and the environment are too long together; shorten `params` or `env`, or set `promptVia: "stdin"`';
    default:
      return `\`${command}\` could not be started${typeof code === "string" ? ` (${code})` : ""}`;
  }
}

/** A program was not started. `clean` takes out what is nobody's business. */
export function notStarted(
  command: string,
  cause: unknown,
  clean: (text: string) => string,
  found = false,
): ConnectError {
  return new ConnectError(clean(startFailure(command, cause, found)), {
    cause: cleanCause(cause, clean),
    retryable: false,
  });
}

function whereToLook(command: string): string {
  if (/[\\/]/.test(command)) return "`command` is a path, relative to the folder of this process: check it";
  if (/\s/.test(command)) return "`command` is the program alone: pass what follows it in `args`";
  return "install it (npm install -g codebuff), or say where it is with `command`";
}
