import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CodebuffRun, type CodebuffRunOptions } from "agentwire/codebuff-run";
import { nodeTools } from "agentwire/codebuff-run/tools";
import {
  MockCodebuffBackend,
  type MockCodebuffBackendOptions,
  MockCodebuffServer,
  step,
} from "agentwire/testing";
import { expect, test, vi } from "vitest";
import * as page from "../../docs/snippets/tools.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { call, calling, replace, write } from "../codebuff-run/tools/tools-world.ts";
import { capturedOutput } from "../helpers/captured-output.ts";

const output = capturedOutput();

/** A folder in which the test runs: snippets name files where they run. */
async function workingFolder() {
  const folder = await tempFolder();
  const before = process.cwd();
  process.chdir(folder.path);
  return {
    path: folder.path,
    async [Symbol.asyncDispose]() {
      process.chdir(before);
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A mock backend, and the options that lead to it. */
async function started(options: MockCodebuffBackendOptions) {
  const backend = await MockCodebuffBackend.start(options);
  const agent = { id: "helper", displayName: "Helper", model: "test/model" };
  const runOptions: CodebuffRunOptions = { baseUrl: backend.url, apiKey: backend.apiKey, agent };
  return { backend, options: runOptions, [Symbol.asyncDispose]: () => backend.stop() };
}

test("the first program shows the change, makes it and lists it", async () => {
  await using folder = await workingFolder();
  await import("../../docs/snippets/tools-first.ts");
  expect(output.logged).toEqual([
    ['str_replace wants to change "greeting.txt":'],
    ["@@ -1,1 +1,1 @@\n-Hello, wrld!\n+Hello, world!\n"],
    ["The greeting is mended."],
    ["update", '"greeting.txt"'],
  ]);
  const [project = ""] = await readdir(folder.path);
  expect(await readFile(join(folder.path, project, "greeting.txt"), "utf8")).toBe("Hello, world!\n");
});

test("a turn is reverted", async () => {
  await using folder = await workingFolder();
  await writeFile("a.txt", "one\n");
  const tools = nodeTools({ root: folder.path });
  await using at = await started({ answer: calling(replace("a.txt", "one", "1"), write("b.txt", "two\n")) });

  const agent = { id: "helper", displayName: "Helper", model: "test/model", toolNames: tools.names };
  const client = new CodebuffRun({ ...at.options, agent, overrideTools: tools.handlers });
  await page.undo(client, tools);
  await client.close();
  await tools.close();
  expect(output.logged).toEqual([
    [expect.stringMatching(/^update a\.txt\n@@ .*-one\n\+1\n/s)],
    [expect.stringMatching(/^add b\.txt\n/)],
    ["taken back: b.txt, a.txt"],
  ]);
  expect(await readdir(folder.path)).toEqual(["a.txt"]);
});

test("a server reads files, and the user decides on its edits", async () => {
  await using folder = await workingFolder();
  await writeFile("a.txt", "one\n");
  const seen: unknown[] = [];
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    *answer() {
      seen.push(yield* step.readFiles(["a.txt", "../b.txt"]));
      const input = { type: "file", path: "a.txt", content: "two\n" };
      seen.push(yield* step.toolCall({ toolName: "write_file", input }));
    },
  });
  vi.stubEnv("CODEBUFF_API_KEY", "a-token");
  const client = page.server(server.url, folder.path);
  await client.prompt("go").outcome;
  await client.close({ force: true });
  expect(seen).toEqual([
    { "a.txt": "one\n", "../b.txt": null },
    [{ type: "json", value: { errorMessage: "denied by the user" } }],
  ]);
  expect(output.logged).toEqual([["write_file", { type: "file", path: "a.txt", content: "two\n" }]]);
});

test("a rule allows reading, and the user is asked about everything else", async () => {
  await using folder = await workingFolder();
  await writeFile("a.txt", "one\n");
  const tools = nodeTools({ root: folder.path });
  const read = call("read_files", { paths: ["a.txt"] });
  await using at = await started({ answer: calling(read, write("b.txt", "two\n")) });
  const agent = { id: "helper", displayName: "Helper", model: "test/model", toolNames: tools.names };
  const asked: string[] = [];
  const client = page.gate({ ...at.options, agent, overrideTools: tools.handlers }, async ({ name }) => {
    asked.push(name);
    return false;
  });
  await client.prompt("go").result;
  await client.close();
  await tools.close();
  expect(asked).toEqual(["write_file"]);
  expect(await readdir(folder.path)).toEqual(["a.txt"]);
});

test("a client with MCP servers starts no server before a run", async () => {
  await using at = await started({ answer: ["Hello."] });
  await page.mcp(at.options).close();
});

test("an agent of the folder runs, and a file that is no agent causes a warning", async () => {
  await using folder = await workingFolder();
  await mkdir(join(folder.path, ".agents"));
  const reviewer = { id: "reviewer", displayName: "Reviewer", model: "test/model" };
  await writeFile(".agents/reviewer.json", JSON.stringify(reviewer));
  await writeFile(".agents/code.ts", "export default 1;");
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  await using at = await started({ answer: ["Reviewed."] });
  const client = await page.agents(at.options);
  expect((await client.prompt("Go.").result).text).toBe("Reviewed.");
  expect(at.backend.runs()[0]?.agentId).toBe("reviewer");
  expect(warn.mock.calls).toEqual([[expect.stringContaining("code.ts: it is code")]]);
  await client.close();
});
