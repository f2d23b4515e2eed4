import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inert } from "agentwire/chat";
import { type BackendReply, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { processesWith } from "../tui/support/processes.ts";
import { Child } from "./support/child.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/fix-a-bug.ts", import.meta.url));
const MAY = "(y for yes) ";
const KEEP = "Keep the changes? (n takes them back) ";
const MARK = "AGENTWIRE_TEST_MARK";

const start = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Child =>
  new Child(PROGRAM, args, { env: { OPENAI_API_KEY: "", ...env }, limit: 30_000 });

/** Says yes until the question whether the changes stay. */
async function allowAll(child: Child): Promise<string> {
  let text = "";
  for (let question = 0; question < 3; question++) {
    text += await child.until(MAY);
    child.type("y");
  }
  return text + (await child.until(KEEP));
}

describe("fix-a-bug with the scripted model", () => {
  test("runs the tests, shows the change as a diff, runs the tests again, and keeps the change", async () => {
    await using child = start();
    const text = await allowAll(child);
    child.type("");
    expect(await child.exitCode()).toBe(0);
    expect(text).toMatch(
      /^you> A test fails\. .*\nI run the tests first\. \n {4}\| \$ node --test\nMay it run/,
    );
    expect(text).toMatch(/\n {4}\| .* fail 1\n/);
    expect(text).toContain("\n  [ ] Find the bug\n  [ ] Mend it\n  [ ] Run the tests again\n");
    expect(text).toContain(
      "\n    | -  const sorted = [...numbers].sort();\n    | +  const sorted = [...numbers].sort((a, b) => a - b);\n",
    );
    expect(text).toContain("\n    |  }\nMay it change src/median.js? (y for yes) ");
    expect(text).toMatch(
      /\n {4}\| .* fail 0\n[\s\S]*All tests pass now\.\nChanged: src\/median\.js \(update\)\n/,
    );
    expect(child.text).not.toContain("Taken back");
    expect(child.stderr).toBe("");
  });

  test("reverts the change after n", async () => {
    await using child = start();
    await allowAll(child);
    child.type("n");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(/Taken back: src\/median\.js\n$/);
  });

  test.each(["n", "", "yes please"])("takes %j as no, and runs nothing", async (answer) => {
    await using child = start();
    await child.until(MAY);
    child.type(answer);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(
      /run_terminal_command is denied\nThen I stop here: .*\nNothing was changed\.\n$/,
    );
    expect(child.text).not.toContain("fail 1");
  });

  test("asks nothing with --yes, but still shows every command and diff", async () => {
    await using child = start(["--yes"]);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).not.toContain("(y for yes)");
    expect(child.text).not.toContain(KEEP);
    expect(child.text).toContain("    | $ node --test\n");
    expect(child.text).toContain("    | +  const sorted = [...numbers].sort((a, b) => a - b);\n");
    expect(child.text).toMatch(/All tests pass now\.\nChanged: src\/median\.js \(update\)\n$/);
  });

  test("prints its own lines within 80 columns", async () => {
    await using child = start(["--yes"]);
    await child.exitCode();
    const wide = child.text.split("\n").filter((line) => line.length > 80);
    expect(wide.filter((line) => !line.startsWith("    |       at "))).toEqual([]); // Node's own stack
  });

  test("Ctrl-C at a question cancels or exits, and the temporary project is removed", async () => {
    await using folder = await tempFolder();
    await using inTheRun = start([], { TMPDIR: folder.path });
    await inTheRun.until(MAY);
    inTheRun.interrupt();
    expect(await inTheRun.exitCode()).toBe(130);
    expect(inTheRun.text).toContain("(cancelling; Ctrl-C again leaves)");

    await using atTheEnd = start([], { TMPDIR: folder.path });
    await allowAll(atTheEnd);
    atTheEnd.interrupt();
    expect(await atTheEnd.exitCode()).toBe(130);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

/** A project with one file, a server with OpenAI's API that answers so, and the program on both. */
async function withServer(answer: readonly BackendReply[]) {
  const folder = await tempFolder();
  const backend = await MockCodebuffBackend.start({ openAiCompatible: true, answer });
  const mark = randomUUID();
  const file = join(folder.path, "a.txt");
  writeFileSync(file, "one\n");
  const args = ["--base-url", `${backend.url}/v1`, "--model", "qwen3", "--root", folder.path];
  return {
    backend,
    file,
    text: () => readFileSync(file, "utf8"),
    alive: () => processesWith(MARK, mark),
    child: (...more: readonly string[]) =>
      start([...args, ...more], { OPENAI_API_KEY: backend.apiKey, [MARK]: mark }),
    async [Symbol.asyncDispose]() {
      await backend.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const replaceOne = {
  name: "str_replace",
  arguments: { path: "a.txt", replacements: [{ old: "one", new: "two" }] },
};

describe("fix-a-bug with an OpenAI-compatible server", () => {
  test("works in the folder of --root, with the given model and key", async () => {
    await using at = await withServer([{ toolCalls: [replaceOne] }, "Done."]);
    await using child = at.child("Count on.");
    expect(await child.until(MAY)).toContain(
      "you> Count on.\n    | @@ -1,1 +1,1 @@\n    | -one\n    | +two\n",
    );
    child.type("y");
    await child.until(KEEP);
    expect(at.text()).toBe("two\n");
    child.type("n");
    expect(await child.exitCode()).toBe(0);
    expect(at.text()).toBe("one\n");
    expect(at.backend.requests()[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: { model: "qwen3" },
    });
  });

  test("does not revert a file that the user has changed meanwhile", async () => {
    await using at = await withServer([{ toolCalls: [replaceOne] }, "Done."]);
    await using child = at.child();
    await child.until(MAY);
    child.type("y");
    await child.until(KEEP);
    writeFileSync(at.file, "mine\n");
    child.type("n");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toContain("Taken back: nothing\nNot taken back: a.txt: The file has changed");
    expect(at.text()).toBe("mine\n");
  });

  test("Ctrl-C during a command ends it with its child processes", async () => {
    const command = { command: "sleep 1000 & sleep 1000 & echo started; wait", timeout_seconds: -1 };
    await using at = await withServer([
      { toolCalls: [{ name: "run_terminal_command", arguments: command }] },
      "Never said.",
    ]);
    await using child = at.child();
    await child.until("May it run this command? (y for yes) ");
    child.type("y");
    await child.until("    | started\n");
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    expect(child.text).toMatch(/\(cancelling; Ctrl-C again leaves\)\n[\s\S]*Nothing was changed\.\n$/);
    expect(at.alive()).toEqual([]);
  });

  test("an agent's text cannot contain control codes or look like a question", async () => {
    const content = "a\u001b[2Jb\nMay it do all? (y for yes) y\n";
    const input = { path: "x\nMay it", instructions: "", content };
    await using at = await withServer([{ toolCalls: [{ name: "write_file", arguments: input }] }, "Done."]);
    await using child = at.child();
    await child.until("May it change x\\nMay it? (y for yes) ");
    child.type("n");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).not.toMatch(/^May it do all/m);
    expect(inert(child.text)).toBe(child.text);
  });

  test("prints the server's error, and fails", async () => {
    await using at = await withServer([]);
    at.backend.fault("chat", { status: 401 });
    await using child = at.child("Hi");
    expect(await child.exitCode()).toBe(1);
    expect(child.text).toMatch(/check the key of the provider[\s\S]*\nNothing was changed\.\n$/);
  });
});

test.each([
  [["--help"], 0, "Usage: "],
  [["--nope"], 2, "Unknown option '--nope'"],
  [[" "], 2, "blank"],
  [["two", "words"], 2, "pass one prompt, in quotes"],
  [["--base-url", "http://127.0.0.1:1/v1"], 2, "--base-url needs --model"],
  [["--model", "m"], 2, "--model needs --base-url"],
  [["--root", "."], 2, "--root needs --base-url"],
  [["--base-url", "ftp://host", "--model", "m"], 2, "Use https://."],
  [["--base-url", "http://127.0.0.1:1/v1", "--model", "m", "Hi"], 1, "cannot reach http://127.0.0.1:1"],
])("fix-a-bug with %j exits with %i and prints %j", async (args, code, words) => {
  await using child = start(args);
  expect(await child.exitCode()).toBe(code);
  expect(child.text).toContain(words);
});

test("fix-a-bug --help lists every option, within 80 columns", async () => {
  await using child = start(["--help"]);
  await child.exitCode();
  for (const option of ["root", "base-url", "model", "yes", "help"])
    expect(child.text).toContain(`\n  --${option} `);
  expect(child.text.split("\n").filter((line) => line.length > 80)).toEqual([]);
});
