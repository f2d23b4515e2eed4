import { fileURLToPath } from "node:url";
import { inert } from "agentwire/chat";
import { codeyStep, codeyTool, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { Child } from "./support/child.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/one-ui.ts", import.meta.url));
const ALLOW = "in this session): ";

/** The program with this backend, at its first prompt. */
async function begun(backend: string, ...more: string[]): Promise<Child> {
  const chat = new Child(PROGRAM, ["--backend", backend, ...more]);
  await chat.until("you> ");
  return chat;
}

/** Leaves as a user does. */
async function leave(chat: Child): Promise<void> {
  chat.type("/quit");
  expect(await chat.exitCode()).toBe(0);
  expect(chat.stderr).toBe("");
}

describe("the one-ui example with each backend", () => {
  test("shows Codey's reasoning, an approval with the whole command, the running tool and the tokens", async () => {
    await using chat = await begun("codey");
    chat.type("hello");
    expect(await chat.until(ALLOW)).toMatch(
      /I should look around first\.\nYou said: hello\. Let me look\. \nThe agent wants to use mcp_shell:\n {2}command:\n {4}\| find /,
    );
    chat.type("y");
    expect(await chat.until("you> ")).toMatch(
      /^\n {2}mcp_shell runs\n {2}mcp_shell is done:\n {4}\| {3}120 \.\/README\.md\n.*160 total\nTwo pages, 160 lines\.\n\(20 tokens written, 100 in the context\)\nyou> $/s,
    );
    await leave(chat);
  });

  test("shows Codebuff's local tool, a question and the cost", async () => {
    await using chat = await begun("codebuff");
    chat.type("hello");
    await chat.until(ALLOW);
    chat.type("y");
    expect(await chat.until("is none: ")).toMatch(
      /get_weather is done:\n.*Oslo.*Go out\?\n {2}1 {2}yes\n {2}2 {2}no\n/s,
    );
    chat.type("2");
    expect(await chat.until("you> ")).toMatch(/answered: no\nNoted\.\n\(3 credits\)/);
    await leave(chat);
  });

  test("shows Cass's progress, her text without tags, the tokens and the model", async () => {
    await using chat = await begun("cass");
    chat.type("hello");
    expect(await chat.until("you> ")).toMatch(
      /Executing: recall_journal.*\nYou said: hello\.\n.*data:audio\/mpeg\n.* tokens written, claude/s,
    );
    await leave(chat);
  });

  test("shows the Codebuff CLI's tool and the cost", async () => {
    await using chat = await begun("cli");
    chat.type("hello");
    expect(await chat.until("you> ")).toMatch(
      /Let me look at .*\n {2}read_files is done:\n {4}\| .*parser\.ts.*\nThe test expects .*\n\(3 credits\)/s,
    );
    await leave(chat);
  });

  test("shows what an ACP agent asks for, and the tokens", async () => {
    await using chat = await begun("acp");
    chat.type("hello");
    await chat.until(ALLOW);
    chat.type("y");
    expect(await chat.until("you> ")).toMatch(
      /execute is done:\n.*notes\.md.*There are two pages\..*900 tokens read, 40 tokens written/s,
    );
    await leave(chat);
  });

  test("shows the tool of an agent run in this process, and the cost", async () => {
    await using chat = await begun("run");
    chat.type("hello");
    await chat.until(ALLOW);
    chat.type("y");
    expect(await chat.until("you> ")).toMatch(
      /list_folder is done:\n.*There are \d+ names here\.\n.*4 credits, openai\/gpt-5-mini\)/s,
    );
    await leave(chat);
  });

  test("shows the mock agent's question and its answer", async () => {
    await using chat = await begun("mock");
    chat.type("ask me");
    await chat.until("is none: ");
    chat.type("a branch of mine");
    expect(await chat.until("you> ")).toMatch(/answered: a branch of mine\nI take .*\.\n?.*3 credits\)/s);
    await leave(chat);
  });
});

describe("the one-ui example in unusual situations", () => {
  test.each(["n", "", "yesterday"])("takes %j as no", async (answer) => {
    await using chat = await begun("mock");
    chat.type("hello");
    await chat.until(ALLOW);
    chat.type(answer);
    expect(await chat.until("you> ")).toMatch(/shell was denied \(user\)\nAs you like/);
  });

  test("prints an error, and /retry sends the prompt again", async () => {
    await using chat = await begun("mock");
    chat.type("please fail");
    expect(await chat.until("you> ")).toMatch(
      /The server has a problem\. .*overloaded.*\n\(\/retry sends it again/,
    );
    chat.type("/retry");
    expect(await chat.until("you> ")).toContain("You said: please fail.");
    await leave(chat);
  });

  test("/retry without a message says so, and /help prints the help", async () => {
    await using chat = await begun("mock");
    chat.type("/retry");
    expect(await chat.until("you> ")).toContain("nothing to send again");
    chat.type("/help");
    expect(await chat.until("you> ")).toContain("Ctrl-C cancels");
  });

  test("reports a lost link and the reconnect", async () => {
    await using chat = await begun("mock");
    chat.type("lose it");
    expect(await chat.until("connected again")).toMatch(/The connection was lost: attempt 1 in /);
  });

  test("sends the transcript to an agent that lost the conversation, if the user agrees", async () => {
    await using chat = await begun("mock");
    chat.type("ask");
    await chat.until("is none: ");
    chat.type("1");
    await chat.until("you> ");
    chat.type("forget it");
    expect(await chat.until("n(o): ")).toContain("the agent has forgotten this conversation");
    chat.type("y");
    await chat.until("you> ");
    chat.type("ask again");
    expect(await chat.until("is none: ")).toMatch(/reads what was said before\n.*You said: ask again/s);
  });

  test("sends nothing to an agent that lost the conversation after the end of input", async () => {
    await using chat = await begun("mock");
    chat.type("ask");
    await chat.until("is none: ");
    chat.type("1");
    await chat.until("you> ");
    chat.type("forget it");
    await chat.until("n(o): ");
    chat.endOfInput();
    expect(await chat.exitCode()).toBe(0);
    expect(chat.text.match(/You said/g)).toHaveLength(2);
  });

  test("Ctrl-C cancels the running answer, and a second one exits", async () => {
    await using chat = await begun("mock");
    chat.type("count for me");
    await chat.until("2 3");
    chat.interrupt();
    expect(await chat.until("you> ")).toMatch(/\(cancelling; Ctrl-C again leaves\)\n.*cancelled; \/retry/s);
    chat.interrupt();
    expect(await chat.exitCode()).toBe(130);
  });

  test("the end of input denies open requests, and exits after the answer", async () => {
    await using chat = await begun("mock");
    chat.type("hello");
    await chat.until(ALLOW);
    chat.endOfInput();
    expect(await chat.exitCode()).toBe(0);
    expect(chat.text).toContain("As you like: I looked at nothing.");
  });

  test("removes control codes from a server's text, and shows them escaped in a command", async () => {
    await using server = await MockCodeyServer.start({
      closeReply: true,
      answer: () => [
        codeyStep.thinking("\u001b[8mhidden"),
        "\u001b]0;title\u0007red\u001b[",
        "31m, \u009b2Jcleared, ",
        codeyStep.calls(codeyTool.shell("ls\u001b[2K; rm -rf ~\u202e", "\u001b[1Aup\n")),
        codeyStep.error("\u001b[2Jno"),
      ],
    });
    await using chat = await begun("codey", "--url", server.url);
    chat.type("hello");
    expect(await chat.until(ALLOW)).toContain("    | ls\\u{1b}[2K; rm -rf ~\\u{202e}\n");
    chat.type("y");
    await chat.until("you> ");
    expect(chat.text).toContain("hidden\nred, cleared, ");
    expect(inert(chat.text)).toBe(chat.text);
  });
});

test.each([
  [["--help"], 0, "Usage: "],
  [["--nope"], 2, "Unknown option '--nope'"],
  [["--backend", "nope"], 2, "pass one of codebuff, codey, cass"],
  [["--url", "ws://127.0.0.1:1"], 2, "--url needs --backend"],
  [["--nope"], 2, "Try --help."],
])("one-ui with %j exits with %i and prints %j", async (args, code, words) => {
  await using chat = new Child(PROGRAM, args);
  await chat.until(words);
  expect(await chat.exitCode()).toBe(code);
});
