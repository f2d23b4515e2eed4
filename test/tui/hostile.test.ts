import { describe, expect, test } from "vitest";
import { BIDI, SEQUENCES } from "./support/hostile.ts";
import { terminalStringsIn, withoutMarks } from "./support/output.ts";
import type { Terminal } from "./support/terminal.ts";
import { leave, over, scripted, send } from "./support/user.ts";

/** Nothing of the agent has reached the terminal but characters. */
function expectInert(terminal: Terminal): void {
  const raw = withoutMarks(terminal.raw);
  for (const [name, sequence] of Object.entries(SEQUENCES)) expect(raw.includes(sequence), name).toBe(false);
  expect(terminalStringsIn(raw)).toEqual([]);
  for (const control of ["\u0007", "\b", "\u001bc"]) expect(raw).not.toContain(control);
  for (const control of BIDI.match(/[\u2000-\u206f]/g) ?? []) expect(raw).not.toContain(control);
}

describe("nothing of the agent reaches the terminal as a sequence", () => {
  test("in text and reasoning, whole or in pieces", async () => {
    await using terminal = await scripted();
    for (const prompt of ["hostile", "hostilethought"]) {
      await send(terminal, prompt);
      await terminal.until(/The end\.[\s\S]*connected/);
      await over(terminal);
    }
    expectInert(terminal);
    await leave(terminal);
  });

  test("in a tool's name, input and output, in a status, a file, a sub-agent, data and an error", async () => {
    await using terminal = await scripted();
    await send(terminal, "hostiletool");
    await terminal.until("y once");
    const asked = terminal.scrollback().join("\n");
    for (const shown of ["\\u{1b}]0;owned", "\\u{202e}", "\\u{9b}31m"])
      expect(asked.replace(/\n\s*│? {0,3}/g, "")).toContain(shown); // what the user judges hides nothing
    terminal.type("y");
    await terminal.until("The end.");
    await over(terminal);
    expectInert(terminal);
    await leave(terminal);
  });

  test("in a question, and in the words of a failure", async () => {
    await using terminal = await scripted();
    await send(terminal, "hostilequestion");
    await terminal.until("2 plain");
    terminal.press("enter");
    await terminal.until("The end.");
    await over(terminal);
    await send(terminal, "hostilefailure");
    await terminal.until("✗");
    await over(terminal);
    expectInert(terminal);
    await leave(terminal);
  });
});
