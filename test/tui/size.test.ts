import { describe, expect, test } from "vitest";
import type { ProgramMark } from "./support/marks.ts";
import { WORDS_OF_SIZE } from "./support/scripts.ts";
import type { Terminal } from "./support/terminal.ts";
import { leave, over, scripted, send } from "./support/user.ts";

/** The numbers of the words of a flood, in all lines or in the last so many. A narrow window breaks words. */
function wordsOf(terminal: Terminal, lines = Number.POSITIVE_INFINITY): ReadonlySet<number> {
  const text = terminal.scrollback().slice(-lines).join("");
  return new Set(Array.from(text.matchAll(/word(\d+)/g), ([, number]) => Number(number)));
}

/** The number of the last word. It may be half a number: a narrow window shows the other half in the next row. */
function newest(terminal: Terminal): number {
  const text = terminal.scrollback().slice(-400).join("");
  return Number([...text.matchAll(/word(\d+)/g)].at(-1)?.[1] ?? -1);
}

/** Frames after which the program has drawn all of a window of another size, and not what it had begun before. */
const FRAMES = 5;

/** Gives the window another size, and waits until the program draws for that size. */
function resizer(terminal: Terminal): (columns: number, rows: number) => Promise<void> {
  let wanted = 0;
  let frames = 0;
  terminal.onMark((text) => {
    const mark: ProgramMark = JSON.parse(text);
    if (mark.type === "frame" && mark.columns === wanted) frames++;
  });
  return async (columns, rows) => {
    wanted = columns;
    frames = 0;
    terminal.resize(columns, rows);
    await terminal.until(() => frames >= FRAMES);
  };
}

describe("the window's size", () => {
  // The words pause before each size: what the program writes while it has not heard of a size stands at the wrong place in any terminal.
  test("may change during an answer without losing a word", async () => {
    await using terminal = await scripted();
    await send(terminal, "sizes");
    let shown = WORDS_OF_SIZE;
    const isShown = (): boolean => newest(terminal) === shown - 1;
    await terminal.until(isShown);
    const sizes = [
      [120, 24],
      [60, 40],
      [20, 8],
      [80, 24],
      [20, 30],
      [132, 12],
    ] as const;
    for (const [columns, rows] of sizes) {
      terminal.resize(columns, rows);
      shown += WORDS_OF_SIZE;
      await terminal.until(isShown);
    }
    terminal.press("escape");
    await over(terminal);
    const words = wordsOf(terminal);
    for (let at = 0; at < shown; at++) expect(words.has(at), `word${at}`).toBe(true);
    await leave(terminal, sizes.length);
  });

  test("of one or two rows shows the newest words, and growth restores the whole screen", async () => {
    await using terminal = await scripted({ args: ["--marks"] });
    const resize = resizer(terminal);
    await send(terminal, "flood");
    await terminal.until(/word\d{3}/);
    const sizes = [
      [40, 2],
      [5, 1],
      [80, 24],
    ] as const;
    for (const [columns, rows] of sizes) {
      await resize(columns, rows);
      const before = newest(terminal);
      await terminal.until(() => newest(terminal) > before);
    }
    await terminal.until(/word\d+\n\n◐ working \d+ s · connected\n› Write to the agent/);
    terminal.press("escape");
    await over(terminal);
    await leave(terminal, Number.POSITIVE_INFINITY); // one row is less than Ink can do without;
  });
});
