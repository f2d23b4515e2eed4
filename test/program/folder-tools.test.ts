// Agents that work in a folder: `--cwd`.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MockCodebuffBackend, MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { Terminal } from "../tui/support/terminal.ts";
import { leave, over, send } from "../tui/support/user.ts";
import { agentwire, emptyFolder } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

async function project() {
  const folder = await emptyFolder();
  await writeFile(join(folder.path, "greeting.txt"), "Hello, wrld!\n");
  return folder;
}

const EDIT = { path: "greeting.txt", replacements: [{ old: "wrld", new: "world" }] };

test("an agent that runs in the program reads its folder, and asks before it edits", async () => {
  await using backend = await MockCodebuffBackend.start({
    openAiCompatible: true,
    answer: ({ request: { messages } }) => {
      const results = messages.filter(({ role }) => role === "tool").length;
      if (results === 0)
        return { toolCalls: [{ name: "read_files", arguments: { paths: ["greeting.txt"] } }] };
      if (results === 1) return { toolCalls: [{ name: "str_replace", arguments: EDIT }] };
      return "That was all.";
    },
  });
  await using folder = await project();
  const args = [
    "chat",
    "run",
    "--url",
    `${backend.url}/v1`,
    "--model",
    "a-model",
    "--cwd",
    folder.path,
    "-p",
    "Mend it.",
  ];
  const env = { OPENAI_API_KEY: backend.apiKey };
  const denied = await agentwire(args, { env });
  expect(denied).toMatchObject({ code: 3, stderr: expect.stringContaining("Denied: str_replace.") });
  expect(await readFile(join(folder.path, "greeting.txt"), "utf8")).toBe("Hello, wrld!\n");
  const allowed = await agentwire([...args, "--allow", "str_replace"], { env });
  expect(allowed).toMatchObject({ code: 0, stdout: "That was all.\n" });
  expect(await readFile(join(folder.path, "greeting.txt"), "utf8")).toBe("Hello, world!\n");
});

test("a Codebuff backend needs its key", async () => {
  await using backend = await MockCodebuffBackend.start({ answer: ["Hello."] });
  const args = ["chat", "run", "--url", backend.url, "-p", "x"];
  expect(await agentwire(args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("CODEBUFF_API_KEY"),
  });
});

test("a Codebuff server's agent gets the tools of the folder", async () => {
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    answer: function* () {
      const [read] = yield* step.toolCall({ toolName: "read_files", input: { paths: ["greeting.txt"] } });
      const [edited] = yield* step.toolCall({ toolName: "str_replace", input: EDIT });
      yield `${JSON.stringify(read)} ${JSON.stringify(edited)}`;
    },
  });
  await using folder = await project();
  const args = ["chat", "codebuff", "--url", server.url, "--cwd", folder.path, "-p", "x"];
  const { code, stdout } = await agentwire([...args, "--allow", "str_replace"], {
    env: { CODEBUFF_API_KEY: "a-token" },
  });
  expect(code).toBe(0);
  expect(stdout).toContain("Hello, wrld!");
  expect(await readFile(join(folder.path, "greeting.txt"), "utf8")).toBe("Hello, world!\n");
});

test("the screen of a run shows a plan, a change and a failed command as a person reads them, and takes the change back", async () => {
  const todos = [{ task: "Mend the greeting", completed: true }];
  const calls = [
    { name: "write_todos", arguments: { todos } },
    { name: "str_replace", arguments: EDIT },
    { name: "run_terminal_command", arguments: { command: "cat greeting.txt; exit 3" } },
  ];
  await using backend = await MockCodebuffBackend.start({
    openAiCompatible: true,
    answer: ({ request: { messages } }) => {
      const call = calls[messages.filter(({ role }) => role === "tool").length];
      return call ? { toolCalls: [call] } : "That was all.";
    },
  });
  await using folder = await project();
  const args = ["chat", "run", "--url", `${backend.url}/v1`, "--model", "a-model", "--cwd", folder.path];
  await using terminal = await Terminal.start(programFile(), {
    args,
    env: { OPENAI_API_KEY: backend.apiKey },
  });
  const file = join(folder.path, "greeting.txt");
  await terminal.until("ready");
  await send(terminal, "Mend it.");
  await terminal.until(/Mend the greeting[\s\S]*wants to use str_replace[\s\S]*y once/);
  terminal.type("y");
  await terminal.until(/wants to use run_terminal_command\n.*\$ cat greeting\.txt; exit 3\n[\s\S]*y once/);
  expect(terminal.screen().join("\n")).toMatch(/do not ask again for: this command in the project/);
  terminal.type("y");
  await terminal.until("That was all.");
  await over(terminal);
  const shown = terminal.screen().join("\n");
  expect(shown).toMatch(/✓ Edit greeting\.txt is done/);
  expect(shown).toMatch(/✗ Run cat greeting\.txt; exit 3 exit code 3\n.*│ Hello, world!\n/);
  expect(shown).not.toMatch(/stdout|unifiedDiff|process_type/);
  expect(await readFile(file, "utf8")).toBe("Hello, world!\n");
  await send(terminal, "/undo");
  await terminal.until("taken back: greeting.txt");
  expect(await readFile(file, "utf8")).toBe("Hello, wrld!\n");
  await send(terminal, "/undo");
  await terminal.until("nothing to take back");
  await leave(terminal);
});
