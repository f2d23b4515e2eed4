import { isAgentwireError } from "agentwire/codebuff-run";
import type { Screen } from "./terminal.ts";

let interrupts = 0;
let stop = (): void => process.exit(130);

/** What the first Ctrl-C does from now on. The second one leaves. */
export function onInterrupt(action: () => void): void {
  stop = action;
}

/** The user goes on: the next Ctrl-C is a first one again. */
export function forgetInterrupts(): void {
  interrupts = 0;
}

export function wasInterrupted(): boolean {
  return interrupts > 0;
}

/** Runs a program to its exit code: what it returns; 1 for a failure, 2 for what makes no sense. */
export async function runProgram(screen: Screen, main: () => Promise<number>): Promise<void> {
  process.on("SIGINT", () => {
    interrupts++;
    if (interrupts > 1) process.exit(130);
    stop();
  });
  try {
    process.exitCode = await main();
  } catch (error) {
    screen.line(error instanceof Error ? error.message : String(error), "red");
    process.exitCode = isAgentwireError(error) && error.code !== "invalid-input" ? 1 : 2;
  }
}
