// The error of a failed run of the program, and advice from its error output.

import { ConnectError, TurnError, type TurnErrorOptions, TurnTimeoutError } from "../core/errors.ts";
import { cleanCause } from "../core/tell/clean-cause.ts";

/** The beginning and the end of the program's error output: at most 70 lines of 2,000 characters. */
export interface CodebuffCliStderr {
  /** The first 20 lines. */
  readonly head: readonly string[];
  /** The last 50 lines, without those in `head`. */
  readonly tail: readonly string[];
  /** Some lines, or the ends of long lines, are missing. */
  readonly truncated: boolean;
  readonly totalLines: number;
}

/** The kind of a run's failure. None is retryable: the agent may have changed files. */
export type CodebuffCliFailureKind =
  /** The process ended with a code other than 0 or by a signal, without a known message: read `stderr`. */
  | "process_exit"
  /** The program reports that the run has failed, in unknown words. */
  | "run_failed"
  /**
   * The program got no prompt (`delivery` is `not-sent`). Over stdin, a busy machine may exceed the 100 ms that programs
   * wait for it: prompt again. As an argument: choose another `profile`.
   */
  | "no_prompt"
  /** There is no API key, or the key was refused: log in, or set one. */
  | "auth"
  /** The account is out of credits: buy some, or use `mode: "free"`. */
  | "payment_required"
  /** The account may not do this. */
  | "forbidden"
  /** Too many requests; the program has retried for a while. Wait, then prompt again. */
  | "rate_limited"
  /** The backend has failed, or was not reached. */
  | "server"
  /** There is no such `agent`, or none of this `mode`: the message lists the others. */
  | "agent_not_found"
  /** The agent said nothing: prompt again. */
  | "no_response"
  /** The program ended the run by itself, such as at a limit of its own. */
  | "cancelled_by_cli"
  /** The program has no such option: choose another `profile`, `freeFlag` or program. */
  | "unsupported_flag"
  /** The output has no event and no report, or exceeds `maxOutputBytes`: choose another `profile`. */
  | "protocol_error"
  /** The program ended well, but without `finish`, and `requireFinish` is set. */
  | "stream_ended"
  /** The program has opened its user interface, which never ends without a terminal. This library killed it. */
  | "interactive_cli";

/**
 * A run of the program failed, by its exit code or its report. `kind` comes from the beginning of its last words: the
 * report, the last `error` event, or the last line that begins with `Error:`. The user's home folder is `~` in messages
 * and in `stderr`. Exported on all platforms.
 */
export class CodebuffCliError extends TurnError {
  protected static override readonly className: string = "CodebuffCliError";
  declare readonly kind: CodebuffCliFailureKind;
  /** Null if a signal, or this library, ended the process. */
  declare readonly exitCode: number | null;
  /** The signal that ended the process. */
  declare readonly signal?: string;
  declare readonly stderr: CodebuffCliStderr;

  constructor(
    options: TurnErrorOptions & {
      readonly kind: CodebuffCliFailureKind;
      readonly exitCode: number | null;
      readonly signal?: string | undefined;
      readonly stderr: CodebuffCliStderr;
    },
  ) {
    const { exitCode, signal, stderr } = options;
    super(options, { exitCode, signal, stderr });
  }
}

/** Known beginnings of error messages. Any other text has no kind. */
const PATTERNS: readonly (readonly [words: RegExp, kind: CodebuffCliFailureKind])[] = [
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

/** The kind of failure that a message names; `undefined` for an unknown message. */
export function kindOf(words: string): CodebuffCliFailureKind | undefined {
  const text = words.trim().replace(/^(?:Error running prompt|Error|error): /, "");
  return PATTERNS.find(([pattern]) => pattern.test(text))?.[1];
}

/** Removes the stack trace, which follows a blank line. */
export function withoutStack(words: string): string {
  const [first = ""] = words.trim().split(/\n\s*\n|\n\s+at /, 1);
  return first.trimEnd();
}

export function adviceOn(kind: CodebuffCliFailureKind, words: string): string | undefined {
  const isFree = kind === "unsupported_flag" && /unknown option '?--(?:free|lite)\b/.test(words);
  return isFree ? "its free mode has another name: set `freeFlag`, or ask `probe()`" : ADVICE[kind];
}

const ADVICE: Readonly<Partial<Record<CodebuffCliFailureKind, string>>> = {
  auth: "set CODEBUFF_API_KEY, or run the program once by itself to log in",
  payment_required: "the account is out of credits",
  unsupported_flag: "this program has other options: choose another `profile`, or ask `probe()`",
  protocol_error: "its output format may differ: choose another `profile`, or ask `probe()`",
  interactive_cli: "this program has no way to run without a terminal; choose another `command`",
  rate_limited: "wait before the next prompt",
  cancelled_by_cli: "the program has limits of its own",
};

/** The advice if the program did not read the prompt from stdin. */
export const UNREAD =
  "programs wait 100 ms for stdin, and this machine was too busy to write the prompt in time: prompt again";

/** Why the program did not start, with advice. `found`: the program exists. */
export function startFailure(command: string, cause: unknown, found = false): string {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "ENOENT":
      if (found)
        return `\`${command}\` is there, but not what runs it (its interpreter): see the first line of the script`;
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

/** The error of a program that was not started. `clean` removes credentials and the user's folder. */
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

/** The error of an exceeded limit. `limit` in ms. */
export function tookTooLong(kind: "idle" | "total", option: string, limit: number): TurnTimeoutError {
  const without = option === "timeoutSeconds" ? "leave it out" : "set it to 0";
  return new TurnTimeoutError(kind, limit, {
    advice: `raise \`${option}\`, or ${without} to wait without end`,
    retryable: false, // the agent may have changed files
  });
}
