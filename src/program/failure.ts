// What the program says when something fails: any error in words, with an exit code.

import { inert } from "../chat/print/inert.ts";
import { defined } from "../core/checks.ts";
import { isAgentwireError } from "../core/errors.ts";
import { describeError } from "../universal/words/describe-error.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";

/** An error of the program itself. */
export class ProgramFailure extends Error {
  readonly exitCode: number;
  /** What to do. */
  readonly next: string | undefined;
  /** The code of an error of the library. */
  readonly code: string | undefined;

  /** @param title one line: what is wrong @param of the error of the library that it is about */
  constructor(
    exitCode: number,
    title: string,
    next?: string,
    of: { readonly code?: string; readonly cause?: unknown } = {},
  ) {
    super(title, of);
    this.exitCode = exitCode;
    this.next = next;
    this.code = of.code;
  }
}

/** The caller of the program wrote something that cannot work. */
export function wrongCall(title: string, next: string): ProgramFailure {
  return new ProgramFailure(EXIT.wrongCall, title, next);
}

/** An error in words. */
export interface FailureWords {
  readonly exit_code: number;
  readonly title: string;
  /** What to do. */
  readonly next?: string;
  /** The code of an error of the library. */
  readonly code?: string;
}

export function failureWords(error: unknown): FailureWords {
  if (error instanceof ProgramFailure) {
    const { exitCode, message, next, code } = error;
    return { exit_code: exitCode, title: message, ...defined({ next, code }) };
  }
  if (isAgentwireError(error)) {
    const { code, message } = error;
    const exit_code = exitCodeOf(code);
    if (!("hint" in error)) {
      const { title, detail } = describeError(error);
      return { exit_code, title: `${title}: ${message}`, next: detail, code };
    }
    return { exit_code, title: message.replace(` ${error.hint}`, ""), next: error.hint, code };
  }
  const { code } = error as { readonly code?: unknown };
  const title = error instanceof Error ? error.message : String(error);
  return { exit_code: EXIT.failed, title, ...(typeof code === "string" ? { code } : {}) };
}

/** Writes an error to stderr: as words, or as one line of JSON. Returns the exit code. */
export function complain(error: unknown, isJson: boolean): number {
  const words = failureWords(error);
  const { exit_code, title, next } = words;
  const text = isJson
    ? JSON.stringify({ error: words })
    : inert(`agentwire: ${title}${next === undefined ? "" : `\n${next}`}`); // it may quote a server
  process.stderr.write(`${text}\n`);
  if (process.env["AGENTWIRE_DEBUG"]) process.stderr.write(stacksOf(error));
  return exit_code;
}

/** Errors deep: causes of causes that are looked at. */
export const MAX_CAUSES = 5;

/** The stacks of an error and of its causes. */
function stacksOf(error: unknown, depth = MAX_CAUSES): string {
  if (!(error instanceof Error) || depth === 0) return "";
  const causes = stacksOf(error.cause, depth - 1);
  return `${error.stack}\n${causes === "" ? "" : `caused by ${causes}`}`;
}
