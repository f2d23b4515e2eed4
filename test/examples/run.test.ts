import { fileURLToPath } from "node:url";
import { inert } from "agentwire/chat";
import { MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { Child } from "./support/child.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/run.ts", import.meta.url));
const MAY = "(y for yes) ";
const NO_KEYS = { CODEBUFF_API_KEY: "", OPENAI_API_KEY: "" };

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Child =>
  new Child(PROGRAM, args, { env: { ...NO_KEYS, ...env } });

describe("the run example with the scripted model", () => {
  test("streams, asks before the tool runs, and passes the state to the second prompt", async () => {
    await using child = run([]);
    expect(await child.until(MAY)).toBe(
      "you> What is in this folder?\nLet me look around. \nMay it run list_folder {}? (y for yes) ",
    );
    child.type("y");
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(
      /list_folder is done\nThere are \d+ names here\.\n\(2 answers of the model, 4 credits\)\nyou> What did I ask you\?\nBefore that you asked: What is in this folder\? .*\n\(1 answer of the model, 2 credits\)\n$/,
    );
    expect(child.stderr).toBe("");
  });

  test.each(["n", "", "yes please"])("takes %j as no", async (answer) => {
    await using child = run(["Look."]);
    await child.until(MAY);
    child.type(answer);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toMatch(/list_folder is denied\nAs you like: I have looked at nothing\.\n/);
  });

  test("Ctrl-C cancels during a question", async () => {
    await using child = run(["Look."]);
    await child.until(MAY);
    child.interrupt();
    expect(await child.exitCode()).toBe(130);
    expect(child.text).toContain("(cancelling; Ctrl-C again leaves)");
  });
});

/** A server with OpenAI's API, and the program on it. */
async function withServer(options: MockCodebuffBackendOptions, ...more: readonly string[]) {
  const backend = await MockCodebuffBackend.start({ openAiCompatible: true, ...options });
  const args = ["--base-url", `${backend.url}/v1`, "--model", "qwen3", ...more];
  return {
    backend,
    child: (key: string) => run(args, { OPENAI_API_KEY: key, CODEBUFF_API_KEY: "not for this server" }),
    [Symbol.asyncDispose]: () => backend.stop(),
  };
}

describe("the run example with an OpenAI-compatible server", () => {
  test("requests only that server, with the given model and key", async () => {
    await using at = await withServer({ answer: ["Hello."] }, "Hi");
    await using child = at.child(at.backend.apiKey);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toBe("you> Hi\nHello.\n(1 answer of the model, 20 tokens written)\n");
    expect(at.backend.requests().map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
    expect(at.backend.requests()[0]?.body).toMatchObject({ model: "qwen3" });
  });

  test("prints the server's error, and fails", async () => {
    await using at = await withServer({}, "Hi");
    await using child = at.child("wrong-key");
    expect(await child.exitCode()).toBe(1);
    expect(child.text).toMatch(/check the key of the provider/);
    expect(child.text).not.toContain("wrong-key");
  });

  test("removes control codes from the model's text", async () => {
    await using at = await withServer({ answer: ["a\u001b[2Jb"] }, "Hi");
    await using child = at.child(at.backend.apiKey);
    expect(await child.exitCode()).toBe(0);
    expect(child.text).toContain("\nab\n");
    expect(inert(child.text)).toBe(child.text);
  });
});

test.each([
  [["--help"], 0, "Usage: "],
  [["--nope"], 2, "Unknown option '--nope'"],
  [[" "], 2, "blank"],
  [["--base-url", "http://127.0.0.1:1/v1"], 2, "--base-url needs --model"],
  [["--base-url", "ftp://host", "--model", "m"], 2, "Use https://."],
  [["--base-url", "http://127.0.0.1:1/v1", "--model", "m", "Hi"], 1, "cannot reach http://127.0.0.1:1"],
  [["--codebuff", "--base-url", "http://127.0.0.1:1/v1"], 2, "not both"],
  [["--model", "m"], 2, "--model needs --base-url or --codebuff"],
  [["--nope"], 2, "Try --help."],
  [["--codebuff", "Hi"], 2, "set CODEBUFF_API_KEY in the environment"],
])("run with %j exits with %i and prints %j", async (args, code, words) => {
  await using child = run(args);
  expect(await child.exitCode()).toBe(code);
  expect(child.text).toContain(words);
});

test("run --help lists every option", async () => {
  await using child = run(["--help"]);
  await child.exitCode();
  for (const option of ["base-url", "codebuff", "model", "help"])
    expect(child.text).toContain(`\n  --${option} `);
});
