import { describe, expect, test } from "vitest";
import { EDITOR_KEYS } from "../../src/ink/composer/editor-keys.ts";
import { APPROVAL_CHOICES } from "../../src/ink/dialogs/approval-choices.ts";
import { keyLabel } from "../../src/ink/keys.ts";
import { COMMANDS } from "../../src/ink/screen/commands.ts";
import { MENU_KEYS } from "../../src/ink/screen/completion.ts";
import { SEARCH_KEYS } from "../../src/ink/screen/history-search.ts";
import { SCREEN_KEYS } from "../../src/ink/screen/screen-keys.ts";
import { type TerminalWords, terminalWords } from "../../src/screens/words-terminal.ts";
import { listOf } from "../../src/universal/transcript/list.ts";
import { type ClockedOptions, ClockedScreen } from "./clocked-screen.ts";

/** An app and an agent with all that commands can use. */
const all: ClockedOptions = {
  runCommand: () => ({ stop: () => {}, ended: new Promise<never>(() => {}) }),
  commands: { writeFile: async () => "written", chats: async () => [], undo: async () => undefined },
  snapshot: {
    modes: { current: null, available: [] },
    models: { current: null, available: [] },
    commands: [{ name: "review", description: "reviews\u001b[2J a change", hint: "branch" }],
  },
};

async function help(options: ClockedOptions): Promise<string> {
  const screen = new ClockedScreen(options);
  await screen.enters("/help");
  return screen.printed;
}

const words = (shown: string): string => shown.replaceAll(/\s+/g, " ");

describe("/help", () => {
  test.each([40, 80, 200])("names each command and each key, in %d columns", async (columns) => {
    const shown = await help({ ...all, size: { columns, rows: 24 } });
    for (const row of shown.split("\n")) expect(row.length).toBeLessThanOrEqual(columns);
    for (const { name, says } of COMMANDS) {
      expect(words(shown)).toContain(` /${name} `);
      expect(words(shown)).toContain(terminalWords[says]);
    }
    const keys = [...EDITOR_KEYS, ...MENU_KEYS, ...SEARCH_KEYS, ...SCREEN_KEYS];
    for (const row of keys) {
      expect(words(shown)).toContain(row.keys.map(keyLabel).join(", "));
      expect(words(shown)).toContain(terminalWords[row.says]);
    }
    expect(words(shown)).toContain("/review branch reviews a change");
    for (const { key, label } of APPROVAL_CHOICES)
      expect(words(shown)).toContain(` ${key} ${terminalWords[label]}`);
  });

  test("leaves out what the app and the agent do not have", async () => {
    const shown = await help({});
    for (const missing of [
      "/export",
      "/undo",
      "/chats",
      "/new",
      "/mode",
      "/model",
      " ! ",
      " @ ",
      "of the agent\n",
    ])
      expect(shown).not.toContain(missing);
  });

  test("puts a label above its text where the rows are narrow", async () => {
    const shown = await help({ ...all, size: { columns: 40, rows: 15 } });
    expect(shown).toContain("\n  /queue <number> <what>\n    changes, moves, sends or takes back");
    expect(shown).toContain("\n  y  once\n"); // short labels leave space enough
    expect(await help({ ...all, size: { columns: 80, rows: 24 } })).toMatch(/\n {2}\/quit +leaves\n/);
  });
});

test("no two rows of a table have the same key, and no two commands the same name", () => {
  for (const table of [EDITOR_KEYS, MENU_KEYS, SEARCH_KEYS, SCREEN_KEYS]) {
    const keys = table.flatMap((row) => row.keys);
    expect(new Set(keys).size).toBe(keys.length);
  }
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
});

describe("the app's words take the place of the screen's", () => {
  /** Each word is its own name. */
  const words = Object.fromEntries(
    Object.entries(terminalWords).map(([name, word]) => [
      name,
      typeof word === "string" ? `<${name}>` : () => `<${name}>`,
    ]),
  ) as Partial<TerminalWords>;

  test("in help, notes and the status line", async () => {
    const screen = new ClockedScreen({ ...all, words, size: { columns: 80, rows: 24 } });
    expect(await screen.enters("/queue")).toBe("\n<noteNothingWaits> - <statusReady>\n> ");
    await screen.enters("/help");
    expect(screen.printed.replaceAll(/<\w+>|\s/g, "")).not.toMatch(/[a-z]{4,} [a-z]{3,}/);
    expect(screen.printed).toContain("<helpQuit>");
  });

  test("in answers and dialogs", async () => {
    const screen = new ClockedScreen({ words });
    const tool = {
      type: "tool",
      id: "t",
      callId: "c",
      name: "shell",
      input: {},
      output: "",
      content: [],
    } as const;
    screen.says([
      { type: "reasoning", id: "r", text: "Hm.", visibility: "public", open: false },
      { ...tool, state: "done" },
      { type: "subagent", id: "s", agentType: "x", name: "X", state: "done", parts: listOf([]) },
    ]);
    screen.set({ pending: [{ type: "approval", id: "a", tool: "shell", input: {}, grant: "it" }] });
    const shown = await screen.after(1_000);
    expect(screen.printed).toMatch(/<thought>\n[^\n]*<toolDone>\n[^\n]*<agentDone>/);
    expect(shown).toMatch(/<approvalAsks>[\s\S]*<approvalAlways>[\s\S]*<choiceOnce>[\s\S]*<statusWorking>/);
    expect((screen.printed + shown).replaceAll(/<\w+>/g, "")).not.toMatch(/[A-Za-z]+ [a-z]{2,}/);
  });
});
