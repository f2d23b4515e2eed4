import { describe, expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import type { ChatPending } from "../../src/chat/pending.ts";
import { MockAgent } from "../../src/testing/index.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const capabilities = {
  ...createChat(new MockAgent()).getSnapshot().capabilities,
  files: true,
} as NonNullable<ReturnType<ReturnType<typeof createChat>["getSnapshot"]>["capabilities"]>;

/** Files of a folder, each answer after `release`. */
class Folder {
  readonly asked: string[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #isHeld: boolean;

  constructor(isHeld = false) {
    this.#isHeld = isHeld;
  }

  readonly files: Chat["files"] = async (prefix) => {
    this.asked.push(prefix);
    if (this.#isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const paths = ["src/", "src/a.ts", "src/b.ts", "my notes.md"].filter((path) => path.startsWith(prefix));
    return { ok: true, paths, more: false };
  };

  release(): void {
    this.#waiting.pop()?.();
  }
}

function screenOf(folder: Folder, size = { columns: 80, rows: 24 }): ClockedScreen {
  const screen = new ClockedScreen({ size, chat: { files: folder.files } });
  screen.set({ capabilities });
  return screen;
}

describe("the menu of commands", () => {
  test("shows what fits, Tab takes the first, and Enter sends what is written", async () => {
    const screen = new ClockedScreen();
    screen.type("/re");
    expect(await screen.after(100)).toMatch(
      / {2}\/regenerate {2}asks for[^\n]*\n {2}\/retry +sends[^\n]*\n> \/re$/,
    );
    screen.press("tab");
    expect(await screen.after(100)).toMatch(/> \/regenerate$/);
    screen.press("ctrl-u");
    await screen.enters("/re");
    expect(await screen.after(100)).toContain("there is no command /re");
  });

  test("is walked through by the arrows, and Enter then takes the marked entry", async () => {
    const screen = new ClockedScreen();
    screen.type("/re");
    screen.press("down", "down", "up", "up", "down");
    expect(await screen.after(100)).toMatch(/> \/regenerate {2}/);
    screen.press("down", "enter");
    expect(await screen.after(100)).toContain("there is nothing to send again"); // /retry
  });

  test("is closed by Esc until the text changes, and Esc then cancels", async () => {
    const screen = new ClockedScreen();
    screen.set({ busy: true });
    screen.type("/re");
    screen.press("escape");
    expect(await screen.after(100)).not.toContain("/retry");
    expect(screen.cancels).toEqual([]);
    screen.press("escape");
    expect(screen.cancels).toEqual(["turn"]);
    screen.type("t");
    expect(await screen.after(100)).toContain("/retry");
  });

  test("does not open for a prompt of the history, so that the arrows go on through it", async () => {
    const screen = new ClockedScreen();
    await screen.enters("a prompt");
    await screen.enters("/retry");
    screen.press("up", "up");
    expect(await screen.after(100)).toMatch(/> a prompt$/);
  });

  test("is closed by a dialog, which Tab leads to", async () => {
    const screen = new ClockedScreen();
    screen.type("/re");
    const pending: ChatPending = { type: "approval", id: "a", tool: "shell", input: {} };
    screen.set({ pending: [pending], busy: true });
    await screen.after(2_000);
    expect(await screen.after(100)).toMatch(/Tab answers this instead[\s\S]*> \/re$/);
    screen.press("tab");
    expect(await screen.after(1_000)).toMatch(/n reject[\s\S]*> \/re$/);
  });

  test.each([
    [{ columns: 40, rows: 15 }, 6],
    [{ columns: 80, rows: 24 }, 6],
    [{ columns: 200, rows: 60 }, 10],
    [{ columns: 20, rows: 6 }, 2],
    [{ columns: 20, rows: 4 }, 0],
  ])("has few rows, and none wider than the terminal, at %j", async (size, rows) => {
    const screen = new ClockedScreen({ size });
    screen.type("/");
    const shown = (await screen.after(100)).split("\n");
    expect(shown.filter((row) => /^..\/[a-z]|\d+ more/.test(row)).length).toBeLessThanOrEqual(rows);
    for (const row of shown) expect(row.length).toBeLessThanOrEqual(size.columns);
    expect(shown.length).toBeLessThan(size.rows);
  });
});

describe("the menu in a tall terminal", () => {
  const size = { columns: 200, rows: 60 };

  test("has more rows, each of at most 40 columns, and says all about the marked entry", async () => {
    const screen = new ClockedScreen({ size });
    screen.type("/");
    const rows = (await screen.after(100)).split("\n").filter((row) => /^ {2}\/[a-z]/.test(row));
    expect(rows).toHaveLength(8);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(40);
    screen.press("down", "down");
    expect(await screen.after(100)).toMatch(
      /> \/edit [^\n]*\.\.\.\n[\s\S]* more\n {2}changes an earlier prompt[^\n]*\n> \/$/,
    );
  });

  test("shows the end of a long path", async () => {
    const path = `src/${"deep/".repeat(20)}a.ts`;
    const files: Chat["files"] = async () => ({ ok: true, paths: [path], more: false });
    const screen = new ClockedScreen({ size, chat: { files } });
    screen.set({ capabilities });
    screen.type("@s");
    await screen.after(100);
    screen.press("down");
    expect(await screen.after(100)).toMatch(/> src\/[^\n]*\.\.\.\n {2}\.\.\.[^\n]*deep\/a\.ts\n> @s$/);
  });
});

describe("the menu of files", () => {
  test("opens for @, goes into folders, and its files go along with the prompt", async () => {
    const folder = new Folder();
    const screen = screenOf(folder);
    screen.type("look at @s");
    expect(await screen.after(100)).toMatch(/ {2}src\/\n {2}src\/a\.ts\n {2}src\/b\.ts\n> look at @s$/);
    screen.press("tab");
    await screen.after(100);
    screen.press("down", "down", "enter");
    expect(await screen.after(100)).toMatch(/> look at @src\/a\.ts $/);
    await screen.enters("and @my");
    screen.press("ctrl-u");
    expect(folder.asked).toEqual(["s", "src/", "my", "my"]);
    expect(screen.sent).toEqual([{ text: "look at @src/a.ts and @my", files: ["src/a.ts"] }]);
  });

  test("names no file whose name the user has deleted", async () => {
    const screen = screenOf(new Folder());
    screen.type("@my");
    await screen.after(100);
    screen.press("tab");
    expect(await screen.after(100)).toMatch(/> @my notes\.md $/);
    screen.press("backspace", "backspace");
    await screen.enters("x");
    expect(screen.sent).toEqual(["@my notes.mx"]);
  });

  test("asks one question at a time, and takes no entry of an earlier text", async () => {
    const folder = new Folder(true);
    const screen = screenOf(folder);
    for (const key of ["@", "s", "r", "c"]) screen.type(key);
    await screen.after(100);
    expect(folder.asked).toEqual([""]);
    folder.release();
    await screen.after(100);
    screen.press("tab");
    expect(await screen.after(100)).toMatch(/> @src$/);
    expect(folder.asked).toEqual(["", "src"]);
    folder.release();
    await screen.after(100);
    screen.press("tab");
    expect(await screen.after(100)).toMatch(/> @src\/$/);
  });

  test("does not take a path by hand that is no file, and says so", async () => {
    const screen = screenOf(new Folder());
    expect(await screen.enters("look at @nope.txt")).toContain("@nope.txt is no file");
    expect(screen.sent).toEqual(["look at @nope.txt"]);
  });

  test("does not open for an address, or where the agent takes no files", async () => {
    const folder = new Folder();
    const screen = screenOf(folder);
    screen.type("write to me@s");
    await screen.after(100);
    screen.set({ capabilities: { ...capabilities, files: false } });
    screen.type(" @s");
    await screen.after(100);
    expect(folder.asked).toEqual([]);
  });

  test("shows names without their terminal controls", async () => {
    const files = async () => ({ ok: true, paths: ["a\u001b[2J\u202eb"], more: false }) as const;
    const screen = new ClockedScreen({ chat: { files } });
    screen.set({ capabilities });
    screen.type("@a");
    expect(await screen.after(100)).toMatch(/ {2}ab\n> @a$/);
  });
});
