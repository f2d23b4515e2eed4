import { describe, expect, test } from "vitest";
import type { ProgramMark } from "./support/marks.ts";
import { WIDE } from "./support/scripts.ts";
import type { Terminal } from "./support/terminal.ts";
import { leave, over, scripted, send, withoutBlanks } from "./support/user.ts";

const LINES = 10_000;

/** The numbers of the words of a flood, in all lines or in the last so many. A narrow window breaks words. */
function wordsOf(terminal: Terminal, lines = Number.POSITIVE_INFINITY): ReadonlySet<number> {
  const text = terminal.scrollback().slice(-lines).join("");
  return new Set(Array.from(text.matchAll(/word(\d+)/g), ([, number]) => Number(number)));
}

/** The number of the newest word. */
function newest(terminal: Terminal): number {
  return Math.max(-1, ...wordsOf(terminal, 400));
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

test("10,000 lines in one chunk are all shown", async () => {
  await using terminal = await scripted();
  await send(terminal, `block ${LINES}`);
  await terminal.until(`row ${LINES}`);
  await over(terminal);
  const numbers = terminal.scrollback().flatMap((line) => /^\s*row (\d+)$/.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: LINES }, (_, at) => String(at + 1)));
  await leave(terminal);
});

test.each([80, 37, 20])(
  "text of wide and combined characters is whole in %i columns, and no row is too wide",
  async (columns) => {
    await using terminal = await scripted({ columns });
    await send(terminal, "wide 40");
    await terminal.until("connected");
    await over(terminal);
    const shown = withoutBlanks(terminal.scrollback().join(""));
    expect(shown).toContain(withoutBlanks(WIDE).repeat(40));
    expect(terminal.brokenLines).toBe(0);
    await leave(terminal);
  },
);

describe("another size of the window", () => {
  test("in mid-stream loses no word, whether wider, narrower or back", async () => {
    await using terminal = await scripted({ args: ["--marks"] });
    const resize = resizer(terminal);
    await send(terminal, "flood");
    await terminal.until("word100");
    const sizes = [
      [120, 24],
      [60, 40],
      [20, 8],
      [80, 24],
      [20, 30],
      [132, 12],
    ] as const;
    for (const [columns, rows] of sizes) {
      await resize(columns, rows);
      const before = newest(terminal);
      await terminal.until(() => newest(terminal) > before);
    }
    terminal.press("escape");
    await over(terminal);
    const words = wordsOf(terminal);
    const last = Math.max(...words);
    for (let at = 0; at < last; at++) expect(words.has(at), `word${at}`).toBe(true);
    await leave(terminal, sizes.length);
  });

  test("of 20 columns and 8 rows still asks, answers and ends", async () => {
    await using terminal = await scripted({ columns: 20, rows: 8 });
    await send(terminal, "tool ls");
    await terminal.until("y once");
    terminal.type("y");
    await terminal.until(/The tool is\s+done\./);
    await over(terminal);
    await send(terminal, "choose");
    await terminal.until("› 1 main");
    terminal.press("down");
    await terminal.until("› 2 next");
    terminal.press("enter");
    await terminal.until('[["next"]].');
    await over(terminal);
    await send(terminal, "lines 100");
    await terminal.until("line 100");
    await over(terminal);
    await leave(terminal);
  });

  test("of two rows, and of one, shows the newest words, and the whole screen again when it has grown", async () => {
    await using terminal = await scripted({ args: ["--marks"] });
    const resize = resizer(terminal);
    await send(terminal, "flood");
    await terminal.until("word100");
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

  test("while a dialog is open keeps the dialog whole", async () => {
    await using terminal = await scripted();
    await send(terminal, "choose");
    await terminal.until("3 other · an old one");
    const sizes = [
      [20, 8],
      [100, 30],
      [40, 10],
    ] as const;
    for (const [columns, rows] of sizes) {
      terminal.resize(columns, rows);
      await terminal.until(/Which branch\?[\s\S]*1 main[\s\S]*2 next/);
    }
    terminal.type("1");
    terminal.press("enter");
    await terminal.until(/The answer is\s+\[\["main"\]\]\./);
    await leave(terminal, sizes.length);
  });
});
