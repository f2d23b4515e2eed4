import { describe, expect, test } from "vitest";
import { listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

async function screenWith(...prompts: readonly string[]): Promise<ClockedScreen> {
  const screen = new ClockedScreen();
  for (const prompt of prompts) await screen.enters(prompt);
  return screen;
}

describe("Ctrl-R", () => {
  test("finds the newest prompt with the text, whatever its case, and Ctrl-R again an older one", async () => {
    const screen = await screenWith("Fix the tests", "write docs", "fix the types", "go");
    screen.press("ctrl-r");
    expect(await screen.after(100)).toMatch(/earlier prompts with:\n> go$/);
    screen.type("FIX");
    expect(await screen.after(100)).toMatch(/earlier prompts with: FIX\n> fix the types$/);
    screen.press("ctrl-r");
    expect(await screen.after(100)).toMatch(/> Fix the tests$/);
    screen.press("down");
    expect(await screen.after(100)).toMatch(/> fix the types$/);
  });

  test("takes the prompt at Enter, and does not send it", async () => {
    const screen = await screenWith("one", "two");
    screen.press("ctrl-r");
    screen.type("on");
    screen.press("enter");
    await screen.after(100);
    expect(screen.sent).toEqual(["one", "two"]);
    await screen.enters(" more");
    expect(screen.sent).toEqual(["one", "two", "one more"]);
  });

  test.each(["escape", "ctrl-c", "ctrl-g"] as const)("leaves the text as it was at %s", async (key) => {
    const screen = await screenWith("one");
    screen.set({ busy: true });
    screen.type("half");
    screen.press("ctrl-r");
    screen.type("o");
    screen.press(key);
    expect(await screen.after(100)).toMatch(/> half$/);
    expect([screen.cancels, screen.exits]).toEqual([[], []]);
  });

  test("says that nothing fits, and goes on with a shorter text", async () => {
    const screen = await screenWith("one");
    screen.press("ctrl-r");
    screen.type("ox");
    expect(await screen.after(100)).toContain("earlier prompts with: ox (none)");
    screen.press("backspace");
    expect(await screen.after(100)).toMatch(/with: o\n> one$/);
  });

  test("hands another key to the composer, with the prompt", async () => {
    const screen = await screenWith("one two");
    screen.press("ctrl-r", "ctrl-w");
    expect(await screen.after(100)).toMatch(/> one $/);
  });
});

test("the prompts of an earlier chat are in the history", async () => {
  const screen = new ClockedScreen({ snapshot: { loading: true } });
  const parts = listOf([{ type: "text", id: "t", text: "asked before", open: false } as const]);
  const message: ChatMessage = { id: "m", role: "user", status: "sent", startedAt: 0, parts };
  screen.set({ loading: false, messages: listOf([message]) });
  await screen.after(100);
  await screen.enters("asked now");
  screen.press("up", "up");
  expect(await screen.after(100)).toMatch(/> asked before$/);
});
