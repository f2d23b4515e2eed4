import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { coloursIn, countFrames, countFullClears, terminalStringsIn } from "./support/output.ts";
import { Terminal } from "./support/terminal.ts";

const RUDE = fileURLToPath(new URL("support/rude.ts", import.meta.url));

test("the test terminal detects screen clears, colours, window titles and a terminal left changed", async () => {
  await using terminal = await Terminal.start(RUDE);
  expect(await terminal.exit()).toEqual({
    code: 128 + 9,
    cursorVisible: false,
    bracketedPaste: true,
    mouse: true,
    alternateScreen: true,
    raw: true,
    processes: 1,
  });
  const { raw } = terminal;
  expect(countFullClears(raw)).toBe(2);
  expect(countFrames(raw)).toBe(1);
  expect(coloursIn(raw)).toEqual(["\u001b[31m"]);
  expect(terminalStringsIn(raw)).toEqual(["\u001b]"]);
});

test("`until()` fails with the screen if its condition never holds", async () => {
  await using terminal = await Terminal.start(RUDE, { columns: 30, rows: 3 });
  await expect(terminal.until("green")).rejects.toThrow(/ended without green\. Its screen:\n {2}\|/);
});
