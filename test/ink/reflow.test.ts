import { Console } from "node:console";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import { renderChat } from "../../src/ink/components/exports.ts";
import { reflows } from "../../src/ink/components/reflow.ts";
import { agentStep, MockAgent, type MockAgentScript } from "../../src/testing/index.ts";
import { TestTerminal } from "./terminal.ts";

Object.assign(console, { Console }); // what Ink needs of a console, and the one of the test runner lacks

const CTRL_T = "\u0014";
const WORDS = 300;
/** 18 rows of 80 columns, of which the last ones are open. */
const text = Array.from({ length: WORDS }, (_, at) => `w${at}`).join(" ");

const chats: Chat[] = [];
const closing = new AbortController();
afterEach(async () => {
  for (const chat of chats.splice(0)) await chat.close();
});
afterAll(() => closing.abort());

/** A chat that shows this. */
async function open(
  script: MockAgentScript,
  shows: RegExp,
  columns = 80,
  rows = 24,
): Promise<{ readonly terminal: TestTerminal; readonly agent: MockAgent }> {
  const terminal = new TestTerminal(columns, rows);
  const { stdin, stdout } = terminal;
  const agent = new MockAgent({ script });
  const chat = createChat(agent);
  chats.push(chat);
  void renderChat(chat, { stdin, stdout, signal: closing.signal });
  await terminal.sees(/Write to the agent/);
  terminal.type("go\r");
  await terminal.sees(shows);
  return { terminal, agent };
}

/** Resolves once the program has drawn a frame for what it knows now. */
async function drawnAnew(terminal: TestTerminal): Promise<void> {
  terminal.type(CTRL_T);
  await terminal.sees(/reasoning\s+is\s+shown/);
}

describe("a window of another size while the menu of commands is open", () => {
  const sizes = [
    [80, 24],
    [40, 15],
    [200, 60],
  ] as const;
  const pairs = sizes.flatMap((from) => sizes.filter((to) => to !== from).map((to) => [from, to] as const));

  test.each(pairs)("doubles and loses no row (%j, then %j)", async (from, to) => {
    const { terminal } = await open([["The answer."]], /The answer[\s\S]*Write to the/);
    let isShown = false;
    for (const [columns, rows] of [from, to]) {
      await terminal.drained();
      terminal.resize(columns, rows);
      terminal.type(CTRL_T);
      isShown = !isShown;
      await terminal.sees(isShown ? /reasoning\s+is\s+shown/ : /reasoning\s+is\s+folded/);
      if (isShown) terminal.type("/");
      await terminal.sees(/ {2}\/help +shows this/);
    }
    const shown = terminal.everything;
    for (const once of [/> go|› go/g, /The answer/g, /reasoning\s+is/g, /\/help +shows/g, /[›>] \//g])
      expect(shown.match(once), String(once)).toHaveLength(1);
  });
});

describe("a window that becomes narrower during an answer", () => {
  test.each([
    [[60]],
    [[40]],
    [[25]],
    [[79, 78, 77, 76]],
    [[60, 45, 30]], // all before the next frame
    [[50, 80, 40]],
  ])("repeats and loses no line (%j columns)", async (columns) => {
    const script: MockAgentScript = [[text, agentStep.wait("gate"), " The end.", agentStep.hang()]];
    const { terminal, agent } = await open(script, new RegExp(`w${WORDS - 1}\\n`));
    for (const width of columns) {
      await terminal.drained();
      terminal.resize(width, 24);
    }
    agent.release("gate");
    await terminal.sees(/The\s+end\.[\s\S]*working/);
    await drawnAnew(terminal);
    const shown = terminal.everything.replaceAll("\n", "");
    expect(shown.match(/w\d+/g)).toEqual(Array.from({ length: WORDS }, (_, at) => `w${at}`));
    expect(shown.match(/reasoning is shown/g)).toHaveLength(1);
    expect(shown).not.toMatch(/working[\s\S]*working/);
    expect(shown.match(/Write to the agent/g)).toHaveLength(1);
  });

  test("loses no line if a row ends in a space, which Ink does not write", async () => {
    const begun = `${text}\n${"x".repeat(39)} `;
    const script: MockAgentScript = [[begun, agentStep.wait("gate"), "The end.", agentStep.hang()]];
    const { terminal, agent } = await open(script, /x\n/);
    await terminal.drained();
    terminal.resize(39, 24);
    agent.release("gate");
    await terminal.sees(/The\s+end\.[\s\S]*working/);
    await drawnAnew(terminal);
    const shown = terminal.everything.replaceAll("\n", "");
    expect(shown.match(/w\d+/g)).toEqual(Array.from({ length: WORDS }, (_, at) => `w${at}`));
  });

  test("repeats no line of a dialog", async () => {
    const command = Array.from({ length: 40 }, (_, at) => `w${at}`).join(" ");
    const script: MockAgentScript = function* () {
      yield* agentStep.tool({ name: "shell", input: { command }, approval: true });
    };
    const { terminal } = await open(script, /y once/);
    terminal.resize(40, 24);
    await drawnAnew(terminal);
    await terminal.sees(/^(?![\s\S]*y once[\s\S]*y once)/); // the notice may come in a frame before the one of the new width
    const shown = terminal.everything.replaceAll("\n", "");
    expect(shown.match(/wants to use/g)).toHaveLength(1);
    expect(shown.match(/y once/g)).toHaveLength(1);
  });
});

/** Every block of Markdown, each word once. */
const MARKDOWN = {
  "a table": `| a | b |\n|---|---|\n${Array.from({ length: 60 }, (_, at) => `| w${at}w | ${"cell ".repeat(8)} |`).join("\n")}`,
  code: `\`\`\`ts\n${Array.from({ length: 60 }, (_, at) => `const w${at}w = ${"1 + ".repeat(14)}1;`).join("\n")}`,
  "a list": Array.from({ length: 60 }, (_, at) => `- w${at}w ${"and more ".repeat(8)}`).join("\n"),
  "a quote": Array.from({ length: 60 }, (_, at) => `> w${at}w ${"and more ".repeat(8)}`).join("\n"),
};

describe.each([
  [80, 24, [50, 80, 40]],
  [40, 15, [20]],
  [200, 60, [120, 80]],
] as const)("Markdown on %i columns and %i rows", (columns, rows, widths) => {
  test.each(Object.entries(MARKDOWN))(
    "%s repeats and loses no line in a narrower window",
    async (_, text) => {
      const script: MockAgentScript = [[text, agentStep.wait("gate"), "\n\nThe end.", agentStep.hang()]];
      const { terminal, agent } = await open(script, /w59w/, columns, rows);
      for (const width of widths) {
        await terminal.drained();
        terminal.resize(width, rows);
      }
      agent.release("gate");
      await terminal.sees(/The\s+end\.[\s\S]*working/);
      await drawnAnew(terminal);
      const shown = terminal.everything.replaceAll("\n", "");
      expect(shown.match(/w\d+w/g)).toEqual(Array.from({ length: 60 }, (_, at) => `w${at}w`));
    },
  );
});

test.each([
  [{ TERM: "xterm-256color" }, true],
  [{ TERM: "screen-256color", TMUX: "socket,1,0" }, true],
  [{ TERM: "xterm-256color", XTERM_VERSION: "XTerm(390)" }, false],
  [{ TERM: "screen.xterm-256color" }, false],
  [{ TERM: "rxvt-unicode" }, false],
  [{ TERM: "linux" }, false],
])("whether the terminal reflows its rows, in the environment %j: %j", (env, expected) => {
  expect(reflows(env)).toBe(expected);
});
