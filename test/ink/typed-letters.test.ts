import { describe, expect, test } from "vitest";
import type { ChatPending } from "../../src/chat/pending.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const approval: ChatPending = {
  type: "approval",
  id: "a",
  tool: "shell",
  input: { command: "ls" },
  grant: "ls",
};

/** ms until an idle dialog shows its choices. */
const SETTLED = 1_000;

/** ms until a letter that stands alone has decided. */
const ALONE = 500;

async function asked(draft = ""): Promise<ClockedScreen> {
  const screen = new ClockedScreen();
  if (draft !== "") screen.type(draft);
  screen.set({ pending: [approval], busy: true });
  expect(await screen.after(SETTLED)).toContain(draft === "" ? "y once" : "Tab answers this instead");
  return screen;
}

async function types(screen: ClockedScreen, text: string, pace: number): Promise<string> {
  for (const letter of text) {
    screen.type(letter);
    await screen.after(pace);
  }
  return screen.after(SETTLED);
}

describe("a message typed letter by letter while an approval waits", () => {
  const messages = [
    "every file?",
    "explain why",
    "yesterday",
    "the tests",
    "and then?",
    "not so fast",
    "YES",
  ];
  const paces = [0, 40, 150, 300];
  test.each(messages.flatMap((text) => paces.map((pace) => [text, pace] as const)))(
    "decides nothing: %j, %d ms a key",
    async (text, pace) => {
      const screen = await asked();
      expect(await types(screen, text, pace)).toContain(`> ${text}`);
      expect(screen.decided).toEqual([]);
      screen.press("enter");
      await screen.after(SETTLED);
      expect(screen.sent).toMatchObject([text]);
      expect(screen.decided).toEqual([]);
    },
  );

  test("goes on in the composer, however slow, once it has begun", async () => {
    const screen = await asked();
    await types(screen, "wh", 100);
    expect(await types(screen, "y not", 3_000)).toContain("> why not");
    expect(screen.decided).toEqual([]);
  });

  test("goes on behind a draft from before", async () => {
    const screen = await asked("compare");
    expect(await types(screen, "yours", 2_000)).toContain("> compareyours");
    expect(screen.decided).toEqual([]);
  });

  test("takes a paste behind its first letter", async () => {
    const screen = await asked();
    screen.type("y");
    screen.screen.paste("es or no");
    expect(await screen.after(SETTLED)).toContain("> yes or no");
    expect(screen.decided).toEqual([]);
  });

  test("leaves the question whether to allow every call", async () => {
    const screen = await asked();
    screen.type("e");
    expect(await screen.after(ALONE)).toContain("y every call");
    screen.type("v");
    expect(await types(screen, "y", 2_000)).toContain("> vy");
    screen.press("enter");
    expect(await screen.after(SETTLED)).toContain("y once");
    expect(screen.decided).toEqual([]);
  });

  test("does not continue a forgotten conversation", async () => {
    const screen = new ClockedScreen();
    screen.set({
      connection: { status: "idle", attempt: 0, contextLost: true } as never,
    });
    await screen.after(SETTLED);
    expect(await types(screen, "now what?", 150)).toContain("> now what?");
    expect(screen.calls.filter(([name]) => name === "resume")).toEqual([]);
  });
});

describe("a letter alone", () => {
  test.each([
    ["y", "once"],
    ["Y", "once"],
    ["t", { decision: "once", scope: "turn" }],
    ["a", "always"],
    ["n", "reject"],
  ])("decides: %s", async (letter, decision) => {
    const screen = await asked();
    screen.type(letter);
    expect(await screen.after(100)).toContain(`>${letter.toLowerCase()} `);
    expect(screen.decided).toEqual([]);
    await screen.after(ALONE);
    expect(screen.decided).toEqual([["a", decision]]);
  });

  test("decides at once with Enter", async () => {
    const screen = await asked();
    screen.type("y");
    screen.press("enter");
    await screen.after(0);
    expect(screen.decided).toEqual([["a", "once"]]);
  });

  test.each(["escape", "backspace"] as const)("is taken back by %s", async (key) => {
    const screen = await asked();
    screen.type("a");
    screen.press(key);
    expect(await screen.after(SETTLED)).toContain(">n reject");
    expect(screen.decided).toEqual([]);
    expect(screen.cancels).toEqual([]);
  });

  test("moves nothing if an arrow follows: that begins at the first choice again", async () => {
    const screen = await asked();
    screen.type("y");
    screen.press("right");
    expect(await screen.after(SETTLED)).toContain(">r reject with a reason");
    expect(screen.decided).toEqual([]);
  });

  test("allows every call by two letters, each alone", async () => {
    const screen = await asked();
    screen.type("e");
    expect(await screen.after(ALONE)).toContain("y every call");
    screen.type("y");
    await screen.after(ALONE);
    expect(screen.decided).toEqual([["a", { decision: "always", tool: true }]]);
  });

  test("does not decide a request that came in the meantime", async () => {
    const screen = await asked();
    screen.type("y");
    screen.set({ pending: [{ ...approval, id: "b" }] });
    await screen.after(SETTLED);
    expect(screen.decided).toEqual([]);
  });
});
