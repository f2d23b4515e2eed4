import { isAgentwireError } from "agentwire/codebuff-run";
import type { Screen } from "./terminal.ts";

let interrupts = 0;
let stop = (_isAgain: boolean): void => process.exit(130);

/** What Ctrl-C does from now on. With `runProgram` the second one leaves. */
export function onInterrupt(action: (isAgain: boolean) => void): void {
  stop = action;
}

/** The user goes on: the next Ctrl-C is a first one again. */
export function forgetInterrupts(): void {
  interrupts = 0;
}

export function wasInterrupted(): boolean {
  return interrupts > 0;
}

/** Aborted by SIGTERM and SIGHUP, while `runStarter` runs: no program that this one has started may go on without it. */
export const leaving = new AbortController();

/** Runs a program to its exit code: what it returns; 1 for a failure, 2 for what makes no sense. */
export async function runProgram(screen: Screen, main: () => Promise<number>): Promise<void> {
  process.on("SIGINT", () => {
    interrupts++;
    if (interrupts > 1) process.exit(130);
    stop(false);
  });
  try {
    process.exitCode = await main();
  } catch (error) {
    screen.line(wordsOf(error), "red");
    process.exitCode = exitCodeOf(error);
  }
}

/** As `runProgram`, for a program that starts another one: each Ctrl-C is for `onInterrupt`, and a failure behind one is 130. */
export async function runStarter(
  complain: (error: unknown) => void,
  main: () => Promise<number>,
): Promise<void> {
  process.on("SIGINT", () => stop(++interrupts > 1));
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => leaving.abort());
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!wasInterrupted()) complain(exitCodeOf(error) === 2 ? wordsOf(error) : error);
    process.exitCode = wasInterrupted() ? 130 : exitCodeOf(error);
  }
}

/** The words for an error. Those for arguments that make no sense point to the help. */
export function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return exitCodeOf(error) === 2 ? `${words}\nTry --help.` : words;
}

function exitCodeOf(error: unknown): number {
  return isAgentwireError(error) && error.code !== "invalid-input" ? 1 : 2;
}
