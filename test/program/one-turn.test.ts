// One turn: `agentwire chat <backend> -p "..."`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { codeyStep, codeyTool, MockCodebuffServer, MockCodeyServer } from "agentwire/testing";
import { checkTranscript, readJsonl } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { agentwire, linesOf, talkingTo } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

const HELLO = ["chat", "mock", "-p", "Hello"];

interface Line {
  readonly type: string;
  readonly data: { readonly permission_id: string; readonly question_id: string; readonly status: string };
}

describe("the output", () => {
  test("is the text of the answer by default", async () => {
    const { code, stdout, stderr } = await agentwire([...HELLO, "--allow", "shell"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^You said: Hello\. Let me look\. \nTwo pages, 160 lines\.\n[\s\S]*forget\.\n$/);
  });

  test("is one object with --output json", async () => {
    const { stdout } = await agentwire([...HELLO, "--allow", "sh*", "--output", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      denied: [],
      usage: { input_tokens: 100 },
      cost: { total: 3, currency: "credits" },
      backend: "mock",
      exit_code: 0,
    });
  });

  test("is a whole universal transcript with --output stream-json", async () => {
    const { stdout } = await agentwire([...HELLO, "--allow", "shell", "--output", "stream-json"]);
    const { events, problems, complete } = readJsonl(stdout);
    expect({ problems, complete }).toEqual({ problems: [], complete: true });
    expect(checkTranscript(events)).toEqual([]);
    expect(events.at(-1)?.type).toBe("session.ended");
  });

  test("has nothing in it that a terminal would obey", async () => {
    await using server = await MockCodeyServer.start({
      closeReply: true,
      answer: () => ["\u001b]0;title\u0007red\u001b[", "31m."],
    });
    const { stdout } = await agentwire(["chat", "codey", "--url", server.url, "-p", "x"]);
    expect(stdout).toBe("red.\n");
  });

  test.each(["007", "1e3", " 12 ", "true", "0x10"])("keeps a prompt like %j as it is", async (prompt) => {
    const { stdout } = await agentwire(["chat", "mock", "-p", prompt]);
    expect(stdout).toContain(`You said: ${prompt.trim()}.`);
  });
});

describe("the prompt", () => {
  test.each([[["-p"]], [["--output", "text"]]])("comes from the standard input with %j", async (args) => {
    const { stdout } = await agentwire(["chat", "mock", ...args], { input: "ask from\nthe pipe\n" });
    expect(stdout).toContain("You said: the pipe.");
  });
});

describe("a tool", () => {
  test("that nobody allows is denied, and the exit code is 3", async () => {
    const { code, stdout, stderr } = await agentwire(HELLO);
    expect(code).toBe(3);
    expect(stdout).toContain("I looked at nothing");
    expect(stderr).toBe("agentwire: Denied: shell.\nTo allow it: --allow shell.\n");
  });

  test("that is allowed and denied is denied", async () => {
    const { code } = await agentwire([...HELLO, "--allow", "*", "--deny", "shell"]);
    expect(code).toBe(3);
  });

  test("of a client with rules is decided by them, before anybody is asked", async () => {
    await using server = await MockCodeyServer.start({
      closeReply: true,
      answer: async function* () {
        const [call] = yield* codeyStep.calls(codeyTool.shell("ls", "a.txt\n"));
        yield `It is ${call?.state}.`;
      },
    });
    const args = ["chat", "codey", "--url", server.url, "-p", "x", "--output", "stream-json"];
    const allowed = await agentwire([...args, "--allow", "mcp_shell"]);
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain('"reason":"policy"');
    const denied = await agentwire([...args, "--deny", "mcp_*"]);
    expect(denied.code).toBe(3);
    expect(denied.stdout).toContain('"reason":"policy"');
  });
});

describe("a question", () => {
  test("that nobody answers is named on stderr, and the exit code is 0", async () => {
    const { code, stdout, stderr } = await agentwire(["chat", "mock", "-p", "ask"]);
    expect(stdout).toContain("I take main, then.");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "agentwire: Left unanswered, because nobody is there to ask: Which branch?\nTo answer: leave out -p, or pass --ask-stdio.\n",
    });
  });

  test("adds nothing to stderr with JSON on stdout", async () => {
    const { stderr } = await agentwire(["chat", "mock", "-p", "ask", "--output", "json"]);
    expect(stderr).toBe("");
  });
});

describe("--ask-stdio", () => {
  test.each([
    ["once", 0, "accept"],
    ["reject", 3, "reject"],
  ])("carries out the decision %j", async (decision, code, status) => {
    await using child = talkingTo([...HELLO, "--ask-stdio"]);
    await child.until("permission.requested");
    await child.until("\n");
    const asked = linesOf<Line>(child.text).find(({ type }) => type === "permission.requested");
    child.type("this is no decision");
    child.type(JSON.stringify({ permission_id: asked?.data.permission_id, decision: "perhaps" }));
    child.type(JSON.stringify({ permission_id: "unknown", decision: "once" }));
    child.type(JSON.stringify({ permission_id: asked?.data.permission_id, decision, reason: "not now" }));
    expect(await child.exitCode()).toBe(code);
    const resolved = linesOf<Line>(child.text).find(({ type }) => type === "permission.resolved");
    expect(resolved?.data.status).toBe(status);
    const complaints = linesOf<{ readonly error: { readonly title: string } }>(child.stderr);
    expect(complaints.map(({ error }) => error.title).slice(0, 2)).toEqual([
      "Line 1 of the standard input is no decision: it is no JSON.",
      "Line 2 of the standard input is no decision: decision is none of once, always, reject.",
    ]);
  });

  test("answers questions", async () => {
    await using child = talkingTo(["chat", "mock", "-p", "ask", "--ask-stdio"]);
    await child.until("question.requested");
    await child.until("\n");
    const asked = linesOf<Line>(child.text).find(({ type }) => type === "question.requested");
    child.type(JSON.stringify({ question_id: asked?.data.question_id, answers: [["next"]] }));
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toContain('"selected":["next"]');
  });

  test("denies what waits when the input ends", async () => {
    const { code, stdout } = await agentwire([...HELLO, "--ask-stdio"]);
    expect(code).toBe(3);
    expect(stdout).toContain('"status":"reject"');
  });
});

describe("a failure", () => {
  const REFUSED = ["chat", "codey", "--url", "ws://127.0.0.1:1", "-p", "x"];

  test("of a connection has the address, the cause, the code and the line of doctor", async () => {
    const { stderr } = await agentwire([...REFUSED, "--json"]);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        exit_code: 4,
        title: "The server cannot be reached: ws://127.0.0.1:1 refuses connections (ECONNREFUSED).",
        next: "Start the server, or check the port. To look closer: agentwire doctor codey --url ws://127.0.0.1:1",
        code: "connect-failed",
      },
    });
  });

  test("of a connection does not show the query of the address in its title", async () => {
    const { stderr } = await agentwire(["chat", "codey", "--url", "ws://127.0.0.1:1/a?room=7", "-p", "x"]);
    expect(stderr).toContain("reached: ws://127.0.0.1:1/a refuses connections (ECONNREFUSED).\n");
  });

  test("has the stack of its cause with AGENTWIRE_DEBUG", async () => {
    const { stderr } = await agentwire(REFUSED, { env: { AGENTWIRE_DEBUG: "1" } });
    expect(stderr).toMatch(/caused by ConnectError \[connect-failed\]: .*\n {4}at /);
  });

  test("of an upgrade that is refused says that the path or the key may be wrong", async () => {
    await using server = await MockCodebuffServer.start();
    const url = server.url.replace(/\/ws$/, "");
    const { code, stderr } = await agentwire(["chat", "codebuff", "--url", url, "-p", "x"]);
    expect(code).toBe(4);
    expect(stderr).toBe(
      `agentwire: The server cannot be reached: ${url} refuses the connection with HTTP 403.\nThe token is missing or refused, or the path is not /ws. To look closer: agentwire doctor codebuff --url ${url}\n`,
    );
  });

  test.each([
    ["lose", "connection-lost"],
    ["fail", "turn-failed"],
  ])("of the turn %j has the code %s, in both forms of JSON", async (prompt, code) => {
    const { stdout, stderr } = await agentwire(["chat", "mock", "-p", prompt, "--output", "json"]);
    expect([JSON.parse(stdout).error.code, JSON.parse(stderr).error.code]).toEqual([code, code]);
  });
});

describe("the exit code is", () => {
  test.each([
    ["codey", "ws://127.0.0.1:1", {}],
    ["codebuff", "ws://127.0.0.1:1", {}],
    ["cass", "ws://127.0.0.1:1/ws", { CASS_TOKEN: "a-token" }],
    ["remote", "http://127.0.0.1:1/chats", { AGENTWIRE_TOKEN: "a-token" }],
  ])("4 where nobody listens, for %s", async (backend, url, env) => {
    const { code, stdout, stderr } = await agentwire(["chat", backend, "--url", url, "-p", "x"], { env });
    expect(stderr).toMatch(/cannot be reached: .*(ECONNREFUSED|bad port)/);
    expect(stderr).toContain(`To look closer: agentwire doctor ${backend} --url ${url}\n`);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  });

  test("1 for a turn that fails", async () => {
    const { code, stdout, stderr } = await agentwire(["chat", "mock", "-p", "fail", "--output", "json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: "failed", error: { retry: "ask" }, exit_code: 1 });
    expect(JSON.parse(stderr).error.exit_code).toBe(1);
  });

  test("5 after --timeout", async () => {
    const { code, stdout, stderr } = await agentwire(["chat", "mock", "-p", "count", "--timeout", "0.3"]);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^You said: /);
    expect(stderr).toContain("longer than --timeout");
  });

  test.each([
    ["interrupt", 130],
    ["terminate", 143],
  ] as const)("that of the signal after %s", async (how, code) => {
    await using child = talkingTo(["chat", "mock", "-p", "count", "--output", "text"]);
    await child.until("1 2");
    child[how]();
    expect(await child.exitCode()).toBe(code);
    expect(child.stderr).toBe("");
  });

  test("1 when the reader leaves, without a word", async () => {
    const child = spawn(process.execPath, [programFile(), "chat", "mock", "-p", "count"], { stdio: "pipe" });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      stderr += piece;
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    await once(child, "close");
    expect({ code: child.exitCode, stderr }).toEqual({ code: 1, stderr: "" });
  });
});
