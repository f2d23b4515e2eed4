import { render, Text, useInput } from "ink";
import { afterEach, expect, test, vi } from "vitest";
import { type Press, pressesOf } from "../../src/ink/press.ts";
import { TestTerminal } from "./terminal.ts";

/** ms; more than a slow machine needs. */
const PATIENCE = 30_000;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The keys that Ink reads from what a terminal sends at once, in short. */
async function keysOf(sent: string, count: number): Promise<readonly string[]> {
  const terminal = new TestTerminal();
  const { stdin, stdout } = terminal;
  const presses: Press[] = [];
  const Keys = () => {
    useInput((input, key) => void presses.push(...pressesOf(input, key)));
    return <Text>ready</Text>;
  };
  const app = render(<Keys />, { stdin, stdout, interactive: true, patchConsole: false });
  closers.push(() => app.unmount());
  await vi.waitFor(() => expect(terminal.isRaw).toBe(true), PATIENCE);
  terminal.type(sent);
  await vi.waitFor(() => expect(presses.length).toBeGreaterThanOrEqual(count), PATIENCE);
  return presses.map((press) => (press.type === "key" ? `<${press.key}>` : press.text));
}

test.each([
  ["\u001bnext\r", ["<escape>", "n", "ext", "<enter>"]],
  ["\u001b日本", ["<escape>", "日", "本"]],
  ["\u001b\r", ["<newline>"]],
  ["\u001bb\u001bf", ["<word-left>", "<word-right>"]],
  ["\u001b[1;3Pa", ["a"]], // Alt-F1
  ["\u001b[99;3~a", ["a"]],
  ["\u001b", ["<escape>"]],
])("the input %j is read as the keys %j", async (sent, keys) => {
  expect(await keysOf(sent, keys.length)).toEqual(keys);
});
