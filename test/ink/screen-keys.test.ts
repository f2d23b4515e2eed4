import { describe, expect, test } from "vitest";
import type { ChatPending } from "../../src/chat/pending.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const approval = (id: string, input: unknown = { command: id }): ChatPending => ({
  type: "approval",
  id,
  tool: "shell",
  input,
});
const question: ChatPending = {
  type: "question",
  id: "q",
  questions: [{ question: "Which?", options: [{ label: "main" }, { label: "next" }], multi_select: false }],
};

/** Longer than a dialog waits before it takes keys. */
const PAUSE = 1_000;
/** ms; less than a dialog waits after it has appeared. */
const MOMENT = 100;

describe("a dialog ignores keys for a moment after it opens", () => {
  test("in place of another dialog", async () => {
    const screen = new ClockedScreen();
    screen.set({ pending: [approval("ls")], busy: true });
    expect(await screen.after(PAUSE)).toContain("y once");
    screen.set({ pending: [approval("rm")] });
    expect(await screen.after(MOMENT)).toContain("$ rm\n...");
    screen.type("y");
    expect(await screen.after(PAUSE)).toContain("> y");
    expect(screen.decided).toEqual([]);
  });

  test("while the user pauses in typing", async () => {
    const screen = new ClockedScreen();
    screen.type("tell me wh");
    await screen.after(PAUSE);
    screen.set({ pending: [approval("rm")], busy: true });
    await screen.after(MOMENT);
    screen.type("y");
    expect(await screen.after(MOMENT)).toContain("> tell me why");
    expect(screen.decided).toEqual([]);
  });
});

test("a paste into a draft beside a dialog goes to the draft, and so do later keys", async () => {
  const command = Array.from({ length: 10 }, (_, at) => `echo ${at}`).join("\n");
  const screen = new ClockedScreen();
  screen.set({ pending: [approval("a", { command })], busy: true });
  expect(await screen.after(PAUSE)).toContain("y once");
  screen.type("please wait");
  expect(await screen.after(MOMENT)).toContain("Enter sends what you write");
  screen.screen.resize({ columns: 80, rows: 10 }); // the input is printed above the dialog
  await screen.after(PAUSE);
  screen.screen.paste(" and paste");
  await screen.after(PAUSE);
  screen.type("y");
  expect(await screen.after(MOMENT)).toContain("> please wait and pastey");
  expect(screen.decided).toEqual([]);
});

test("a letter directly after Esc, which may mean Alt and the letter, decides nothing", async () => {
  const screen = new ClockedScreen();
  screen.set({ pending: [approval("rm")], busy: true });
  await screen.after(PAUSE);
  screen.press("escape");
  screen.type("y");
  expect(await screen.after(PAUSE)).toContain("> y");
  expect([screen.cancels, screen.decided]).toEqual([["turn"], []]);
});

describe("in a text field of a dialog", () => {
  const dialogs = [
    ["a reason", approval("rm"), ["r"]],
    ["an answer", question, []],
  ] as const;

  test.each(dialogs)("Ctrl-C clears %s, and cancels nothing", async (_, pending, keys) => {
    const screen = new ClockedScreen();
    screen.set({ pending: [pending], busy: true });
    await screen.after(PAUSE);
    for (const key of [...keys, "not this"]) screen.type(key);
    expect(await screen.after(MOMENT)).toContain("> not this");
    screen.press("ctrl-c");
    expect(await screen.after(MOMENT)).not.toContain("not this");
    expect(screen.cancels).toEqual([]);
    screen.press("ctrl-c");
    expect(screen.cancels).toEqual(["all"]);
  });

  test("Ctrl-C on an empty line leaves at a second press within 2 s", async () => {
    const screen = new ClockedScreen();
    screen.press("ctrl-c");
    expect(await screen.after(1_900)).toContain("Ctrl-C again leaves");
    expect(await screen.after(200)).not.toContain("Ctrl-C again leaves");
    screen.press("ctrl-c");
    await screen.after(1_000);
    expect(screen.exits).toEqual([]);
    screen.press("ctrl-c");
    await screen.after(PAUSE);
    expect(screen.exits).toEqual(["interrupted"]);
  });

  test.each(dialogs)(
    "Ctrl-D deletes a character of %s, and does not leave the chat",
    async (_, pending, keys) => {
      const screen = new ClockedScreen();
      screen.set({ pending: [pending], busy: true });
      await screen.after(PAUSE);
      for (const key of [...keys, "not this"]) screen.type(key);
      screen.press("left", "ctrl-d");
      expect(await screen.after(MOMENT)).toContain("> not thi");
      expect(screen.exits).toEqual([]);
    },
  );
});
