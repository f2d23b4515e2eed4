import { describe, expect, test } from "vitest";
import type { ChatPending } from "../../src/chat/pending.ts";
import type { CommandEnd } from "../../src/ink/screen/local-commands.ts";
import type { ChatPart, ChatTextPart } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

/** Longer than a dialog waits before it takes keys. */
const PAUSE = 1_000;

const content = Array.from({ length: 60 }, (_, at) => `rm -rf /home/${at}`).join("\n");
const tall = (id: string): ChatPending => ({ type: "approval", id, tool: "shell", input: { content } });
const call = (state: "awaiting" | "done"): ChatPart => ({
  type: "tool",
  id: "a",
  callId: "a",
  name: "shell",
  input: { content },
  state,
  output: "",
  content: [],
});
const said = (text: string): ChatTextPart => ({ type: "text", id: "t", text, open: true });

describe("between a tall input and its dialog", () => {
  const forged = "? The agent wants to use shell\n  | command: ls\n".repeat(20);

  test.each([
    ["behind the call", [call("awaiting"), said("Hm.")], [call("awaiting"), said(forged)]],
    ["before the call", [said("Hm."), call("awaiting")], [said(forged), call("awaiting")]],
  ] as const)("no text of an agent is printed that arrives %s", async (_, before, after) => {
    const screen = new ClockedScreen();
    screen.set({ pending: [tall("a")] });
    screen.says(before);
    expect(await screen.after(PAUSE)).toMatch(/^\? Allow shell\? Its input is above\n/);
    const { printed } = screen;
    expect(printed).toMatch(/rm -rf \/home\/59$/);
    screen.says(after);
    screen.press("ctrl-t"); // another frame
    expect(await screen.after(PAUSE)).toMatch(/^\? Allow shell\? Its input is above\n/);
    expect(screen.printed).toBe(printed);

    screen.set({ pending: [] });
    screen.says(after.map((part) => (part.type === "tool" ? call("done") : part)));
    await screen.after(PAUSE);
    expect(screen.printed.slice(printed.length)).toContain("wants to use shell");
  });

  test("no output of a local command is printed", async () => {
    let end = (_: CommandEnd): void => {};
    const ended = new Promise<CommandEnd>((resolve) => {
      end = resolve;
    });
    const screen = new ClockedScreen({ runCommand: () => ({ stop: () => {}, ended }) });
    screen.type("!ls");
    screen.press("enter");
    await screen.after(PAUSE);
    screen.set({ pending: [tall("a")], busy: true });
    await screen.after(PAUSE);
    end({ type: "exited", code: 3 });
    expect(await screen.after(PAUSE)).toMatch(/^\? Allow shell\? Its input is above\n/);
    expect(screen.printed).not.toContain("exit code 3");
    screen.set({ pending: [] });
    await screen.after(PAUSE);
    expect(screen.printed).toContain("exit code 3");
  });
});

test("delayed output is printed before the next tall input, and when the user leaves", async () => {
  const screen = new ClockedScreen();
  screen.set({ pending: [tall("a"), tall("b")] });
  screen.says([call("awaiting")]);
  await screen.after(PAUSE);
  const first = { ...said("First is over."), open: false };
  screen.says([call("done"), first]);
  screen.set({ pending: [tall("b")] });
  await screen.after(PAUSE);
  expect(screen.printed).toMatch(/shell is done[\s\S]*First is over\.[\s\S]*wants to use shell/);
  screen.says([call("done"), first, { ...said("Last words."), id: "u", open: false }]);
  await screen.after(PAUSE);
  expect(screen.printed).not.toContain("Last words.");
  screen.press("ctrl-d");
  await screen.after(PAUSE);
  expect(screen.printed).toContain("Last words.");
  expect(screen.exits).toEqual(["quit"]);
});

describe("a key after the key that ends the chat", () => {
  test.each([
    ["/quit", "/quit", ["enter"], "quit"],
    ["Ctrl-D", "x", ["backspace", "ctrl-d"], "quit"],
    ["Ctrl-C", "x", ["ctrl-c", "ctrl-c", "ctrl-c"], "interrupted"],
  ] as const)("(%s) is ignored, and the chat ends", async (_, text, keys, how) => {
    const screen = new ClockedScreen();
    await screen.after(PAUSE);
    screen.type(text); // a frame is drawn, and the next one comes later
    screen.press(...keys, "enter");
    screen.type("l");
    await screen.after(PAUSE);
    expect(screen.exits).toEqual([how]);
  });
});
