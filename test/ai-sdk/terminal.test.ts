import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CLEAN, Terminal } from "../tui/support/terminal.ts";

const PROGRAM = fileURLToPath(new URL("../../docs/snippets/ai-sdk-tui.ts", import.meta.url));

test("`runAgentTUI` shows a turn, asks for approvals, survives a blank prompt, and leaves a clean terminal", async () => {
  await using terminal = await Terminal.start(PROGRAM);
  const prompt = async (text: string): Promise<void> => {
    await terminal.until("│ >");
    terminal.type(text);
    await terminal.until(text); // keys that come together are no keys to it
    terminal.press("enter");
  };
  await prompt("hello");
  await terminal.until(/Approve .*y\/n/);
  expect(terminal.shows("You said: hello.")).toBe(true);
  terminal.type("y");
  await terminal.until("One file.");
  await prompt("");
  await terminal.until("The message is empty");
  await prompt("more");
  await terminal.until(/Approve .*y\/n/);
  terminal.type("n");
  await terminal.until("As you like.");
  await terminal.until("│ >");
  terminal.press("ctrl-c");
  expect(await terminal.exit()).toEqual({ ...CLEAN, code: 0 });
});
