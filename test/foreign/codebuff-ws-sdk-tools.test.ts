import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ManualClock, step, type ToolCallRequest, type ToolOutput } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { asks, chunk, event, FINISH, lastMessage, mock, START, violations } from "./sdk-user.ts";

// What the mock asks of the original client, and what it gets.

describe("the original client executes a tool call, and the mock's script gets its output", () => {
  const TOOLS: readonly {
    readonly call: Omit<ToolCallRequest, "wait">;
    readonly gives: unknown;
    readonly leaves?: { readonly [path: string]: string };
  }[] = [
    {
      call: { toolName: "write_file", input: { type: "file", path: "n.txt", content: "new\n" } },
      gives: { file: "n.txt", message: "Created new file", unifiedDiff: "new\n" },
      leaves: { "n.txt": "new\n" },
    },
    {
      call: {
        toolName: "str_replace",
        input: { type: "patch", path: "a.txt", content: "@@ -1,1 +1,1 @@\n-hello\n+HELLO\n" },
      },
      gives: {
        file: "a.txt",
        message: "Updated file",
        unifiedDiff: "@@ -1,1 +1,1 @@\n-hello\n+HELLO\n",
      },
      leaves: { "a.txt": "HELLO\n" },
    },
    {
      call: {
        toolName: "run_terminal_command",
        input: { command: "cat a.txt; exit 2", mode: "assistant", process_type: "SYNC", timeout_seconds: 5 },
        timeout: 5_000,
      },
      gives: { command: "cat a.txt; exit 2", stdout: "hello\n", exitCode: 2 },
    },
    { call: { toolName: "get_weather", input: { city: "Oslo" } }, gives: { city: "Oslo" } },
    {
      call: { toolName: "browser_logs", input: { type: "navigate", url: "http://127.0.0.1" } },
      gives: { errorMessage: expect.stringContaining("Tool not implemented in SDK") },
    },
  ];

  test.each(TOOLS)("$call.toolName", async ({ call, gives, leaves = {} }) => {
    let output: ToolOutput | undefined;
    await using server = await mock({
      *answer() {
        yield "At work. ";
        output = yield* step.toolCall({ requestId: "r1", ...call });
        yield "Done.";
      },
    });
    await using child = await asks(server, { tools: ["get_weather"] });

    expect(await child.end()).toEqual([
      START,
      chunk("At work. "),
      event("text", { text: "At work. " }),
      chunk("Done."),
      event("text", { text: "Done." }),
      FINISH,
      lastMessage("At work. Done."),
    ]);
    expect(output).toEqual([{ type: "json", value: gives }]);
    for (const [path, content] of Object.entries(leaves))
      expect(await readFile(join(child.project, path), "utf8")).toBe(content);
    expect(server.answers).toMatchObject([
      { kind: "tool-call", requestId: "r1", txid: 1, outcome: "taken", data: { output } },
    ]);
    expect(await violations(server)).toEqual([]);
  });

  test("open calls each get their own result", async () => {
    const outputs: unknown[] = [];
    const city = (name: string) => ({ toolName: "get_weather", input: { city: name } });
    await using server = await mock({
      *answer() {
        const oslo = yield* step.toolCall({ ...city("Oslo"), wait: false });
        const rome = yield* step.toolCall({ ...city("Rome"), wait: false });
        outputs.push(yield* step.answerTo(rome), yield* step.answerTo(oslo));
      },
    });
    await using child = await asks(server, { tools: ["get_weather"] });

    await child.end();
    expect(outputs).toEqual(["Rome", "Oslo"].map((name) => [{ type: "json", value: { city: name } }]));
    expect(await violations(server)).toEqual([]);
  });

  test("an unknown tool is never answered, until the server's timeout", async () => {
    const clock = new ManualClock();
    let output: ToolOutput | undefined;
    await using server = await mock({
      clock,
      *answer() {
        output = yield* step.toolCall({ toolName: "teleport", input: {} });
      },
    });
    await using child = await asks(server);

    await child.until(({ said }) => said === "unhandled");
    expect(server.answers).toEqual([]);
    await clock.advance(35_000);
    expect(await child.end()).toEqual([
      START,
      { said: "unhandled", message: expect.stringContaining("Custom tool handler not found") },
      FINISH,
      lastMessage(""),
    ]);
    expect(output).toEqual([
      { type: "json", value: { errorMessage: "Tool call 'teleport' timed out after 30s" } },
    ]);
    expect(await violations(server)).toEqual([]);
  });
});

test("the original client answers a file request for each path, with a marker for a missing file", async () => {
  let files: unknown;
  await using server = await mock({
    *answer() {
      files = yield* step.readFiles(["a.txt", "missing.txt"], { requestId: "rf-1" });
    },
  });
  await using child = await asks(server);

  expect(await child.end()).toEqual([START, FINISH, lastMessage("")]);
  expect(files).toEqual({ "a.txt": "hello\n", "missing.txt": "[FILE_DOES_NOT_EXIST]" });
  expect(server.answers).toMatchObject([{ kind: "read-files", requestId: "rf-1", outcome: "taken" }]);
  expect(await violations(server)).toEqual([]);
});

test("the original client does not answer a request for MCP tools, and the server continues without them", async () => {
  const clock = new ManualClock();
  let tools: unknown;
  await using server = await mock({
    clock,
    *answer() {
      const id = yield* step.requestMcpTools({ mcpConfig: { command: "mcp-server" }, wait: false });
      yield "asked";
      tools = yield* step.answerTo(id);
    },
  });
  await using child = await asks(server);

  await child.until(({ said }) => said === "chunk");
  await clock.advance(50_000);
  expect(await child.end()).toContainEqual(lastMessage("asked"));
  expect(tools).toEqual([]);
  expect(server.answers).toEqual([]);
  expect(await violations(server)).toEqual([]);
});
