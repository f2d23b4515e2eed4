// The chat in lines, with each backend.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { inert } from "agentwire/chat";
import { codeyStep, codeyTool, FakeCodebuffCli, MockAcpAgent, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { inWords } from "../../examples/support/acp-agent.ts";
import { openCodeyServer } from "../../examples/support/codey-agent.ts";
import { openCassServer, openCodebuffServer } from "../../examples/support/mock-scripts.ts";
import type { Child } from "../examples/support/child.ts";
import { emptyFolder, talkingTo } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

const ALLOW = "in this session): ";
/** What the program says behind an answer of the mock. */
const OVER = "3 credits)\n";

/** Leaves as a user does. */
async function leave(chat: Child): Promise<void> {
  chat.type("/quit");
  expect(await chat.exitCode()).toBe(0);
  expect(chat.stderr).toBe("");
}

describe("the chat in lines with each backend", () => {
  test("shows Codey's reasoning, an approval with the whole command, the running tool and the tokens", async () => {
    const server = await openCodeyServer(undefined);
    await using chat = talkingTo(["chat", "codey", "--url", server.url]);
    chat.type("hello");
    expect(await chat.until(ALLOW)).toMatch(
      /I should look around first\.\nYou said: hello\. Let me look\. \nThe agent wants to use mcp_shell:\n {2}command:\n {4}\| find /,
    );
    chat.type("y");
    expect(await chat.until("in the context)\n")).toMatch(
      /^\n {2}mcp_shell runs\n {2}mcp_shell is done:\n {4}\| {3}120 \.\/README\.md\n.*160 total\nTwo pages, 160 lines\.\n\(20 tokens written, 100 in the context\)\n$/s,
    );
    await leave(chat);
    await server.stop();
  });

  test("shows what an edit would change before it asks", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("edit");
    expect(await chat.until(ALLOW)).toMatch(
      /What it would change in notes\.md:\n.*\n {4}\| \+Written by the mock agent\.\n/s,
    );
    chat.type("n");
    await chat.until("I wrote nothing.");
    await leave(chat);
  });

  test("shows a question of a Codebuff server, and the cost", async () => {
    const server = await openCodebuffServer(undefined);
    await using chat = talkingTo(["chat", "codebuff", "--url", server.url], {
      CODEBUFF_API_KEY: server.authToken,
    });
    chat.type("hello");
    expect(await chat.until("is none: ")).toMatch(/Go out\?\n {2}1 {2}yes\n {2}2 {2}no\n/s);
    chat.type("2");
    expect(await chat.until("(3 credits)")).toMatch(/answered: no\nNoted\.\n/);
    await leave(chat);
    await server.stop();
  });

  test("shows Cass's progress, her text without tags, the tokens and the model", async () => {
    const { stop, url, token } = await openCassServer(undefined);
    await using chat = talkingTo(["chat", "cass", "--url", String(url)], { CASS_TOKEN: String(token) });
    chat.type("hello");
    expect(await chat.until("tokens written, claude")).toMatch(
      /Executing: recall_journal.*\nYou said: hello\.\n.*data:audio\/mpeg\n/s,
    );
    await leave(chat);
    await stop();
  });

  test("shows the Codebuff CLI's answer", async () => {
    await using cli = await FakeCodebuffCli.start({ events: ["Hello from the CLI."] });
    await using chat = talkingTo(["chat", "cli", "--", cli.command, ...cli.args], { ...cli.env });
    chat.type("hello");
    await chat.until("Hello from the CLI.");
    await leave(chat);
  });

  test("shows what an ACP agent asks for, and the tokens", async () => {
    await using agent = new MockAcpAgent({ answer: inWords(5) });
    const { command = "", args = [], env = {} } = await agent.program();
    const kept = Object.keys(env).flatMap((name) => ["--keep-env", name]);
    await using folder = await emptyFolder();
    const call = ["chat", "acp", "--cwd", folder.path, ...kept, "--", command, ...args];
    await using chat = talkingTo(call, env);
    chat.type("hello");
    await chat.until(ALLOW);
    chat.type("y");
    expect(await chat.until("40 tokens written")).toMatch(
      /execute is done:\n.*notes\.md.*There are two pages\./s,
    );
    await leave(chat);
  });
});

describe("the chat in lines in unusual situations", () => {
  test.each(["n", "", "yesterday"])("takes %j as no", async (answer) => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("hello");
    await chat.until(ALLOW);
    chat.type(answer);
    expect(await chat.until(OVER)).toMatch(/shell was denied \(user\)\nAs you like/);
  });

  test("prints an error, and /retry sends the prompt again", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("please fail");
    expect(await chat.until("(/retry sends it again")).toMatch(/The server has a problem\. .*overloaded/);
    chat.type("/retry");
    expect(await chat.until("(/retry sends it again")).toContain("You said: please fail.");
    await leave(chat);
  });

  test("/retry without a message says so, and /help prints the help", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("/retry");
    await chat.until("nothing to send again");
    chat.type("/help");
    await chat.until("Ctrl-C cancels");
    chat.type("!ls");
    await chat.until("commands of this machine need the screen");
    chat.type("/nope");
    await chat.until("there is no command /nope");
    await leave(chat);
  });

  test("reports a lost link and the reconnect", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("lose it");
    expect(await chat.until("connected again")).toMatch(/The connection was lost: attempt 1 in /);
  });

  test("sends the transcript to an agent that lost the conversation, if the user agrees", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("ask");
    await chat.until("is none: ");
    chat.type("1");
    await chat.until(OVER);
    chat.type("forget it");
    expect(await chat.until("n(o): ")).toContain("the agent has forgotten this conversation");
    chat.type("y");
    chat.type("ask again");
    expect(await chat.until("is none: ")).toMatch(/reads what was said before\n.*You said: ask again/s);
  });

  test("sends nothing to an agent that lost the conversation after the end of input", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("ask");
    await chat.until("is none: ");
    chat.type("1");
    await chat.until(OVER);
    chat.type("forget it");
    await chat.until("n(o): ");
    chat.endOfInput();
    expect(await chat.exitCode()).toBe(0);
    expect(chat.text.match(/You said/g)).toHaveLength(2);
  });

  test("Ctrl-C cancels the running answer, and a second one exits", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("count for me");
    await chat.until("2 3");
    chat.interrupt();
    await chat.until("cancelled; /retry");
    chat.interrupt();
    expect(await chat.exitCode()).toBe(130);
  });

  test("the end of input denies open requests, and exits after the answer", async () => {
    await using chat = talkingTo(["chat", "mock"]);
    chat.type("hello");
    await chat.until(ALLOW);
    chat.endOfInput();
    expect(await chat.exitCode()).toBe(0);
    expect(chat.text).toContain("shell was denied (the input has ended)\nAs you like: I looked at nothing.");
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
    await using chat = talkingTo(["chat", "codey", "--url", server.url]);
    chat.type("hello");
    expect(await chat.until(ALLOW)).toContain("    | ls\\u{1b}[2K; rm -rf ~\\u{202e}\n");
    chat.type("y");
    await chat.until("sends it again");
    expect(chat.text).toContain("hidden\nred, cleared, ");
    expect(inert(chat.text)).toBe(chat.text);
  });

  test("a reader of the output that leaves ends the chat", async () => {
    const child = spawn(process.execPath, [programFile(), "chat", "mock"], { stdio: "pipe" });
    child.stdin.on("error", () => {});
    child.stdin.write("count\n");
    await once(child.stdout, "data");
    child.stdout.destroy();
    await once(child, "close");
    expect(child.exitCode).toBe(1);
  });
});
