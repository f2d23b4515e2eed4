import { expect, test } from "vitest";
import { Lifeline } from "./support/lifeline.ts";
import { digestOf } from "./support/scripts.ts";
import { CLEAN } from "./support/terminal.ts";
import { leave, over, scripted, send } from "./support/user.ts";

test("a paste of 100 kB is one prompt, which is sent completely and shown in part", async () => {
  await using terminal = await scripted();
  const line = "The quick brown fox jumps over the lazy dog, and over äöü and 😀.\n";
  const text = line.repeat(Math.ceil(100_000 / line.length));
  terminal.paste(text);
  await terminal.until(`[pasted ${text.split("\n").length - 1} lines]`);
  terminal.type(" What is this?");
  await terminal.until("What is this?");
  terminal.press("enter");
  const sent = `${text} What is this?`;
  await terminal.until(new RegExp(`You said ${sent.length} characters,\\s${digestOf(sent)}`));
  expect(terminal.scrollback().length).toBeLessThan(100);
  await over(terminal);
  expect(terminal.scrollback().filter((shown) => shown.startsWith("You said"))).toHaveLength(1);
  await leave(terminal);
});

test("Ctrl-C ends a running command with its child processes, and the program continues", async () => {
  await using lifeline = await Lifeline.open();
  await using terminal = await scripted();
  await send(terminal, `!${lifeline.command}`);
  await terminal.until(/^\s*ready$/m);
  terminal.press("ctrl-c");
  await lifeline.gone;
  await terminal.until("stopped by");
  await send(terminal, "hello");
  await terminal.until("hello");
  await leave(terminal);
});

test("a command's escape sequences are removed, and it gets none of the user's keys", async () => {
  await using terminal = await scripted();
  await send(terminal, String.raw`!printf '\033[2J\033]0;owned\007text\n'; cat; echo over`);
  await terminal.until("exit code 0");
  await terminal.until(/text\n\s*over/);
  expect(terminal.raw).not.toContain("\u001b]0;owned");
  await leave(terminal);
});

test.each(["Ctrl-D", "SIGTERM"] as const)(
  "a running command ends when the program ends by %s, even if it ignores SIGTERM",
  async (how) => {
    await using lifeline = await Lifeline.open();
    await using terminal = await scripted();
    await send(terminal, `!trap '' TERM HUP INT; ${lifeline.command}`);
    await terminal.until(/^\s*ready$/m);
    if (how === "Ctrl-D") terminal.press("ctrl-d");
    else terminal.signal(how);
    expect(await terminal.exit()).toMatchObject(CLEAN);
    await lifeline.gone;
  },
);
