import { expect, test } from "vitest";
import type { CommandEnd, RunCommand } from "../../src/ink/screen/local-run.ts";
import { ClockedScreen } from "./clocked-screen.ts";

/** Longer than a frame. */
const FRAME = 100;

const ends =
  (end: CommandEnd): RunCommand =>
  () => ({ stop: () => {}, ended: Promise.resolve(end) });

async function run(command: string, runCommand: RunCommand): Promise<ClockedScreen> {
  const screen = new ClockedScreen({ runCommand });
  screen.type("!");
  screen.screen.paste(command);
  screen.press("enter");
  await screen.after(FRAME);
  return screen;
}

test("a local command that the system refuses fails, and the chat continues", async () => {
  const screen = await run("ls", () => {
    throw new Error("spawn E2BIG");
  });
  expect(screen.printed).toMatch(/! ls\ncould not run: spawn E2BIG/);
  screen.type("why?");
  screen.press("enter");
  expect(screen.sent).toEqual(["I ran `ls` (could not run: spawn E2BIG): no output.\n\nwhy?"]);
});

test.each<CommandEnd>([
  { type: "failed", reason: "no\u001b]8;;https://evil.example\u001b\\link \u202egnp\n1\n2" },
  { type: "killed", signal: "SIG\u001b[2J\u202e" },
])("the system's error text loses its control characters: %j", async (end) => {
  const screen = await run("ls", ends(end));
  expect(screen.printed).toMatch(/! ls\n(?:could not run: nolink gnp 1 2|stopped by SIG)$/);
  screen.type("why?");
  screen.press("enter");
  expect(screen.sent[0]).toMatch(/^I ran `ls` \((?:could not run: nolink gnp 1 2|stopped by SIG)\)/);
});

test("a long command that could not run is shortened on the screen and in the prompt", async () => {
  const command = `echo ${"word ".repeat(40_000)}`;
  const screen = await run(command, ends({ type: "failed", reason: `bad: ${command}` }));
  expect(screen.printed.split("\n").length).toBeLessThan(30);
  screen.press("ctrl-o");
  await screen.after(FRAME);
  expect(screen.printed).toContain("The command:\n");
  screen.type("why?");
  screen.press("enter");
  expect(String(screen.sent[0]).length).toBeLessThan(1_200);
});
