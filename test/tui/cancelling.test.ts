import { expect, test } from "vitest";
import { leave, over, scripted, send } from "./support/user.ts";

/** What is on the screen when the user presses Esc, and what the turn does up to there. */
const POINTS = [
  ["before the first chunk", "nothing", "working"],
  ["in reasoning", "think", "I think about it."],
  ["in text", "begin", "I begin."],
  ["in a running tool", "running", "shell runs"],
  ["in an approval", "tool ls", "wants to use shell"],
] as const;

test("Esc cancels at each point, and the next prompt is answered", async () => {
  await using terminal = await scripted({ rows: 40 });
  let cancelled = 0;
  for (const [point, prompt, shows] of POINTS) {
    await send(terminal, prompt);
    await terminal.until(shows);
    terminal.press("escape");
    cancelled++;
    const said = () => terminal.scrollback().filter((line) => line.startsWith("cancelled; /retry"));
    await terminal.until(() => said().length === cancelled);
    await over(terminal);
    expect(said(), point).toHaveLength(cancelled);
  }
  await send(terminal, "hello");
  await terminal.until("You said 5 characters: hello");
  await leave(terminal);
});

test("Esc answers a question with nothing, and a second Esc cancels", async () => {
  await using terminal = await scripted();
  await send(terminal, "choose");
  await terminal.until("› 1 main");
  terminal.press("escape");
  await terminal.until("The answer is null.");
  await send(terminal, "begin");
  await terminal.until("I begin.");
  terminal.press("escape");
  await terminal.until("cancelled; /retry");
  await leave(terminal);
});

test("Esc without a turn does no harm", async () => {
  await using terminal = await scripted();
  terminal.press("escape", "escape");
  await send(terminal, "hello");
  await terminal.until("You said 5 characters: hello");
  await leave(terminal);
});
