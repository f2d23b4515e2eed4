import { PassThrough } from "node:stream";
import { inert } from "agentwire/chat";
import { codeyStep, codeyTool, type MockCodeyOptions, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { Screen, wantsColour } from "../../examples/support/terminal.ts";
import { ChatChild } from "./support/chat-child.ts";

const QUESTION = "in this session): ";
const COMMAND = "find . -name '*.md' -not -path './node_modules/*' | xargs wc -l";

/** A chat that is at its first prompt. */
async function begun(...given: ConstructorParameters<typeof ChatChild>): Promise<ChatChild> {
  const chat = new ChatChild(...given);
  await chat.until("you> ");
  return chat;
}

/** A server of the user's that closes as fast as it can, and a chat with it. */
async function withServer(options: MockCodeyOptions) {
  const server = await MockCodeyServer.start({ closeReply: true, ...options });
  const chat = await begun([server.url]);
  return {
    server,
    chat,
    async [Symbol.asyncDispose]() {
      await chat[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}

describe("codey-chat with the agent in its own process", () => {
  test("shows the whole command, runs it after a yes, and prints the turn's usage", async () => {
    await using chat = await begun();
    chat.type("hello");
    const asked = await chat.until(QUESTION);
    expect(asked).toContain("I should look around first.\nYou said: hello. Let me look. \n");
    expect(asked).toContain(`The agent wants to run mcp_shell:\n  command:\n    | ${COMMAND}\n`);
    expect(asked).not.toContain("mcp_shell runs");
    chat.type("y");
    const answered = await chat.until("you> ");
    expect(answered).toMatch(
      /^\n {2}mcp_shell runs\n {2}mcp_shell is done:\n {4}\| {3}120 \.\/README\.md\n.*160 total\nTwo pages, 160 lines\.\n\(20 tokens written, 100 in the context\)\nyou> $/s,
    );
    chat.type("/quit");
    expect(await chat.exitCode()).toBe(0);
  });

  test.each(["n", "", "yesterday", "alway"])("takes %j as no", async (answer) => {
    await using chat = await begun();
    chat.type("hello");
    await chat.until(QUESTION);
    chat.type(answer);
    expect(await chat.until("you> ")).toMatch(/mcp_shell was denied by the user\nAs you like/);
  });

  test("does not ask again after `always`", async () => {
    await using chat = await begun();
    chat.type("hello");
    await chat.until(QUESTION);
    chat.type("always");
    await chat.until("you> ");
    chat.type("and again");
    const again = await chat.until("you> ");
    expect(again).toContain("Two pages");
    expect(again).not.toContain("wants to run");
  });

  test("takes no line that was typed before the question as its answer", async () => {
    await using chat = await begun();
    chat.type("hello\ny");
    await chat.until(QUESTION);
    chat.type("n");
    expect(await chat.until("you> ")).toContain("was denied by the user");
    expect(await chat.until(QUESTION)).toContain("You said: y.");
  });

  test("Ctrl-C cancels the running answer, and the next answer is complete", async () => {
    await using chat = await begun();
    chat.type("count for me");
    await chat.until("2 3");
    chat.interrupt();
    expect(await chat.until("you> ")).toMatch(/\(cancelling; Ctrl-C again leaves\)\n.*\(cancelled; /s);
    chat.type("hello");
    expect(await chat.until(QUESTION)).not.toMatch(/\d+ \d+ /);
  });

  test.each([
    ["while nothing runs", undefined],
    ["while an answer is coming", "count for me"],
  ])("Ctrl-C twice exits %s", async (_, prompt) => {
    await using chat = await begun();
    if (prompt !== undefined) {
      chat.type(prompt);
      await chat.until("2 3");
    }
    chat.interrupt();
    await chat.until("Ctrl-C again leaves)");
    chat.interrupt();
    expect(await chat.exitCode()).toBe(130);
  });

  test("answers /help and /state, and sends nothing for a blank line", async () => {
    await using chat = await begun();
    chat.type("/help");
    expect(await chat.until("you> ")).toContain("Ctrl-C cancels");
    chat.type("/state");
    expect(await chat.until("you> ")).toContain('"pending_approvals": []');
    chat.type("  ");
    expect(await chat.until("you> ")).toBe("\nyou> ");
  });

  test("is plain in a pipe, in colour with FORCE_COLOR, and plain again with NO_COLOR", async () => {
    await using plain = await begun();
    await using forced = await begun([], { FORCE_COLOR: "1" });
    await using forbidden = await begun([], { FORCE_COLOR: "1", NO_COLOR: "1" });
    expect(plain.text).not.toContain("\u001b");
    expect(forced.text).toContain("\u001b[36myou> ");
    expect(forbidden.text).not.toContain("\u001b");
  });
});

describe("codey-chat with a given server", () => {
  const look = (command = "ls"): MockCodeyOptions => ({
    answer: () => ["Look. ", codeyStep.calls(codeyTool.shell(command, "a.txt\n")), "Seen."],
  });

  test("the end of input denies open requests, and exits after the turn", async () => {
    await using made = await withServer(look());
    made.chat.type("hello");
    await made.chat.until(QUESTION);
    made.chat.endOfInput();
    expect(await made.chat.exitCode()).toBe(0);
    expect(made.chat.text).toContain("Seen.");
    expect(made.server.decisions).toMatchObject([{ approved: false }]);
    expect(made.server.violations).toEqual([]);
  });

  test("Ctrl-C withdraws a question, and denies its call", async () => {
    await using made = await withServer(look());
    made.chat.type("hello");
    await made.chat.until(QUESTION);
    made.chat.interrupt();
    expect(await made.chat.until("you> ")).toContain("mcp_shell was given up");
    expect(made.server.decisions).toMatchObject([{ approved: false, outcome: "stale" }]);
    made.chat.type("/quit");
    expect(await made.chat.exitCode()).toBe(0);
    expect(made.server.violations).toEqual([]);
  });

  test("exiting during an answer cancels it on the server", async () => {
    await using made = await withServer({ answer: () => ["Wait", codeyStep.hang()] });
    made.chat.type("hello");
    await made.chat.until("Wait");
    made.server.set({ frozen: "midSession" }); // it does not answer the first one either
    made.chat.interrupt();
    await made.chat.until("again leaves");
    made.chat.interrupt();
    expect(await made.chat.exitCode()).toBe(130);
    expect(made.server.frames.map(({ raw }) => raw)).toContain('{"type":"Cancel"}');
    expect(made.server.violations).toEqual([]);
  });

  test("asks one after the other about calls that wait at the same time", async () => {
    await using made = await withServer({
      backgroundOrder: "calls",
      answer: () => [
        codeyStep.calls(
          codeyTool.shell("one", "1", { background: true }),
          codeyTool.shell("two", "2", { background: true }),
        ),
        "Done.",
      ],
    });
    made.chat.type("hello");
    expect(await made.chat.until(QUESTION)).toContain("| one");
    made.chat.type("y");
    expect(await made.chat.until(QUESTION)).toContain("| two");
    made.chat.type("n");
    expect(await made.chat.until("you> ")).toContain("Done.");
    expect(made.server.decisions.map(({ approved }) => approved)).toEqual([true, false]);
  });

  test("removes control codes from the server's text, and shows them escaped in a command", async () => {
    await using made = await withServer({
      answer: () => [
        codeyStep.thinking("\u001b[8mhidden"),
        "\u001b]0;title\u0007red\u001b[31m, \u009b2Jcleared, \r",
        codeyStep.calls(codeyTool.shell("ls\u001b[2K\r; rm -rf ~\u202e", "\u001b[1Aup\n")),
        codeyStep.error("\u001b[2Jno"),
      ],
    });
    made.chat.type("hello");
    expect(await made.chat.until(QUESTION)).toContain("    | ls\\u{1b}[2K\\u{d}; rm -rf ~\\u{202e}\n");
    made.chat.type("y");
    await made.chat.until("you> ");
    expect(made.chat.text).toContain("hidden\nred, cleared, ");
    expect(made.chat.text).toContain("    | up");
    expect(made.chat.text).toMatch(/^no$/m);
    expect(inert(made.chat.text)).toBe(made.chat.text);
  });

  test("shows a turn's error, and the chat continues", async () => {
    await using made = await withServer({ answer: () => ["half", codeyStep.apiError(529, "busy")] });
    made.chat.type("hello");
    expect(await made.chat.until("you> ")).toMatch(/half\n.*529.*busy/);
    made.server.answer = () => ["whole"];
    made.chat.type("again");
    expect(await made.chat.until("you> ")).toContain("whole");
  });

  test("reports a lost link, and that the server has lost the conversation", async () => {
    await using made = await withServer({ answer: () => ["half", codeyStep.drop()] });
    made.chat.type("hello");
    const told = await made.chat.until("a new session");
    expect(told).toContain("link lost, trying again in ");
    expect(told).toContain("the connection ended");
    made.server.answer = () => ["whole"];
    made.chat.type("again");
    await made.chat.until("whole");
    expect(made.server.sends.map(({ content }) => content)).toEqual(["hello", "again"]);
  });
});

test.each([
  [["--help"], 0, "Usage: "],
  [["--nope"], 2, "Unknown option '--nope'"],
  [["nonsense"], 2, "URL"],
  [["ws://127.0.0.1:1", "ws://127.0.0.1:2"], 2, "pass one address"],
  [["--nope"], 2, "Try --help."],
])("codey-chat with %j exits with %i and prints %j", async (args, code, words) => {
  await using chat = new ChatChild(args);
  await chat.until(words);
  expect(await chat.exitCode()).toBe(code);
});

test("codey-chat fails with a message if the server cannot be reached", async () => {
  const server = await MockCodeyServer.start();
  await server.stop();
  await using chat = new ChatChild([server.url]);
  await chat.until("cannot connect to");
  expect(await chat.exitCode()).toBe(1);
});

describe("the output of codey-chat", () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
  ])("is in colour with %j on a terminal (%j): %j", (env, isTerminal, colour) => {
    expect(wantsColour(env, isTerminal)).toBe(colour);
  });

  test("has no terminal control codes, even if they arrive in pieces", () => {
    const out = new PassThrough({ encoding: "utf8" });
    const screen = new Screen(out, false);
    for (const piece of ["caf\u00e9\tred \u001b", "[3", "1mno", "w \u001b[2"]) screen.stream(piece);
    screen.line("a\u202eline");
    expect(out.read()).toBe("caf\u00e9\tred now \naline\n");
  });
});
