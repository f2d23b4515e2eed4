// What the program says to a call: help, and what cannot work.
import { describe, expect, test } from "vitest";
import { agentwire } from "./support/program.ts";

describe("help", () => {
  test.each([
    [[], "Commands:"],
    [["--help"], "Exit codes:"],
    [["-h"], "agentwire chat mock"],
    [["chat", "--help"], "--ask-stdio"],
    [["chat", "codey", "-h"], "Options of backends:"],
    [["serve", "--help"], "--log <file|memory|redis>"],
    [["mock", "--help"], "--switch <name=value>"],
    [["tap", "--help"], "agentwire tap [options] [-- command ...]"],
    [["check", "--help"], "agentwire check [file] [options]"],
    [["doctor", "--help"], "Options of backends:"],
  ])("%j prints a text with %j, and lines of at most 100 columns", async (args, words) => {
    const { code, stdout, stderr } = await agentwire(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(words);
    expect(stdout).toContain("Examples:");
    expect(stdout.split("\n").filter((line) => line.length > 110)).toEqual([]);
  });

  test("--help --json prints the commands for programs", async () => {
    const { stdout } = await agentwire(["serve", "--help", "--json"]);
    const { commands, exit_codes } = JSON.parse(stdout);
    expect(commands).toHaveLength(1);
    expect(commands[0].options).toContainEqual(expect.objectContaining({ flags: "--port <number>" }));
    expect(exit_codes[3]).toContain("denied");
    expect(exit_codes[130]).toMatch(
      /^interrupted: Ctrl-C; another signal: .* or 0 if that signal ends serve/,
    );
  });
});

describe("a wrong call exits with 2, and says what to do", () => {
  test.each([
    [["chta"], "Did you mean `chat`?"],
    [["chat"], "needs <backend>"],
    [["chat", "cody"], "Did you mean `codey`?"],
    [["chek"], "Did you mean `check`?"],
    [["check", "a", "b"], "one word too many"],
    [["check", "a", "--", "b"], "takes nothing behind --"],
    [["check", "--liv"], "Did you mean `--live`?"],
    [["chat", "nothing-like-it"], "These exist: mock, codebuff"],
    [["chat", "mock", "--promt", "x"], "Did you mean `--prompt`?"],
    [["--nope"], "option `--nope` does not exist"],
    [["chat", "mock", "-x"], "option `-x` does not exist"],
    [["chat", "mock", "--url", "ws://127.0.0.1:1"], "mock has no option --url"],
    [["chat", "mock", "gemini"], "mock takes no further words"],
    [["chat", "mock", "Hello"], 'Pass a prompt with -p "Hello".'],
    [["serve", "mock", "gemini"], "write agentwire serve acp -- gemini --acp"],
    [["chat", "mock", "--", "gemini"], "agentwire chat acp -- gemini"],
    [["chat", "mock", "a", "b"], "one word too many"],
    [["chat", "codey", "-p", "x"], "--url is missing"],
    [["chat", "mock", "--timeout", "soon"], "Pass a number from"],
    [["chat", "mock", "--timeout"], "--timeout has no value"],
    [["chat", "mock", "--output", "yaml"], "Pass one of text, json, stream-json"],
    [["chat", "mock", "--output", "text", "--output", "json"], "--output is there twice"],
    [["chat", "mock", "--json=yes"], "--json takes no value"],
    [["chat", "mock", "-p", ""], "The prompt is blank"],
    [["chat", "mock", "--ask-stdio"], "Pass the prompt with -p"],
    [["chat", "mock", "-p", "x", "--ask-stdio", "--output", "json"], "shows requests as events"],
    [["chat", "mock", "-c", "--session", "a", "-p", "x"], "both given"],
    [["chat", "mock", "-c", "-p", "x"], "There is no chat with mock"],
    [["chat", "mock", "-c", "-p", "x"], "Begin one: agentwire chat mock --session main."],
    [["chat", "cli", "-c", "-p", "x"], "Begin one: agentwire chat cli."],
    [["chat", "mock", "--session", "../x", "-p", "x"], "The name of a session cannot be"],
    [["chat", "cli", "--allow", "x", "-p", "x"], "asks for no permission"],
    [["chat", "acp", "-p", "x"], "Pass a usual one (gemini, claude"],
    [["chat", "acp", "gemnii", "-p", "x"], "Did you mean `gemini`?"],
    [["serve", "mock", "--port", "65536"], "Pass a number from 0 to 65535"],
    [["serve", "remote"], "A relay cannot serve a relay"],
    [["serve", "mock", "--log", "redis"], "AGENTWIRE_REDIS_URL"],
    [["serve", "mock", "--log", "redis://127.0.0.1"], "--log takes no address"],
  ])("%j", async (args, words) => {
    const { code, stdout, stderr } = await agentwire(args);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/^agentwire|^\{"error"/);
    expect(stderr).not.toContain("    at ");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test("with --json, as an object", async () => {
    const { code, stderr } = await agentwire(["chat", "cody", "--json"]);
    expect(JSON.parse(stderr).error).toMatchObject({ exit_code: code, next: "Did you mean `codey`?" });
  });

  test("with a stack only if AGENTWIRE_DEBUG is set", async () => {
    const { stderr } = await agentwire(["chat", "cody"], { env: { AGENTWIRE_DEBUG: "1" } });
    expect(stderr).toContain("    at ");
  });
});

describe("a secret in an argument is refused, and not repeated", () => {
  test.each([
    [["chat", "cass", "--token", "s3cr3t"]],
    [["chat", "run", "--api-key=s3cr3t"]],
    [["chat", "codebuff", "--auth-token", "s3cr3t"]],
    [["chat", "remote", "--password", "s3cr3t"]],
    [["chat", "codey", "--url", "ws://ada:s3cr3t@127.0.0.1:1/"]],
    [["chat", "codey", "--url", "ws://127.0.0.1:1/?token=s3cr3t"]],
  ])("%j", async (args) => {
    const { code, stderr } = await agentwire(args);
    expect(code).toBe(2);
    expect(stderr).toContain("can read the arguments of a process");
    expect(stderr).not.toContain("s3cr3t");
  });

  test("an address without a model says that --model may be what is missing", async () => {
    const { code, stderr } = await agentwire(["chat", "run", "--url", "http://127.0.0.1:1", "-p", "x"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/pass --model in place of the key\. Set CODEBUFF_API_KEY/);
  });

  test("one that is missing is asked for by the name of its variable", async () => {
    const { code, stderr } = await agentwire(["chat", "cass", "--url", "ws://127.0.0.1:1", "-p", "x"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Set CASS_TOKEN in the environment");
  });

  test("but a prompt may quote an address with one", async () => {
    const { code, stdout } = await agentwire(["chat", "mock", "-p", "ask ws://ada:pass@host/"]);
    expect(code).toBe(0);
    expect(stdout).toContain("ada:pass@host");
  });
});
