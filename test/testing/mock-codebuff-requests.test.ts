import {
  type Answer,
  type FileContents,
  ManualClock,
  type McpTool,
  type MockCodebuffOptions,
  MockCodebuffServer,
  type Step,
  step,
  type ToolOutput,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const start = (answer: Answer, options: MockCodebuffOptions = {}) =>
  MockCodebuffServer.start({ profile: "codebuff", answer, ...options });

const json = (value: unknown): ToolOutput => [{ type: "json", value }];
const toolAnswer = (requestId: string, value: unknown) => ({
  type: "tool-call-response",
  requestId,
  output: json(value),
});

/** A client whose prompt has reached the script, which has asked. */
async function asked(server: MockCodebuffServer, type: string): Promise<RawClient> {
  const client = await RawClient.connect(server.url);
  client.agentPrompt(1, "p-1");
  await client.nextAction(type);
  return client;
}

describe("a script receives the client's answer", () => {
  test("to a tool-call-request, in both forms", async () => {
    const outputs: ToolOutput[] = [];
    await using server = await start(function* () {
      outputs.push(yield* step.toolCall({ toolName: "act", input: {}, requestId: "r1" }));
      outputs.push(yield* step.plannedToolCall({ toolName: "act", toolArgs: {}, toolCallId: "r2" }));
      yield "done";
    });
    using client = await asked(server, "tool-call-request");
    client.action(2, toolAnswer("r1", "first"));
    await client.nextAction("tool-call-request");
    const media = [{ type: "media", data: "aGk=", mediaType: "image/png" }];
    client.action(3, { type: "tool-call-response", requestId: "r2", output: media });
    await client.untilTerminal("p-1");
    expect(outputs).toEqual([json("first"), media]);
    expect(server.violations).toEqual([]);
  });

  test("to a read-files, with both names", async () => {
    const contents: FileContents[] = [];
    await using server = await start(async function* () {
      contents.push(yield* step.readFiles(["a", "b"], { requestId: "r1" }));
      contents.push(yield* step.readFiles(["c"], { requestId: "r2", name: "read-files-request" }));
    });
    using client = await asked(server, "read-files");
    client.action(2, { type: "read-files-response", requestId: "r1", files: { a: "x", b: null } });
    await client.nextAction("read-files-request");
    client.action(3, { type: "read-files-response", requestId: "r2", files: { c: "z" } });
    await client.untilTerminal("p-1");
    expect(contents).toEqual([{ a: "x", b: null }, { c: "z" }]);
    expect(server.violations).toEqual([]);
  });

  test("to a request-mcp-tool-data", async () => {
    let tools: readonly McpTool[] = [];
    await using server = await start(function* () {
      tools = yield* step.requestMcpTools({ mcpConfig: { url: "http://localhost/mcp" }, requestId: "m1" });
    });
    using client = await asked(server, "request-mcp-tool-data");
    const given = [{ name: "search", description: "d", inputSchema: { type: "object" } }];
    client.action(2, { type: "mcp-tool-data", requestId: "m1", tools: given });
    await client.untilTerminal("p-1");
    expect(tools).toEqual(given);
  });

  test("after any time, if the server has no limit", async () => {
    const clock = new ManualClock();
    const values: unknown[] = [];
    const steps: readonly Step[] = [
      step.readFiles(["a"], { requestId: "r1" }),
      step.toolCall({ toolName: "act", input: {}, requestId: "r2", timeout: -1 }),
    ];
    await using server = await start(
      function* () {
        for (const each of steps) values.push(yield each);
      },
      { clock, heartbeat: false },
    );
    using client = await asked(server, "read-files");
    await clock.advance(1_000_000_000);
    client.action(2, { type: "read-files-response", requestId: "r1", files: { a: "" } });
    expect(await client.nextAction("tool-call-request")).toMatchObject({ timeout: -1 });
    await clock.advance(1_000_000_000);
    client.action(3, toolAnswer("r2", 1));
    await client.untilTerminal("p-1");
    expect(values).toEqual([{ a: "" }, json(1)]);
    expect(clock.pending).toBe(0);
  });

  test("in any order, when several requests are open", async () => {
    const seen: unknown[] = [];
    await using server = await start(function* () {
      const slow = yield* step.toolCall({ toolName: "slow", input: {}, wait: false });
      const fast = yield* step.toolCall({ toolName: "fast", input: {}, wait: false });
      seen.push(slow, fast);
      seen.push(yield* step.answerTo(slow));
      seen.push(yield* step.answerTo(fast));
    });
    using client = await asked(server, "tool-call-request");
    expect(await client.nextAction("tool-call-request")).toMatchObject({ requestId: "request-2" });
    client.action(2, toolAnswer("request-2", "fast"));
    client.action(3, toolAnswer("request-1", "slow"));
    await client.untilTerminal("p-1");
    expect(seen).toEqual(["request-1", "request-2", json("slow"), json("fast")]);
  });
});

describe("a server gives up waiting", () => {
  const LIMITS: readonly { what: string; ask: Step; type: string; after: number; value: unknown }[] = [
    {
      what: "on a tool, 5 s after its default timeout of 30 s",
      ask: step.toolCall({ toolName: "act", input: {} }),
      type: "tool-call-request",
      after: 35_000,
      value: json({ errorMessage: "Tool call 'act' timed out after 30s" }),
    },
    {
      what: "on a tool, 5 s after the request's timeout",
      ask: step.toolCall({ toolName: "act", input: {}, timeout: 1500 }),
      type: "tool-call-request",
      after: 6500,
      value: json({ errorMessage: "Tool call 'act' timed out after 1.5s" }),
    },
    {
      what: "on a tool requested with the planned names",
      ask: step.plannedToolCall({ toolName: "act", toolArgs: {} }),
      type: "tool-call-request",
      after: 35_000,
      value: json({ errorMessage: "Tool call 'act' timed out after 30s" }),
    },
    {
      what: "for the tools of an MCP server, after 50 s",
      ask: step.requestMcpTools({ mcpConfig: { command: "srv" } }),
      type: "request-mcp-tool-data",
      after: 50_000,
      value: [],
    },
  ];

  test.each(LIMITS)("$what", async ({ ask, type, after, value }) => {
    const clock = new ManualClock();
    const values: unknown[] = [];
    await using server = await start(
      function* () {
        values.push(yield ask);
      },
      { clock, heartbeat: false },
    );
    using client = await asked(server, type);
    await clock.advance(after - 1);
    expect(values).toEqual([]);
    await clock.advance(1);
    await client.untilTerminal("p-1");
    expect(values).toEqual([value]);
    expect(server.violations).toEqual([]);
  });
});

describe("recorded answers", () => {
  test("contain their request, their prompt and their time", async () => {
    const clock = new ManualClock();
    await using server = await start(() => [step.readFiles(["a"], { requestId: "r1" })], { clock });
    using client = await asked(server, "read-files");
    await clock.advance(123);
    const data = { type: "read-files-response", requestId: "r1", files: { a: null } };
    client.action(2, data);
    await client.untilTerminal("p-1");
    expect(server.answers).toEqual([
      {
        at: 123,
        connection: server.connections[0],
        txid: 2,
        kind: "read-files",
        requestId: "r1",
        promptId: "p-1",
        data,
        outcome: "taken",
      },
    ]);
  });

  test("without a request, or of another kind, are a violation", async () => {
    await using server = await start(() => [step.readFiles(["a"], { requestId: "r1" })]);
    using client = await asked(server, "read-files");
    client.action(2, toolAnswer("r9", 1));
    client.action(3, toolAnswer("r1", 1));
    client.action(4, { type: "read-files-response", files: { a: null } });
    await client.ackOf(4);
    expect(server.violations.map(({ kind, detail }) => [kind, detail])).toEqual([
      ["answer-unknown-request", "r9"],
      ["answer-unknown-request", "r1: a tool-call-response"],
      ["answer-unknown-request", "no requestId"],
    ]);
    expect(server.answers.map(({ outcome, promptId }) => [outcome, promptId])).toEqual(
      Array(3).fill(["unknown", undefined]),
    );
  });

  test("that repeat an answer are a violation, and the first answer counts", async () => {
    let output: unknown;
    await using server = await start(function* () {
      output = yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
      yield step.hang();
    });
    using client = await asked(server, "tool-call-request");
    client.action(2, toolAnswer("r1", "first"));
    client.action(3, toolAnswer("r1", "second"));
    await client.ackOf(3);
    expect(output).toEqual(json("first"));
    expect(server.violations).toMatchObject([{ kind: "answer-repeated", detail: "r1" }]);
    expect(server.answers.map(({ outcome }) => outcome)).toEqual(["taken", "repeated"]);
  });

  test("after the server gave up are a violation", async () => {
    const clock = new ManualClock();
    await using server = await start(
      () => [step.toolCall({ toolName: "act", input: {}, requestId: "r1" }), step.hang()],
      { clock, heartbeat: false },
    );
    using client = await asked(server, "tool-call-request");
    await clock.advance(35_000);
    client.action(2, toolAnswer("r1", "late"));
    await client.ackOf(2);
    expect(server.violations).toMatchObject([{ kind: "answer-late", detail: "r1" }]);
    expect(server.answers).toMatchObject([{ outcome: "late", promptId: "p-1" }]);
  });

  test("without a requested path are a violation, and the other paths count", async () => {
    let files: unknown;
    await using server = await start(function* () {
      files = yield step.readFiles(["a", "b", "toString"], { requestId: "r1" });
    });
    using client = await asked(server, "read-files");
    client.action(2, { type: "read-files-response", requestId: "r1", files: { a: "x", other: "y" } });
    await client.untilTerminal("p-1");
    expect(files).toEqual({ a: "x", other: "y" });
    expect(server.violations.map(({ kind, detail }) => [kind, detail])).toEqual([
      ["answer-incomplete", "r1: b"],
      ["answer-incomplete", "r1: toString"],
    ]);
  });
});

describe("an impossible request", () => {
  test("with the id of an open request fails the script", async () => {
    await using server = await start(() => [
      step.readFiles(["a"], { requestId: "r1", wait: false }),
      step.readFiles(["b"], { requestId: "r1", wait: false }),
    ]);
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    expect(await client.nextAction("prompt-error")).toMatchObject({
      message: expect.stringMatching(/r1 is open already/),
    });
  });

  test("that was never sent fails the script that waits for it", async () => {
    await using server = await start(() => [step.answerTo("r9")]);
    using client = await RawClient.connect(server.url);
    client.agentPrompt(1, "p-1");
    expect(await client.nextAction("prompt-error")).toMatchObject({
      message: expect.stringMatching(/no request r9/),
    });
  });
});

test("a client that disconnects leaves no script and no timer behind", async () => {
  const clock = new ManualClock();
  let ended = () => {};
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  await using server = await start(
    function* () {
      try {
        yield step.toolCall({ toolName: "act", input: {} });
      } finally {
        ended();
      }
    },
    { clock },
  );
  using client = await asked(server, "tool-call-request");
  client.socket.terminate();
  await over;
  expect(clock.pending).toBe(0);
});
