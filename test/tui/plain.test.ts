import { describe, expect, test } from "vitest";
import { Child } from "../examples/support/child.ts";
import { coloursIn, withoutMarks } from "./support/output.ts";
import { leave, over, PROGRAM, scripted, send } from "./support/user.ts";

describe("colour", () => {
  test("is used on a terminal, and nowhere with NO_COLOR", async () => {
    await using coloured = await scripted();
    await using plain = await scripted({ env: { NO_COLOR: "1" } });
    for (const terminal of [coloured, plain]) {
      for (const [prompt, shows] of [
        ["reason", "Thought over."],
        ["fail", "has a problem"],
        ["/help", "Keys for the search"],
      ] as const) {
        await send(terminal, prompt);
        await terminal.until(shows);
        await over(terminal);
      }
      await send(terminal, "tool ls");
      await terminal.until("y once");
      terminal.type("y");
      await terminal.until("The tool is done.");
      await over(terminal);
      await leave(terminal);
    }
    expect(coloursIn(coloured.raw).length).toBeGreaterThan(0);
    expect(coloursIn(plain.raw)).toEqual([]);
  });
});

describe("without a terminal", () => {
  test("the chat runs in plain lines without escape sequences: an approval, an answer, the end of input", async () => {
    await using child = new Child(PROGRAM);
    child.type("tool ls");
    await child.until("in this session): ");
    child.type("y");
    await child.until("The tool is done.");
    child.type("hostile");
    await child.until("The end.");
    child.endOfInput();
    expect(await child.exitCode()).toBe(0);
    expect(child.text).not.toContain("\u001b");
    expect(child.stderr).toBe("");
  });

  test("all prompts of a file are answered in order", async () => {
    await using child = new Child(PROGRAM);
    child.type("one\ntwo");
    child.endOfInput();
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(/You said 3 characters: one[\s\S]*You said 3 characters: two/);
    expect(child.stderr).toBe("");
  });

  test("Ctrl-C cancels a running turn, and exits otherwise", async () => {
    await using child = new Child(PROGRAM);
    child.type("begin");
    await child.until("I begin.");
    child.interrupt();
    await child.until("cancelled");
    child.type("hello");
    await child.until("You said 5 characters: hello");
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
  });
});

test("with TERM=dumb the symbols are ASCII, without colours", async () => {
  await using terminal = await scripted({ env: { TERM: "dumb" } });
  await send(terminal, "tool ls");
  await terminal.until("y once");
  terminal.type("y");
  await terminal.until("The tool is done.");
  await over(terminal);
  expect(terminal.scrollback().join("")).toMatch(/^[\x20-\x7e]*$/);
  expect(coloursIn(withoutMarks(terminal.raw))).toEqual([]);
  await leave(terminal);
});
