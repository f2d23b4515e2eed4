import { describe, expect, test } from "vitest";
import { listOf } from "../../src/universal/transcript/list.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const available = [
  { id: "a", name: "Ask" },
  { id: "c", name: "Code\u001b[2J" },
];
const modes = (current: string | null) => ({ current, available });

describe("the header", () => {
  test("names the backend and the folder, once and before the messages", async () => {
    const parts = listOf([{ type: "text", id: "t", text: "asked before", open: false } as const]);
    const screen = new ClockedScreen({
      header: { backend: "codey\u001b[2J", folder: "/srv/project" },
      snapshot: {
        messages: listOf([{ id: "m", role: "user", status: "sent", startedAt: 0, parts }]),
      },
    });
    await screen.after(100);
    expect(screen.printed).toBe("\ncodey\n/srv/project\n\n> asked before");
    screen.set({ busy: true });
    screen.screen.resize({ columns: 40, rows: 15 });
    await screen.after(1_000);
    expect(screen.printed).toBe("\ncodey\n/srv/project\n\n> asked before");
  });

  test("is nothing if nothing is known, and shows the end of a long folder", async () => {
    const screen = new ClockedScreen();
    await screen.after(100);
    expect(screen.printed).toBe("");
    const size = { columns: 20, rows: 15 };
    const narrow = new ClockedScreen({ size, header: { folder: "/srv/a/very/long/path/project" } });
    await narrow.after(100);
    expect(narrow.printed).toBe("\n...long/path/project");
  });
});

describe("the status line", () => {
  test("names the model and the mode, which may change, and a note that says so does not repeat it", async () => {
    const models = { current: "m", available: [] };
    const screen = new ClockedScreen({ snapshot: { modes: modes("a"), models } });
    expect(await screen.after(100)).toContain("ready - model m - mode Ask\n");
    screen.set({ modes: modes("c") });
    expect(await screen.after(1_000)).toContain("ready - model m - mode Code\n");
    expect(screen.printed).toBe("");
    screen.type("/mode ask");
    screen.press("enter");
    screen.set({ modes: modes("a") });
    expect(await screen.after(1_000)).toContain("\nmode Ask - ready - model m\n");
  });

  const context = { used: 90_000, size: 200_000 };

  test.each([
    [80, "context 45% of 200.0k"],
    [40, "context 45%"],
  ])("says how full the context is, in %d columns", async (columns, says) => {
    const screen = new ClockedScreen({ size: { columns, rows: 24 } });
    screen.set({ context, usage: { context_tokens: 90_000 }, cost: [{ total: 3, currency: "credits" }] });
    const shown = await screen.after(100);
    expect(shown).toContain(says);
    expect(shown).not.toContain("90.0k");
    if (columns === 80) expect(shown).toContain("3 credits");
  });

  test("says the tokens alone if the size is unknown", async () => {
    const screen = new ClockedScreen();
    screen.set({ context: { used: 90_000 } });
    expect(await screen.after(100)).toContain("90.0k context");
  });
});
