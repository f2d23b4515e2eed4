import { describe, expect, test } from "vitest";
import { countFullClears } from "./support/output.ts";
import { isWorking, leave, over, scripted, send } from "./support/user.ts";

const LINES = 10_000;

test("10,000 lines are all in the scrollback, in their order, and the screen is never cleared", async () => {
  await using terminal = await scripted();
  await send(terminal, `lines ${LINES}`);
  await terminal.until(`line ${LINES}`);
  await over(terminal);
  const numbers = terminal.scrollback().flatMap((line) => /^\s*line (\d+)$/.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: LINES }, (_, at) => String(at + 1)));
  expect(countFullClears(terminal.raw)).toBe(0);
  await leave(terminal);
});

test("10,000 lines in one chunk are all shown", async () => {
  await using terminal = await scripted();
  await send(terminal, `block ${LINES}`);
  await terminal.until(`row ${LINES}`);
  await over(terminal);
  const numbers = terminal.scrollback().flatMap((line) => /^\s*row (\d+)$/.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: LINES }, (_, at) => String(at + 1)));
  await leave(terminal);
});

describe("another size of the window", () => {
  test("in mid-stream loses no word, whether wider, narrower or back", async () => {
    await using terminal = await scripted();
    await send(terminal, "flood");
    await terminal.until("word100");
    let seen = 100;
    for (const columns of [120, 60, 20, 80, 20, 132]) {
      terminal.resize(columns, 24);
      seen += 600;
      const word = new RegExp(`word${seen}\\b`);
      await terminal.until(() => word.test(terminal.scrollback().slice(-400).join("\n")));
    }
    terminal.press("escape");
    await over(terminal);
    const words =
      terminal
        .scrollback()
        .join("")
        .match(/word\d+/g) ?? [];
    const counted = new Set(words.map((word) => Number(word.slice(4))));
    for (let at = 0; at < seen; at++) expect(counted.has(at), `word${at}`).toBe(true);
    await leave(terminal);
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

  test("of two rows, and of one, loses nothing and clears nothing away", async () => {
    await using terminal = await scripted();
    await send(terminal, "flood");
    await terminal.until("word100");
    terminal.resize(40, 2);
    await terminal.until(() => terminal.scrollback().slice(-100).join("\n").includes("word500"));
    terminal.resize(5, 1);
    terminal.resize(80, 24);
    await terminal.until("word1500");
    expect(isWorking(terminal)).toBe(true);
    terminal.press("escape");
    await over(terminal);
    await leave(terminal);
  });

  test("while a dialog is open keeps the dialog whole", async () => {
    await using terminal = await scripted();
    await send(terminal, "choose");
    await terminal.until("3 other an old one");
    for (const [columns, rows] of [
      [20, 8],
      [100, 30],
      [40, 10],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.until(/Which branch\?[\s\S]*1 main[\s\S]*2 next/);
    }
    terminal.type("1");
    await terminal.until('The answer is [["main"]].');
    await leave(terminal);
  });
});
