import { randomUUID } from "node:crypto";
import type { CodebuffClientOptions } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { json, original } from "../../helpers/codebuff-requests.ts";
import { processesWith } from "../../tui/support/processes.ts";
import { type FolderWorld, folderWorld } from "./tools-world.ts";

// The same tools as the handlers of a client of a Codebuff server.

/** A client whose handlers are the tools, and a server that follows the script. */
const withServer = (
  { tools }: FolderWorld,
  answer: () => Iterable<Step>,
  options: Partial<CodebuffClientOptions> = {},
) => original({ tools: tools.handlers, onReadFiles: tools.readFiles, ...options }, answer);

const file = (path: string, content: string) => ({
  toolName: "write_file",
  input: { type: "file", path, content },
});

const patch = (path: string, content: string) => ({
  toolName: "str_replace",
  input: { type: "patch", path, content },
});

test("a server writes whole files and patches, and the turn can be taken back", async () => {
  await using folder = await folderWorld({ "a.txt": "hello\n" });
  const outputs: unknown[] = [];
  await using pair = await withServer(folder, function* () {
    outputs.push(yield* step.toolCall(file("n.txt", "new\n")));
    outputs.push(yield* step.toolCall(patch("a.txt", "@@ -1,1 +1,1 @@\n-hello\n+HELLO\n")));
    outputs.push(yield* step.toolCall(patch("a.txt", "@@ -1,1 +1,1 @@\n-hello\n+HELLO\n")));
    outputs.push(yield* step.toolCall(file("../n.txt", "new\n")));
  });
  const turn = pair.client.prompt("go");
  await turn.result;
  expect(outputs).toMatchObject([
    json({ file: "n.txt", message: "Created new file" }),
    json({ file: "a.txt", message: "Updated file", unifiedDiff: expect.stringContaining("+HELLO") }),
    json({ file: "a.txt", errorMessage: "The patch does not fit the file. Read the file again." }),
    json({ file: "../n.txt", errorMessage: "file path contains invalid path traversal" }),
  ]);
  expect([await folder.text("n.txt"), await folder.text("a.txt")]).toEqual(["new\n", "HELLO\n"]);
  expect(await folder.tools.changes(turn).revert()).toEqual({ reverted: ["a.txt", "n.txt"], conflicts: [] });
  expect(await folder.text("a.txt")).toBe("hello\n");
  expect(pair.server.violations).toEqual([]);
});

test("`preview` shows the edit of a server before the user decides", async () => {
  await using folder = await folderWorld({ "a.txt": "hello\n" });
  const shown: (string | undefined)[] = [];
  let output: unknown;
  await using pair = await withServer(
    folder,
    function* () {
      output = yield* step.toolCall(patch("a.txt", "@@ -1,1 +1,1 @@\n-hello\n+HELLO\n"));
    },
    {
      toolPolicy: [{ tool: "read_files", then: "allow" }],
      onToolApproval: async (call) => {
        shown.push(await folder.tools.preview(call));
        return false;
      },
    },
  );
  await pair.client.prompt("go").result;
  expect(shown).toEqual([expect.stringContaining("-hello\n+HELLO\n")]);
  expect(output).toEqual(json({ errorMessage: "denied by the user" }));
  expect(await folder.text("a.txt")).toBe("hello\n");
});

test("a server reads texts, and gets null for missing and protected files", async () => {
  await using folder = await folderWorld({ "a.txt": "hello\n", ".env": "KEY=secret\n" });
  let files: unknown;
  await using pair = await withServer(folder, function* () {
    files = yield* step.readFiles(["a.txt", "missing.txt", ".env", "../x", "/etc/passwd"]);
  });
  await pair.client.prompt("go").result;
  expect(files).toEqual({
    "a.txt": "hello\n",
    "missing.txt": null,
    ".env": null,
    "../x": null,
    "/etc/passwd": null,
  });
});

test("a server reads 2 Mi characters per request, each file once, and gets null for the rest", async () => {
  const large = "x".repeat(1_048_576);
  await using folder = await folderWorld({ a: large, b: large.slice(1), c: "12", d: "1" });
  const texts = await folder.tools.readFiles(["a", "a", "b", "c", "d"]);
  const sizes = Object.entries(texts).map(([path, text]) => [path, text?.length ?? null]);
  expect(sizes).toEqual([
    ["a", 1_048_576],
    ["b", 1_048_575],
    ["c", null],
    ["d", 1],
  ]);
});

test("a server runs a command, with fields that only servers send", async () => {
  await using folder = await folderWorld({}, { terminal: true });
  let output: unknown;
  await using pair = await withServer(folder, function* () {
    const input = {
      command: "echo hi; exit 2",
      mode: "assistant",
      process_type: "SYNC",
      timeout_seconds: 5,
    };
    output = yield* step.toolCall({ toolName: "run_terminal_command", input });
  });
  await pair.client.prompt("go").result;
  expect(output).toEqual(json({ command: "echo hi; exit 2", stdout: "hi\n", exitCode: 2 }));
});

test("an invalid input gives an error result with the reason", async () => {
  await using folder = await folderWorld();
  const outputs: unknown[] = [];
  await using pair = await withServer(folder, function* () {
    outputs.push(yield* step.toolCall({ toolName: "read_files", input: { paths: 5 } }));
    outputs.push(
      yield* step.toolCall({ toolName: "write_file", input: { type: "patch", path: 5, content: "" } }),
    );
  });
  await pair.client.prompt("go").result;
  for (const [at, name] of ["read_files", "write_file"].entries())
    expect(outputs[at]).toEqual(
      json({ errorMessage: expect.stringContaining(`Invalid parameters for ${name}`) }),
    );
});

test("a cancel of the prompt ends the command that a server has started", async () => {
  const mark = randomUUID();
  await using folder = await folderWorld({}, { terminal: { env: { AGENTWIRE_TEST_MARK: mark } } });
  let tell = (_output: string): void => {};
  const started = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const ends: Promise<unknown>[] = [];
  const { run_terminal_command: run } = folder.tools.handlers;
  if (!run) throw new Error("there is no terminal");
  await using pair = await original(
    {
      tools: {
        run_terminal_command: (call, context) => {
          const end = run(call, { ...context, onProgress: tell });
          ends.push(end);
          return end;
        },
      },
    },
    function* () {
      const input = { command: "sleep 1000 & echo started; wait", timeout_seconds: -1 };
      yield* step.toolCall({ toolName: "run_terminal_command", input });
    },
  );
  const turn = pair.client.prompt("go");
  expect(await started).toContain("started");
  await turn.cancel();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  await Promise.all(ends);
  expect(processesWith("AGENTWIRE_TEST_MARK", mark)).toEqual([]);
});
