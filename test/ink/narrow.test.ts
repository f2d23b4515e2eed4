import { describe, expect, test } from "vitest";
import type { ChatPending } from "../../src/chat/pending.ts";
import { promptRows } from "../../src/ink/parts/message-rows.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const COLUMNS = 40;
/** Longer than a dialog waits before it takes keys. */
const PAUSE = 1_000;
/** ms; less than that. */
const MOMENT = 100;

const approval: ChatPending = { type: "approval", id: "a", tool: "shell", input: { command: "ls" } };
const question = (multi_select: boolean): ChatPending => ({
  type: "question",
  id: "q",
  questions: [{ question: "Which?", options: [{ label: "main" }, { label: "next" }], multi_select }],
});

function screenOf(): ClockedScreen {
  const never = { stop: () => {}, ended: new Promise<never>(() => {}) };
  return new ClockedScreen({ size: { columns: COLUMNS, rows: 24 }, runCommand: () => never });
}

/** What the user reads: words, wherever the rows end. */
function words(shown: string): string {
  for (const row of shown.split("\n")) expect(row.length).toBeLessThanOrEqual(COLUMNS);
  return shown.replaceAll(/\s+/g, " ");
}

/** Shows each hint. */
const HINTS: Readonly<Record<string, (screen: ClockedScreen) => Promise<string>>> = {
  "arrows or a digit choose, Enter answers, or type an answer, Esc: no answer": async (screen) => {
    screen.set({ pending: [question(false)], busy: true });
    return await screen.after(PAUSE);
  },
  "nothing is ticked: Space or a digit ticks, Esc: no answer": async (screen) => {
    screen.set({ pending: [question(true)], busy: true });
    await screen.after(PAUSE);
    screen.press("enter");
    return await screen.after(PAUSE);
  },
  "? The agent waits for your decision: stop typing to see it": async (screen) => {
    screen.type("hello");
    screen.set({ pending: [approval], busy: true });
    return await screen.after(MOMENT);
  },
  "Enter sends what you write, Tab answers this instead": async (screen) => {
    screen.set({ pending: [approval], busy: true });
    await screen.after(PAUSE);
    screen.type("hello");
    return await screen.after(MOMENT);
  },
  "there is no command /nothing: /help shows them": async (screen) => {
    screen.type("/nothing");
    screen.press("enter");
    return await screen.after(PAUSE);
  },
  "the command is being stopped; Ctrl-C again leaves": stopped,
  "* the command is being stopped; Ctrl-C leaves": stopped,
};

async function stopped(screen: ClockedScreen): Promise<string> {
  screen.type("!sleep 100");
  screen.press("enter");
  await screen.after(PAUSE);
  screen.press("ctrl-c");
  return await screen.after(PAUSE);
}

describe(`a terminal of ${COLUMNS} columns shows completely`, () => {
  test.each(Object.entries(HINTS))("%j", async (hint, show) => {
    expect(words(await show(screenOf()))).toContain(hint);
  });

  test("the note on a cancelled prompt", () => {
    const parts = listOf([{ type: "text", id: "t", text: "a prompt of some words", open: false } as const]);
    const message: ChatMessage = { id: "m", role: "user", status: "cancelled", startedAt: 0, parts };
    const { rows } = promptRows(message, { columns: COLUMNS, theme: plainTheme, hasCommands: true });
    const shown = rows.map((row) => row.map(({ text }) => text).join("")).join("\n");
    expect(words(shown)).toContain("(taken back; /retry sends the last prompt)");
  });
});
