import { render } from "ink";
import { describe, expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { Chat } from "../../src/ink/components/exports.ts";
import type { CommandEnd, RunCommand } from "../../src/ink/screen/local-commands.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { agentStep, MockAgent, type MockAgentScript } from "../../src/testing/index.ts";
import { closeLater, open } from "./open-chat.tsx";
import { clears, TestTerminal } from "./terminal.ts";

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
    expect(terminal.screen).toMatch(/> hi\n\n\+ Thought.*\n\nHello there\.\n/);
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
    expect(terminal.everything).toContain("\ncancelled\n");
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
    ["t", "once"],
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

  test("says what `always` covers, and which sub-agent asks", async () => {
    const { terminal } = await open(function* () {
      const steps = [agentStep.tool({ name: "shell", grant: "`ls` in the project", approval: true })];
      yield agentStep.subagent({ type: "editor", name: "The\u001b[2J Editor", steps });
    });
    terminal.type("go\r");
    await terminal.sees(
      /asked by the sub-agent The\\u\{1b\}\[2J Editor[\s\S]*do not ask again for: `ls` in the project/,
    );
  });

  test("allows every call of the tool only in a second step, which Esc, Enter and `n` leave", async () => {
    const { terminal, agent } = await open(function* () {
      yield* approve();
      yield* agentStep.tool({ name: "shell", input: { command: "rm" }, approval: true });
      yield "Over.";
    });
    terminal.type("go\r");
    await terminal.sees(/y once/);
    for (const back of ["\u001b", "\r", "n"]) {
      terminal.type("e");
      await terminal.sees(/Allow every call of shell in this session, whatever it does\?/);
      terminal.type(back);
      await terminal.sees(/y once/);
    }
    expect(agent.decisions).toEqual([]);
    terminal.type("e");
    await terminal.sees(/Allow every call of shell/);
    terminal.type("y");
    await terminal.sees(/Over\./);
    expect(agent.decisions).toMatchObject([
      { decision: "always", tool: true, by: "reply" },
      { decision: "always", tool: true, by: "session" },
    ]);
  });

  test("offers no lasting choice for a call that gets no grant", async () => {
    const { terminal } = await open(function* () {
      yield* agentStep.tool({ name: "shell", grant: "", approval: true });
    });
    terminal.type("go\r");
    await terminal.sees(/y once\s+>n reject\s+r reject with a reason/);
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
    await terminal.sees(/Tab answers this instead/);
    terminal.type("\t");
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
    await terminal.sees(/Tab answers this instead/);
    expect(agent.decisions).toEqual([]);
  });

  test.each(["\u001b[200~y\u001b[201~", "yes", "retry later"])(
    "is not decided by %j: the text goes to the composer, and so does Enter",
    async (text) => {
      const { terminal, agent } = await open(function* () {
        yield* approve();
        yield "Over.";
      });
      terminal.type("go\r");
      await terminal.sees(/y once/);
      terminal.type(text);
      await terminal.sees(/Enter sends what you write, Tab answers this instead\n[\s\S]*> \S/);
      terminal.type("n");
      terminal.type("\r");
      await terminal.sees(/1 queued/);
      expect(agent.decisions).toEqual([]);
      await terminal.sees(/y once/);
      terminal.type("y");
      await terminal.sees(/Over\./);
    },
  );

  test("lets /quit be typed, and leaves nothing of the composer behind", async () => {
    const { terminal, agent, exits, app } = await open(function* () {
      yield* approve();
    });
    terminal.type("go\r");
    await terminal.sees(/y once/);
    terminal.type("/quit");
    terminal.type("\r");
    await terminal.until(() => exits.length > 0);
    expect(exits).toEqual(["quit"]);
    expect(agent.decisions).toEqual([]);
    app.unmount();
    expect(terminal.screen).not.toMatch(/quit|Write to the agent|y once/);
  });

  test("gives Enter to a text that waits in the composer, until Tab leads to the choices", async () => {
    const { terminal, agent } = await open(function* () {
      yield agentStep.wait("gate");
      yield* approve();
      yield* approve();
      yield "Over.";
    });
    terminal.type("go\r");
    await terminal.sees(/working/);
    terminal.type("later");
    await terminal.sees(/> later/);
    agent.release("gate");
    await terminal.sees(/Tab answers this instead/);
    terminal.type("\t");
    await terminal.sees(/y once[\s\S]*> later/);
    terminal.type("\u001b[D");
    await terminal.sees(/>a always/);
    terminal.type("\r");
    await terminal.until(() => agent.decisions.length > 0);
    expect(agent.decisions[0]).toMatchObject({ decision: "always" });
    await terminal.sees(/Over\.[\s\S]*> later/);
  });

  test("takes no key that is pressed again right after the one before was decided", async () => {
    const { terminal, agent } = await open(function* () {
      yield* approve();
      yield* approve();
    });
    terminal.type("go\r");
    await terminal.sees(/y once/);
    terminal.type("y\r\r");
    await terminal.until(() => agent.decisions.length > 0);
    await terminal.sees(/wants to use shell\n.*ls\n\.\.\./);
    await terminal.sees(/y once/);
    expect(agent.decisions).toHaveLength(1);
  });

  test("that is taller than the screen is printed whole before it is asked, and only once", async () => {
    const content = Array.from({ length: 50 }, (_, at) => `row ${at}`).join("\n");
    const { terminal } = await open(function* () {
      yield* agentStep.tool({ name: "write", input: { content }, approval: true });
    });
    terminal.type("go\r");
    await terminal.sees(/Its input is above[\s\S]*y once/);
    for (let at = 0; at < 50; at++) expect(terminal.everything).toContain(`| > row ${at}\n`);
    terminal.type("y");
    await terminal.sees(/\+ write is done\n {2}\| \(its input is above\)\n/);
    for (let at = 0; at < 50; at++) expect(terminal.everything.split(`| > row ${at}\n`)).toHaveLength(2);
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
    ["2\r", '[["next"]]'],
    ["1 more\r", '[["1 more"]]'],
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

describe("a question with several parts", () => {
  test("takes digits as a choice, Enter as the answer, and no Enter without a tick", async () => {
    const { terminal } = await open(function* () {
      const answers = yield* agentStep.question({
        questions: [
          { question: "Which one?", options: ["red", "blue"] },
          { question: "Which ones?", options: ["a", "b"], multiSelect: true },
        ],
      });
      yield `It is ${JSON.stringify(answers ?? null)}.`;
    });
    terminal.type("go\r");
    await terminal.sees(/> 1 red/);
    terminal.type("2");
    await terminal.sees(/> 2 blue/);
    for (const key of [" ", "m"]) terminal.type(key); // what begins with the digit is an answer of one's own
    await terminal.sees(/1 red\n {2}2 blue\n> 2 m/);
    terminal.type("\r\r");
    await terminal.sees(/Which ones\?\n[\s\S]*1 - a/);
    terminal.type("\r");
    await terminal.sees(/nothing is ticked/);
    terminal.type("2");
    await terminal.sees(/2 x b/);
    terminal.type("\r");
    await terminal.sees(/It is \[\["2 m"\],\["b"\]\]/);
  });
});

describe("Esc in a question with several parts", () => {
  const ask: MockAgentScript = function* () {
    const answers = yield* agentStep.question({
      questions: [
        { question: "Which ones?", options: ["a", "b"], multiSelect: true },
        { question: "Which name?", options: [] },
        { question: "Which one?", options: ["red", "blue"] },
      ],
    });
    yield `It is ${JSON.stringify(answers ?? null)}.`;
  };

  test("goes back to the question before, with its answer, and at the first one gives no answer to all", async () => {
    const { terminal, agent } = await open(ask);
    terminal.type("go\r");
    await terminal.sees(/1 - a[\s\S]*Esc: no answers/);
    terminal.type("2\r");
    await terminal.sees(/Which name\?[\s\S]*Esc: question before/);
    terminal.type("Ada");
    await terminal.sees(/> Ada/);
    terminal.type("\r");
    await terminal.sees(/Which one\?[\s\S]*Esc: question before/);
    terminal.type("\u001b");
    await terminal.sees(/Which name\?\n> Ada/);
    await terminal.sees(/Esc: question before/);
    terminal.type("\u001b");
    await terminal.sees(/> 2 x b[\s\S]*Esc: no answers/);
    terminal.type("\u001b");
    await terminal.sees(/It is null\./);
    expect(agent.cancels).toEqual([]);
  });
});

describe("an answer of the user's own", () => {
  test("says how to get back, that ticks do not count, and what Enter misses", async () => {
    const { terminal } = await open(function* () {
      const answers = yield* agentStep.question({
        questions: [{ question: "Which ones?", options: ["a", "b"], multiSelect: true }],
      });
      yield `It is ${JSON.stringify(answers ?? null)}.`;
    });
    terminal.type("go\r");
    await terminal.sees(/1 - a/);
    terminal.type("1");
    await terminal.sees(/1 x a/);
    terminal.type("x");
    await terminal.sees(/> x\nEnter answers with this alone, not with the ticks, Esc: back to the choices\n/);
    terminal.type("\u007f\r");
    await terminal.sees(/> your answer\nnothing is written: type an answer, Esc: back to the choices\n/);
    terminal.type("\u001b");
    await terminal.sees(/1 x a\n[\s\S]*Space or a digit ticks/);
    terminal.type("mine\r");
    await terminal.sees(/It is \[\["mine"\]\]/);
  });
});

describe("a conversation that the agent has forgotten", () => {
  test("takes a prompt and a command, and only its own keys decide", async () => {
    const { terminal, agent, chat } = await open([["One", agentStep.forget()], ["Two"]]);
    terminal.type("go\r");
    await terminal.sees(/y yes/);
    for (const key of "hello now") terminal.type(key);
    await terminal.sees(/> hello now/);
    terminal.type("\r");
    await terminal.sees(/1 queued/);
    expect(chat.getSnapshot().connection.contextLost).toBe(true);
    terminal.type("/help\r");
    await terminal.until(() => /Ctrl-O +shows in full/.test(terminal.everything));
    await terminal.sees(/y yes/);
    terminal.type("n");
    await terminal.sees(/Two/);
    expect(agent.prompts.at(-1)?.text).toBe("hello now");
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
    ["/help\r", /Keys for the search/],
    ["/dismiss\r", /no notice is shown/],
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

describe("without a terminal to type on", () => {
  test("it says so, and takes no keys", async () => {
    const terminal = new TestTerminal();
    const chat = createChat(new MockAgent());
    Object.assign(terminal.stdin, { isTTY: false });
    const app = render(<Chat chat={chat} theme={plainTheme} />, {
      stdin: terminal.stdin,
      stdout: terminal.stdout,
      interactive: true,
      patchConsole: false,
    });
    closeLater(async () => {
      app.unmount();
      await chat.close();
    });
    await terminal.sees(/There is no terminal to type on\./);
    expect(terminal.isRaw).toBe(false);
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

  test("folds a long output, which Ctrl-O shows, and the prompt takes the whole", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `row ${at}`).join("\n");
    const long: RunCommand = (_, onOutput) => {
      onOutput(lines);
      return { stop: () => {}, ended: Promise.resolve({ type: "exited", code: 0 }) };
    };
    const { terminal, agent } = await open([["Fine."]], { runCommand: long, rows: 60 });
    terminal.type("!seq\r");
    await terminal.sees(/row 0\n[\s\S]*\.\.\. 31 more lines\n[\s\S]*row 39\nexit code 0/);
    expect(terminal.everything).not.toContain("row 20");
    terminal.type("\u000f");
    await terminal.sees(/row 20/);
    terminal.type("why?\r");
    await terminal.sees(/Fine\./);
    expect(agent.prompts[0]?.text).toContain(lines);
  });

  test("that says nothing goes with the prompt as no output", async () => {
    const silent: RunCommand = () => ({
      stop: () => {},
      ended: Promise.resolve({ type: "exited", code: 0 }),
    });
    const { terminal, agent } = await open([["Fine."]], { runCommand: silent });
    terminal.type("!true\r");
    await terminal.sees(/exit code 0/);
    terminal.type("why?\r");
    await terminal.sees(/Fine\./);
    expect(agent.prompts[0]?.text).toBe("I ran `true` (exit code 0): no output.\n\nwhy?");
  });

  test("that is stopped stays out of the prompt", async () => {
    const { terminal, agent } = await open([["Fine."]], {
      runCommand: (_, onOutput) => {
        onOutput("half");
        let stop = (): void => {};
        const ended = new Promise<CommandEnd>((resolve) => {
          stop = () => resolve({ type: "killed", signal: "SIGTERM" });
        });
        return { ended, stop: () => stop() };
      },
    });
    terminal.type("!sleep\r");
    await terminal.sees(/Ctrl-C stops it/);
    terminal.type("\u0003");
    await terminal.sees(/stopped by SIGTERM; its output does not go along/);
    terminal.type("why?\r");
    await terminal.sees(/Fine\./);
    expect(agent.prompts[0]?.text).toBe("why?");
  });

  test("that does not stop does not keep the user from leaving", async () => {
    const { terminal, exits } = await open([], {
      runCommand: () => ({ stop: () => {}, ended: new Promise(() => {}) }),
    });
    terminal.type("!sleep\r");
    await terminal.sees(/Ctrl-C stops it/);
    terminal.type("\u0003");
    await terminal.sees(/is being stopped; Ctrl-C leaves\n[\s\S]*Ctrl-C again leaves/);
    terminal.type("\u0003");
    await terminal.until(() => exits.length > 0);
    expect(exits).toEqual(["interrupted"]);
  });
});
