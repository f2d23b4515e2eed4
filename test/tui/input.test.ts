import { expect, test } from "vitest";
import { Lifeline } from "./support/lifeline.ts";
import { digestOf } from "./support/scripts.ts";
import { CLEAN } from "./support/terminal.ts";
import { composer, isWorking, leave, over, scripted, send } from "./support/user.ts";

test("a paste of 100 kB is one prompt, is sent whole, and is shown in part", async () => {
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

test("a short paste of several lines waits for Enter, and what a terminal would obey is taken out of it", async () => {
  await using terminal = await scripted();
  terminal.paste("one\ntwo\u0007\u001b[31m");
  await terminal.until(/› one\n {2}two/);
  terminal.press("enter");
  await terminal.until(/You said 7 characters: one\n\s*two/);
  await leave(terminal);
});

test("several lines are written with a backslash, with Alt-Enter and with Ctrl-J, and edited in their middle", async () => {
  await using terminal = await scripted();
  terminal.type("one\\");
  await terminal.until("› one\\");
  terminal.press("enter");
  terminal.type("two");
  await terminal.until(/› one\n {2}two/);
  terminal.press("alt-enter");
  terminal.type("three");
  await terminal.until(/ {2}two\n {2}three/);
  terminal.press("ctrl-j");
  terminal.type("four");
  await terminal.until(/ {2}three\n {2}four/);
  terminal.press("up", "up", "home", "delete", "delete");
  terminal.type("T");
  await terminal.until(/› one\n {2}To\n {2}three\n {2}four/);
  terminal.press("down", "end", "backspace");
  await terminal.until(/› one\n {2}To\n {2}thre\n {2}four/);
  terminal.press("enter");
  await terminal.until(/You said 16 characters: one\n\s*To\n\s*thre\n\s*four/);
  await leave(terminal);
});

test("Up and Down go through the prompts, and back to what was being written", async () => {
  await using terminal = await scripted();
  await send(terminal, "first");
  await terminal.until("characters: first");
  await send(terminal, "second");
  await terminal.until("characters: second");
  terminal.type("draft");
  await terminal.until("› draft");
  for (const [key, shown] of [
    ["up", "second"],
    ["up", "first"],
    ["up", "first"],
    ["down", "second"],
    ["down", "draft"],
  ] as const) {
    terminal.press(key);
    await terminal.until(() => composer(terminal) === shown);
  }
  await terminal.until(() => !isWorking(terminal));
  terminal.press("up", "enter");
  await terminal.until(
    () => terminal.scrollback().filter((line) => line.endsWith("characters: second")).length === 2,
  );
  await leave(terminal);
});

test("keys that come all at once are all taken: text, Enter, and the text of the next prompt", async () => {
  await using terminal = await scripted();
  terminal.type("one\rtwo\r");
  await terminal.until(/characters: one[\s\S]*characters: two/);
  await leave(terminal);
});

test("wide characters, combined ones and emoji are typed, deleted and sent whole", async () => {
  await using terminal = await scripted();
  terminal.type("a漢e\u0301👩‍👩‍👧");
  await terminal.until("› a漢e\u0301👩");
  terminal.press("backspace", "backspace");
  await terminal.until(() => composer(terminal) === "a漢");
  terminal.press("left");
  terminal.type("b");
  await terminal.until(() => composer(terminal) === "ab漢");
  terminal.press("enter");
  await terminal.until("You said 3 characters: ab漢");
  await leave(terminal);
});

test("the output of a command goes with the next prompt, once", async () => {
  await using terminal = await scripted();
  await send(terminal, "!echo from-the-command; exit 3");
  await terminal.until("exit code 3");
  await send(terminal, "look");
  await terminal.until(/I ran[\s\S]*exit code 3[\s\S]*from-the-command[\s\S]*look/);
  await over(terminal);
  await send(terminal, "again");
  await terminal.until("You said 5 characters: again");
  await leave(terminal);
});

test("a command that runs is ended by Ctrl-C with all that it has started, and the program goes on", async () => {
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

test("a command's escape sequences do nothing, and it does not get the keys of the user", async () => {
  await using terminal = await scripted();
  await send(terminal, String.raw`!printf '\033[2J\033]0;owned\007text\n'; cat; echo over`);
  await terminal.until("exit code 0");
  await terminal.until(/text\n\s*over/);
  expect(terminal.raw).not.toContain("\u001b]0;owned");
  await leave(terminal);
});

test.each(["Ctrl-D", "SIGTERM", "SIGHUP"] as const)(
  "a command that runs is ended when the program is left by %s, even if it ignores polite signals",
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

test("a command whose process has left its group can be stopped, and the program can be left", async () => {
  await using terminal = await scripted();
  await send(terminal, "!echo ready; setsid sleep 3600");
  await terminal.until(/^\s*ready$/m);
  terminal.press("ctrl-c");
  await terminal.until("stopped by");
  terminal.press("ctrl-d");
  expect(await terminal.exit()).toMatchObject({ ...CLEAN, processes: expect.any(Number), code: 0 });
});
