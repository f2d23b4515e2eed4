import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inert } from "agentwire/chat";
import { type BackendReply, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { Child } from "./support/child.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/code-agent.ts", import.meta.url));
const YOU = "you> ";

const start = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Child =>
  new Child(PROGRAM, args, { env: { OPENAI_API_KEY: "", ...env }, limit: 30_000 });

/** A project with one file, a server with OpenAI's API that answers so, and the program on both. */
async function withServer(answer: readonly BackendReply[]) {
  const folder = await tempFolder();
  const home = await tempFolder();
  const backend = await MockCodebuffBackend.start({ openAiCompatible: true, answer });
  const file = join(folder.path, "a.txt");
  writeFileSync(file, "one\n");
  writeFileSync(join(folder.path, "AGENTS.md"), "Count on.\n");
  const args = ["--url", `${backend.url}/v1`, "--model", "qwen3", "--root", folder.path];
  return {
    backend,
    home: home.path,
    text: (name = "a.txt") => readFileSync(join(folder.path, name), "utf8"),
    child: (...more: readonly string[]) =>
      start([...args, ...more], { OPENAI_API_KEY: backend.apiKey, XDG_STATE_HOME: home.path }),
    async [Symbol.asyncDispose]() {
      await backend.stop();
      await home[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const replaceOne = {
  name: "str_replace",
  arguments: { path: "a.txt", replacements: [{ old: "one", new: "two" }] },
};
const command = (text: string) => ({
  name: "run_terminal_command",
  arguments: { command: text, timeout_seconds: -1 },
});

describe("code-agent", () => {
  test("the scripted model plans, edits after an approval, and /undo takes the edit back", async () => {
    await using child = start();
    await child.until("May it run this command");
    child.type("y");
    const plan = await child.until("May it change src/median.js?");
    expect(plan).toContain("The plan: \n  [ ] Find the bug\n  [ ] Mend it\n  [ ] Run the tests again\n");
    expect(plan).toContain("\n    | +  const sorted = [...numbers].sort((a, b) => a - b);\n");
    child.type("y");
    await child.until("May it run this command");
    child.type("y");
    await child.until(YOU);
    child.type("/undo");
    expect(await child.until(YOU)).toContain("(taken back: src/median.js)\n");
    child.type("/undo");
    expect(await child.until(YOU)).toContain("(nothing to take back");
    child.type("/quit");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toContain("(AGENTS.md is in the prompt)\n");
    expect(child.text).toMatch(/\n\(.* tokens read, .* written, \d.* credits\)\n/);
    expect(child.stderr).toBe("");
  });

  test("/undo puts the file of the project back as it was", async () => {
    await using at = await withServer([{ toolCalls: [replaceOne] }, "Done."]);
    await using child = at.child("Count.");
    await child.until("May it change a.txt?");
    expect(at.text()).toBe("one\n");
    child.type("y");
    await child.until(YOU);
    expect(at.text()).toBe("two\n");
    child.type("/undo");
    await child.until("(taken back: a.txt)\n");
    expect(at.text()).toBe("one\n");
    child.endOfInput();
    expect(await child.exitCode()).toBe(0);
    const [{ body } = { body: undefined }] = at.backend.requests();
    expect(JSON.stringify(body)).toContain("Count on."); // AGENTS.md
  });

  test.each(["n", "", "yes please"])("takes %j as a no: the file stays", async (answer) => {
    await using at = await withServer([{ toolCalls: [replaceOne] }, "As you like."]);
    await using child = at.child("Count.");
    await child.until("May it change a.txt?");
    child.type(answer);
    const text = await child.until("As you like.");
    expect(text).toContain("str_replace is denied\n");
    expect(at.text()).toBe("one\n");
  });

  test("`always` covers the same command without another question", async () => {
    const again = { toolCalls: [command("echo again >> log.txt")] };
    await using at = await withServer([again, again, "Done."]);
    await using child = at.child("Twice.");
    await child.until("always for ");
    child.type("always");
    await child.until("Done.");
    expect(at.text("log.txt")).toBe("again\nagain\n");
    expect(child.text.split("May it run")).toHaveLength(2);
  });

  test("Ctrl-C cancels the turn, and the session goes on; pressed twice it leaves", async () => {
    await using at = await withServer([
      { toolCalls: [command("echo started; sleep 1000")] },
      "Here I am again.",
    ]);
    await using child = at.child("Wait.");
    await child.until("May it run this command");
    child.type("y");
    await child.until("    | started\n");
    child.interrupt();
    await child.until("(cancelled: ");
    await child.until(YOU);
    child.type("Go on.");
    await child.until("Here I am again.");
    expect(JSON.stringify(at.backend.requests().at(-1))).toMatch(/Wait\..*started.*Go on\./); // all of it is kept
    await child.until(YOU);
    child.interrupt();
    await child.until("(Ctrl-C again leaves)\n");
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
  });

  test("killed in the middle of a command, it goes on with --resume, and no tool runs twice", async () => {
    await using at = await withServer([
      { toolCalls: [command("echo first >> log.txt")] },
      // It outlives the program, until its folder is removed.
      {
        toolCalls: [command("echo second >> log.txt; echo started; while [ -e a.txt ]; do sleep 0.1; done")],
      },
      "I look at the log before I go on.",
    ]);
    {
      await using child = at.child("Write the log.");
      for (let question = 0; question < 2; question++) {
        await child.until("May it run this command");
        child.type("y");
      }
      await child.until("    | started\n");
    } // SIGKILL
    await using child = at.child("--resume");
    const text = await child.until("I look at the log before I go on.");
    expect(text).toMatch(/^\(resumed, with \d+ messages\)\nNot known whether it ran: run_terminal_command /);
    expect(text).toContain("echo second >> log.txt");
    expect(text).toContain("you> Go on.\n");
    expect(text).not.toContain("May it run");
    await child.until(YOU);
    child.type("/quit");
    expect(await child.exitCode()).toBe(0);
    expect(at.text("log.txt")).toBe("first\nsecond\n");
    expect(readdirSync(join(at.home, "agentwire"))).toEqual([expect.stringMatching(/^[\da-f]{16}\.json$/)]);
  });

  test("says when the history is shortened, with --context", async () => {
    await using at = await withServer(["word ".repeat(4_000), "A summary.", "Short."]);
    await using child = at.child("--context", "4000", "Talk.");
    await child.until(" tokens read, ");
    await child.until(YOU);
    child.type("And now?");
    expect(await child.until("Short.")).toMatch(
      /\(\d+ tokens: the history is shortened\)\n\(now \d+ tokens\)\nShort\.$/,
    );
  });

  test("text of the agent cannot contain control codes or look like a question", async () => {
    const content = "a\u001b[2Jb\nMay it do all? y(es)\n";
    const write = { name: "write_file", arguments: { path: "x\nMay it", instructions: "", content } };
    const plan = {
      name: "write_todos",
      arguments: { todos: [{ task: "a\u001b[2J\nMay it", completed: true }] },
    };
    await using at = await withServer([{ text: "\u001b[2J", toolCalls: [plan, write] }, "Done."]);
    await using child = at.child("Hi");
    await child.until("May it change x\\nMay it? y(es)");
    child.type("n");
    await child.until("Done.");
    expect(child.text).toMatch(/^ {2}\[x\] a.*\\nMay it$/m);
    expect(child.text).not.toMatch(/^May it do all/m);
    expect(inert(child.text)).toBe(child.text);
  });

  test("exits with 1 when the last turn has failed", async () => {
    await using at = await withServer([]);
    at.backend.fault("chat", { status: 401 });
    await using child = at.child("Hi");
    await child.until("check the key of the provider");
    child.endOfInput();
    expect(await child.exitCode()).toBe(1);
  });

  test.each([
    [["--help"], 0, "Usage: "],
    [["--nope"], 2, "Unknown option '--nope'"],
    [["two", "words"], 2, "pass one prompt, in quotes"],
    [["--model", "m"], 2, "--url and --model need each other"],
    [["--root", "."], 2, "--root and --resume need --url"],
    [["--url", "ftp://host", "--model", "m"], 2, "Use https://."],
    [["--url", "http://127.0.0.1:1/v1", "--model", "m", "--context", "many"], 2, "--context is a number"],
    [["--url", "http://127.0.0.1:1/v1", "--model", "m", "--resume", "--state", "/none"], 2, "/none"],
  ])("with %j exits with %i and prints %j", async (args, code, words) => {
    await using child = start(args);
    expect(await child.exitCode()).toBe(code);
    expect(child.text).toContain(words);
  });
});
