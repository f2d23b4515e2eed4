import { render } from "ink";
import { afterEach, describe, expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { Chat } from "../../src/ink/components.ts";
import type { ExitReason } from "../../src/ink/screen/keyboard.ts";
import type { RunCommand } from "../../src/ink/screen/local-run.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { agentStep, MockAgent, type MockAgentScript } from "../../src/testing/index.ts";
import { clears, TestTerminal } from "./terminal.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Size {
  readonly columns?: number;
  readonly rows?: number;
  readonly runCommand?: RunCommand;
}

/** A chat on a terminal of its own. */
async function open(script: MockAgentScript, { columns = 80, rows = 24, runCommand }: Size = {}) {
  const agent = new MockAgent({ script });
  const chat = createChat(agent);
  const terminal = new TestTerminal(columns, rows);
  const exits: ExitReason[] = [];
  const commands = runCommand ? { runCommand } : {};
  const app = render(
    <Chat chat={chat} theme={plainTheme} onExit={(how) => exits.push(how)} {...commands} />,
    {
      stdin: terminal.stdin,
      stdout: terminal.stdout,
      interactive: true,
      exitOnCtrlC: false,
      patchConsole: false,
    },
  );
  closers.push(async () => {
    app.unmount();
    await chat.close();
  });
  await terminal.sees(/>/);
  return { agent, chat, terminal, exits, app };
}

const approve = () =>
  agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });

describe("a turn", () => {
  test("goes from the prompt to the finished answer, and clears the screen at no time", async () => {
    const { terminal } = await open(function* () {
      yield agentStep.reasoning("Hm.");
      yield "Hello there.";
      yield agentStep.usage({ inputTokens: 100, outputTokens: 20 });
      yield agentStep.cost(3);
    });
    terminal.type("hi\r");
    await terminal.sees(/100 in - 20 out - 3 credits\n[\s\S]*connected - 3 credits/);
    expect(terminal.screen).toMatch(/> hi\n\n\+ Thought.*\nHello there\.\n/);
    expect(clears(terminal.written)).toBe(0);
  });

  test("queues a prompt that is sent while it runs, and Esc cancels it", async () => {
    const { terminal, agent } = await open([["One", agentStep.wait("gate")], ["Two"]]);
    terminal.type("first\r");
    await terminal.sees(/One/);
    terminal.type("second\r");
    await terminal.sees(/1 queued/);
    terminal.type("\u001b");
    await terminal.sees(/> second\n\nTwo/);
    expect(terminal.everything).toContain("cancelled; /retry sends it again");
    expect(agent.cancels).toHaveLength(1);
  });

  test("prints 3,000 lines, each once and in order, on a terminal of 8 rows", async () => {
    const { terminal } = await open([[Array.from({ length: 3_000 }, (_, at) => `line ${at}`).join("\n")]], {
      columns: 20,
      rows: 8,
    });
    terminal.type("go\r");
    await terminal.until(() => /line 2999\n/.test(terminal.screen));
    const lines = terminal.everything.split("\n").filter((row) => row.startsWith("line"));
    expect(lines).toEqual(Array.from({ length: 3_000 }, (_, at) => `line ${at}`));
    expect(clears(terminal.written)).toBe(0);
  });
});

describe("an approval", () => {
  test.each([
    ["y", "once"],
    ["a", "always"],
    ["n", "reject"],
    ["\r", "reject"],
    ["\u001b[D\r", "always"],
  ])("is decided by %j: %s", async (keys, decision) => {
    const { terminal, agent } = await open(function* () {
      yield* approve();
      yield "Over.";
    });
    terminal.type("go\r");
    await terminal.sees(/y once/);
    terminal.type(keys);
    await terminal.sees(/Over\./);
    expect(agent.decisions).toMatchObject([{ decision }]);
  });

  test("is rejected with a reason, and what was typed before stays", async () => {
    const { terminal, agent } = await open(function* () {
      yield agentStep.wait("gate");
      yield* approve();
      yield "Over.";
    });
    terminal.type("go\r");
    await terminal.sees(/working/);
    terminal.type("my draft");
    await terminal.sees(/> my draft/);
    agent.release("gate");
    await terminal.sees(/y once/);
    terminal.type("r");
    await terminal.sees(/The reason/);
    terminal.type("not now\r");
    await terminal.sees(/Over\.[\s\S]*> my draft/);
    expect(agent.decisions).toMatchObject([{ decision: "reject", reason: "not now" }]);
  });

  test("that appears while the user types takes no key until the user pauses", async () => {
    const { terminal, agent } = await open(function* () {
      yield agentStep.wait("gate");
      yield* approve();
    });
    terminal.type("go\r");
    await terminal.sees(/working/);
    terminal.type("maybe");
    agent.release("gate");
    await terminal.sees(/stop typing to see it/);
    terminal.type(" yes any");
    await terminal.sees(/maybe yes any/);
    await terminal.sees(/y once/);
    expect(agent.decisions).toEqual([]);
  });

  test("is not decided by a paste, nor by a word that begins with its key", async () => {
    const { terminal, agent } = await open(function* () {
      yield* approve();
    });
    terminal.type("go\r");
    await terminal.sees(/y once/);
    terminal.type("\u001b[200~y\u001b[201~");
    terminal.type("yes");
    await terminal.sees(/> y$/);
    expect(agent.decisions).toEqual([]);
    terminal.type("r\u001b[200~pasted reason\u001b[201~");
    await terminal.sees(/> pasted reason/);
  });

  test("that is taller than the screen is printed whole before it is asked", async () => {
    const content = Array.from({ length: 50 }, (_, at) => `row ${at}`).join("\n");
    const { terminal } = await open(function* () {
      yield* agentStep.tool({ name: "write", input: { content }, approval: true });
    });
    terminal.type("go\r");
    await terminal.sees(/Its input is above[\s\S]*y once/);
    for (let at = 0; at < 50; at++) expect(terminal.everything).toContain(`| row ${at}\n`);
    expect(clears(terminal.written)).toBe(0);
  });
});

describe("a question", () => {
  const ask: MockAgentScript = function* () {
    const answers = yield* agentStep.question({
      questions: [{ question: "Which?", options: ["main", "next"] }],
    });
    yield `It is ${JSON.stringify(answers ?? null)}.`;
  };

  test.each([
    ["2", '[["next"]]'],
    ["\u001b[B\r", '[["next"]]'],
    ["dev\r", '[["dev"]]'],
    ["\u001b", "null"],
  ])("is answered by %j: %s", async (keys, answer) => {
    const { terminal } = await open(ask);
    terminal.type("go\r");
    await terminal.sees(/1 main/);
    terminal.type(keys);
    await terminal.until(() => terminal.screen.includes(`It is ${answer}.`));
  });
});

describe("leaving", () => {
  test("with Ctrl-C: it clears the line first, then cancels, then leaves", async () => {
    const { terminal, exits, agent } = await open([["One", agentStep.wait("gate")]]);
    terminal.type("go\r");
    await terminal.sees(/One/);
    terminal.type("draft");
    await terminal.sees(/> draft/);
    terminal.type("\u0003");
    await terminal.until(() => !terminal.screen.includes("> draft"));
    expect(agent.cancels).toEqual([]);
    terminal.type("\u0003");
    await terminal.sees(/cancelled/);
    expect(exits).toEqual([]);
    terminal.type("\u0003");
    await terminal.until(() => exits.length > 0);
    expect(exits).toEqual(["interrupted"]);
  });

  test("gives the terminal back: cooked, with its cursor, without bracketed paste", async () => {
    const { terminal, app } = await open([]);
    expect(terminal.isRaw).toBe(true);
    app.unmount();
    await app.waitUntilExit();
    expect(terminal.isRaw).toBe(false);
    expect(terminal.written.lastIndexOf("\u001b[?25h")).toBeGreaterThan(
      terminal.written.lastIndexOf("\u001b[?25l"),
    );
    expect(terminal.written.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(
      terminal.written.lastIndexOf("\u001b[?2004h"),
    );
  });
});

describe("bad input is shown", () => {
  test.each([
    ["   \r", /there is nothing to send/],
    ["/nonsense\r", /there is no command \/nonsense/],
    ["/retry\r", /there is nothing to send again/],
    ["!ls\r", /not offered here/],
    ["\u000f", /nothing is folded/],
    ["/help\r", /Ctrl-O shows in full/],
  ])("%j", async (keys, words) => {
    const { terminal } = await open([]);
    terminal.type(keys);
    await terminal.sees(words);
  });

  test("a closed chat, and the prompt stays", async () => {
    const { terminal, chat } = await open([]);
    await chat.close();
    terminal.type("hello\r");
    await terminal.sees(/! .*\n[\s\S]*> hello/);
  });
});

describe("a command of this machine", () => {
  const runCommand: RunCommand = (command, onOutput) => {
    onOutput(`ran ${command}\n`);
    return { stop: () => {}, ended: Promise.resolve({ type: "exited", code: 2 }) };
  };

  test("shows its output and its exit code, and goes with the next prompt", async () => {
    const { terminal, agent } = await open([["Fine."]], { runCommand });
    terminal.type("!make test\r");
    await terminal.sees(/! make test\n {2}ran make test\nexit code 2/);
    terminal.type("why?\r");
    await terminal.sees(/Fine\./);
    expect(agent.prompts[0]?.text).toBe(
      "I ran `make test` (exit code 2). Its output:\n```\nran make test\n```\n\nwhy?",
    );
  });
});
