import { describe, expect, test } from "vitest";
import { composer, leave, over, scripted, send } from "./support/user.ts";

describe("an approval", () => {
  test("once lets one call run, and the next one asks again", async () => {
    await using terminal = await scripted();
    await send(terminal, "tools");
    await terminal.until(/wants to use shell\n.*│ command: one\n always: .*\n y once/);
    terminal.type("y");
    await terminal.until(/wants to use shell\n.*│ command: two\n always: .*\n y once/);
    terminal.type("n");
    await terminal.until(/one is done\.[\s\S]*two is denied\./);
    await leave(terminal);
  });

  test("always covers the same call, and every call of the tool is allowed in a second step", async () => {
    await using terminal = await scripted();
    await send(terminal, "tools");
    await terminal.until("y once");
    terminal.type("a");
    await terminal.until(/one is done\.[\s\S]*│ command: two\n always: .*\n y once/);
    terminal.type("e");
    await terminal.until("Allow every call of");
    terminal.type("y");
    await terminal.until(/one is done\.[\s\S]*two is done\./);
    await leave(terminal);
  });

  test("is rejected by n, by Enter alone, and with a reason, which the agent is told", async () => {
    await using terminal = await scripted();
    await send(terminal, "tool first");
    await terminal.until(/│ command: first\n always: .*\n y once/);
    terminal.type("n");
    await terminal.until("The tool is denied.");
    await send(terminal, "tool second");
    await terminal.until(/│ command: second\n always: .*\n y once/);
    terminal.press("enter");
    await terminal.until(
      () =>
        terminal
          .scrollback()
          .join("\n")
          .match(/The tool is denied\./g)?.length === 2,
    );
    await send(terminal, "tool third");
    await terminal.until(/│ command: third\n always: .*\n y once/);
    terminal.type("r");
    await terminal.until("The reason, then Enter");
    terminal.type("not on a Friday");
    await terminal.until("› not on a Friday");
    terminal.press("enter");
    await terminal.until("The tool is denied: not on a Friday.");
    await leave(terminal);
  });

  test("can be chosen with the arrows, and the reason can be left again with Esc", async () => {
    await using terminal = await scripted();
    await send(terminal, "tool ls");
    await terminal.until("›n reject");
    terminal.press("right");
    await terminal.until("›r reject with a reason");
    terminal.press("enter");
    await terminal.until("The reason, then Enter");
    terminal.press("escape");
    await terminal.until("›r reject with a reason");
    terminal.press("right");
    await terminal.until("›e every call");
    terminal.press("right");
    await terminal.until("›y once");
    terminal.press("enter");
    await terminal.until("The tool is done.");
    expect(terminal.scrollback().join("\n")).toContain("│ a.txt");
    await leave(terminal);
  });

  test("shows the whole of a command that is taller than the screen before it asks", async () => {
    await using terminal = await scripted({ rows: 12 });
    const words = Array.from({ length: 150 }, (_, at) => `word-${at}`).join(" ");
    await send(terminal, "hello");
    await over(terminal);
    terminal.paste(`tool ${words}`);
    await terminal.until(/\[pasted 1\d{3} characters\]/);
    terminal.press("enter");
    await terminal.until(/Its input is above\n always: [\s\S]*\n y once/);
    const shown = terminal
      .scrollback()
      .join("")
      .replace(/\s*│ ?/g, "")
      .replaceAll(" ", "");
    expect(shown.slice(shown.lastIndexOf("wantstouseshell"))).toContain(words.replaceAll(" ", ""));
    terminal.type("y");
    await terminal.until("The tool is done.");
    await leave(terminal);
  });

  test("is not given by words that were meant for the composer, nor by a paste", async () => {
    await using terminal = await scripted();
    await send(terminal, "tool ls");
    await terminal.until("y once");
    terminal.type("you should not");
    terminal.paste("yes, and also this");
    terminal.type("yes");
    terminal.press("escape");
    await over(terminal);
    terminal.press("ctrl-c"); // clears the line
    expect(terminal.scrollback().join("\n")).not.toContain("The tool is done");
    await leave(terminal);
  });
});

describe("a question", () => {
  test("is answered by a digit, by the arrows, and in words of the user's own", async () => {
    await using terminal = await scripted();
    await send(terminal, "choose");
    await terminal.until(/Which branch\?\n.*1 main\n.*2 next\n.*3 other · an old one/);
    terminal.type("2");
    await terminal.until("› 2 next");
    terminal.press("enter");
    await terminal.until('The answer is [["next"]].');
    await send(terminal, "choose");
    await terminal.until("› 1 main");
    terminal.press("down");
    await terminal.until("› 2 next");
    terminal.press("down");
    await terminal.until("› 3 other");
    terminal.press("enter");
    await terminal.until('The answer is [["other"]].');
    await send(terminal, "choose");
    await terminal.until("› 1 main");
    terminal.type("mine");
    await terminal.until("› mine");
    terminal.press("enter");
    await terminal.until('The answer is [["mine"]].');
    await leave(terminal);
  });

  test("takes several choices, and then the next question of the same request", async () => {
    await using terminal = await scripted();
    await send(terminal, "several");
    await terminal.until(/\(1 of 2\) Which files\?\n› 1/);
    terminal.type(" ");
    await terminal.until("1 ◉ a.txt");
    terminal.type("3");
    await terminal.until("3 ◉ c.txt");
    terminal.press("enter");
    await terminal.until(/\(2 of 2\) Which name\?\n› your answer/);
    terminal.type("Ada");
    await terminal.until("› Ada");
    terminal.press("enter");
    await terminal.until('The answers are [["a.txt","c.txt"],["Ada"]].');
    await leave(terminal);
  });

  test("of free text is answered in words, and by nothing with Esc", async () => {
    await using terminal = await scripted();
    await send(terminal, "ask");
    await terminal.until(/› your answer\nEnter answers with this, Esc: no answer\n/);
    terminal.type("Grace");
    await terminal.until("› Grace");
    terminal.press("enter");
    await terminal.until('The answer is [["Grace"]].');
    await send(terminal, "ask");
    await terminal.until(/› your answer\nEnter answers with this, Esc: no answer\n/);
    terminal.press("escape");
    await terminal.until("The answer is null.");
    await leave(terminal);
  });
});

describe("a conversation", () => {
  test("folds reasoning, shows the bill, repeats a failed prompt, and refuses a blank one", async () => {
    await using terminal = await scripted();
    await send(terminal, "reason");
    await terminal.until("Thought over.");
    await over(terminal);
    expect(terminal.scrollback().join("\n")).not.toContain("second thought");
    expect(terminal.scrollback().join("\n")).toContain("✓ Thought");
    terminal.press("ctrl-r");
    await terminal.until("reasoning is shown");
    await send(terminal, "reason");
    await terminal.until(
      /✓ Thought\n.*│ first thought\n.*│ second thought\n.*│ third thought\nThought over\./,
    );
    await over(terminal);
    await send(terminal, "bill");
    await terminal.until(/1\.2k in · 34 out · 3 credits/);
    terminal.type("   ");
    terminal.press("enter");
    await terminal.until("there is nothing to send");
    terminal.press("ctrl-u");
    await send(terminal, "fail");
    await terminal.until("the model is overloaded");
    await terminal.until("Check first; then /retry sends it again (until your next prompt).");
    await over(terminal);
    await send(terminal, "/retry");
    await terminal.until(
      () =>
        terminal
          .scrollback()
          .join("\n")
          .match(/the model is overloaded/g)?.length === 2,
    );
    await over(terminal);
    await send(terminal, "/help");
    await terminal.until("/retry");
    expect(terminal.scrollback().filter((line) => line === "› fail")).toHaveLength(2);
    expect(terminal.scrollback().filter((line) => line === "›")).toHaveLength(0);
    await leave(terminal);
  });

  test("queues what is sent while a turn runs, and sends it in its order", async () => {
    await using terminal = await scripted();
    await send(terminal, "begin");
    await terminal.until("I begin.");
    await send(terminal, "first");
    await send(terminal, "second");
    await terminal.until("2 queued");
    terminal.press("escape");
    await terminal.until(/You said 5 characters: first[\s\S]*You said 6 characters: second/);
    expect(composer(terminal)).not.toContain("first");
    await leave(terminal);
  });

  test("shows the beginning of a long output of a tool, and how much more there is", async () => {
    await using terminal = await scripted();
    await send(terminal, "output 500");
    await terminal.until("That was long.");
    await over(terminal);
    const shown = terminal.scrollback().join("\n");
    expect(shown).toMatch(/│ output 1\n.*│ output 2\n/);
    expect(shown).toMatch(/\.\.\. 49\d more lines/);
    expect(shown).not.toContain("│ output 500");
    terminal.press("ctrl-o");
    await terminal.until("output 500");
    await leave(terminal);
  });
});
