import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { programFile } from "../../program/support/program-file.ts";
import { bundleOf } from "./bundle.ts";
import { countFullClears } from "./output.ts";
import { CLEAN, Terminal, type TerminalOptions } from "./terminal.ts";

/** The program over the scripted agent. */
export const PROGRAM = fileURLToPath(new URL("program.tsx", import.meta.url));

/** What the status line says before the first prompt. */
const READY = /^ready\b/m;

/** The program with the scripted agent, at its first prompt. */
export async function scripted(options: TerminalOptions = {}): Promise<Terminal> {
  const terminal = await Terminal.start(await bundleOf(PROGRAM), options);
  await terminal.until(READY);
  return terminal;
}

/** The program as a user starts it, at its first prompt. */
export async function started(args: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  const terminal = await Terminal.start(programFile(), { ...options, args: ["chat", ...args] });
  await terminal.until(READY);
  return terminal;
}

/** Types a prompt, sees it, and presses Enter. */
export async function send(terminal: Terminal, text: string): Promise<void> {
  const isTyped = (): boolean => withoutBlanks(composer(terminal)) === withoutBlanks(text);
  terminal.type(text);
  await terminal.until(isTyped);
  terminal.press("enter");
  await terminal.until(() => !isTyped());
}

/** The text with the cursor: what is typed so far, or the words of an empty composer. Its rows are put together. */
export function composer(terminal: Terminal): string {
  const lines = terminal.screen();
  const first = lines.findLastIndex((shown) => /^[›>]( |$)/.test(shown));
  return lines
    .slice(first)
    .map((line) => line.slice(2))
    .join("");
}

/** Blanks at the end of a row are not on the screen. */
export function withoutBlanks(text: string): string {
  return text.replaceAll(" ", "");
}

/** Whether a turn runs. */
function isWorking(terminal: Terminal): boolean {
  return terminal.shows(/[◐*] working \d/);
}

/** Waits until no turn runs. */
export async function over(terminal: Terminal): Promise<void> {
  await terminal.until(() => !isWorking(terminal));
}

/**
 * Leaves as a user does, and looks at the terminal that is left.
 *
 * @param fullClears how often the screen may have been cleared. Ink clears it when the window becomes lower than the live region.
 */
export async function leave(terminal: Terminal, fullClears = 0): Promise<void> {
  terminal.press("ctrl-d");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 0 });
  expect(countFullClears(terminal.raw)).toBeLessThanOrEqual(fullClears);
}
