import type { CodebuffToolCall } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once } from "../helpers/codebuff.ts";
import { answers, errorOutput, json, original } from "../helpers/codebuff-requests.ts";

describe.each(["read-files", "read-files-request"] as const)("files requested by %s", (name) => {
  const ask = (paths: readonly string[]) =>
    function* (): Iterable<Step> {
      yield step.readFiles(paths, { name, requestId: "f1" });
    };

  test("are answered path by path, with null for a missing file", async () => {
    await using pair = await original(
      { onReadFiles: (paths) => ({ [paths[0] ?? ""]: "hello\n", "not-asked.txt": "secret" }) },
      ask(["a.txt", "missing.txt", "__proto__"]),
    );
    await pair.client.prompt("read").result;
    const [answer] = pair.server.answers;
    expect(JSON.stringify(answer?.data)).toContain(
      '"files":{"a.txt":"hello\\n","missing.txt":null,"__proto__":null}',
    );
    expect(pair.server.violations).toEqual([]);
  });

  test.each([
    ["without a handler", undefined],
    [
      "with a handler that throws",
      () => {
        throw new Error("no");
      },
    ],
    ["with a handler that returns a string", () => "text" as never],
    ["with a handler that returns a number for a file", () => ({ "a.txt": 5 }) as never],
    [
      "with a handler that returns a promise for a file",
      () => ({ "a.txt": Promise.resolve("text") }) as never,
    ],
    ["with a handler that returns a Map", () => new Map([["a.txt", "text"]]) as never],
  ])("are answered with null %s", async (_, onReadFiles) => {
    await using pair = await original(onReadFiles ? { onReadFiles } : {}, ask(["a.txt"]));
    const told = once(pair.client, "protocolWarning");
    await pair.client.prompt("read").result;
    expect((await told).message).toContain("onReadFiles");
    expect(answers(pair)).toMatchObject([{ requestId: "f1", files: { "a.txt": null } }]);
  });

  test("abort their handler when the link is lost, and are not answered", async () => {
    const reading = gate();
    const aborted = gate();
    await using pair = await original(
      {
        onReadFiles: (_paths, { signal }) => {
          signal.addEventListener("abort", () => aborted.open());
          reading.open();
          return new Promise(() => {});
        },
      },
      ask(["a.txt"]),
    );
    const told: string[] = [];
    pair.client.on("protocolWarning", ({ kind }) => told.push(kind));
    const lost = pair.client.prompt("read").outcome;
    await reading.passed;
    pair.server.dropAll();
    await aborted.passed;
    expect(await lost).toMatchObject({ error: { code: "connection-lost" } });
    await once(pair.client, "reconnected");
    expect(told).toEqual([]);
    expect(pair.server.answers).toEqual([]);
  });

  test("requested again with the same id are read once, or again after the answer", async () => {
    const read = gate();
    let reads = 0;
    await using pair = await original(
      {
        onReadFiles: async () => {
          if (++reads === 1) await read.passed;
          return { "a.txt": "a" };
        },
      },
      () => [step.hang()],
    );
    const ask = (data: object): void =>
      pair.server.connections[0]?.send(
        JSON.stringify({ type: "action", data: { requestId: "f1", ...data } }),
      );
    const files = { type: name, filePaths: ["a.txt"] };
    const repeated = once(pair.client, "protocolWarning", ({ kind }) => kind === "repeated-request");
    ask(files);
    ask(files);
    await repeated;
    ask({ type: "request-mcp-tool-data", mcpConfig: { command: "npx" } });
    await pair.server.waitFor(({ answers }) => answers.length === 1); // of another kind, with the same id
    read.open();
    await pair.server.waitFor(({ answers }) => answers.length === 2);
    expect(reads).toBe(1);
    ask(files);
    await pair.server.waitFor(({ answers }) => answers.length === 3);
    expect(reads).toBe(2);
  });

  test("are null after 30 s, and this time does not count towards `idleTimeout`", async () => {
    const running = gate();
    await using pair = await original(
      {
        onReadFiles: () => {
          running.open();
          return new Promise(() => {});
        },
      },
      ask(["a.txt"]),
    );
    const turn = pair.client.prompt("read", { idleTimeout: 1_000 });
    await running.passed;
    await pair.clock.advance(30_000);
    expect(await turn.outcome).toMatchObject({ status: "completed" });
    expect(answers(pair)).toMatchObject([{ files: { "a.txt": null } }]);
  });
});

describe("the tools of an MCP server", () => {
  const CONFIG = { type: "stdio", command: "npx", args: ["srv"], env: {} } as const;
  const ask = function* (): Iterable<Step> {
    yield step.requestMcpTools({ mcpConfig: CONFIG, toolNames: ["search"], requestId: "m1" });
  };

  test("come from `onMcpTools`, which gets the server's configuration", async () => {
    const search = { name: "search", description: "d", inputSchema: { type: "object" } } as const;
    const asked: unknown[] = [];
    await using pair = await original(
      {
        onMcpTools: (request) => {
          asked.push(request);
          return [search];
        },
      },
      ask,
    );
    await pair.client.prompt("tools?").result;
    expect(asked).toMatchObject([{ requestId: "m1", mcpConfig: CONFIG, toolNames: ["search"] }]);
    expect(answers(pair)).toMatchObject([{ requestId: "m1", tools: [search] }]);
  });

  test.each([
    ["without a handler", undefined],
    ["with a handler that rejects", () => Promise.reject(new Error("no"))],
    ["with a handler that returns a tool without a schema", () => [{ name: "search" }] as never],
    ["with a handler that returns a string as a tool", () => ["search"] as never],
    ["with a handler whose schema is not of an object", () => [{ name: "search", inputSchema: {} }] as never],
  ])("are an empty list %s", async (_, onMcpTools) => {
    await using pair = await original(onMcpTools ? { onMcpTools } : {}, ask);
    await pair.client.prompt("tools?").result;
    expect(answers(pair)).toMatchObject([{ requestId: "m1", tools: [] }]);
    expect(pair.server.frames.filter(({ raw }) => raw.includes('"mcp-tool-data"'))).toHaveLength(1); // at the first try
  });

  test("are run by `onMcpToolCall`, never by a local tool of the same name", async () => {
    const run: string[] = [];
    const script = function* (): Iterable<Step> {
      yield step.toolCall({ toolName: "search", input: {}, mcpConfig: CONFIG });
    };
    const tools = { search: () => json(run.push("local")), "*": () => json(run.push("any")) };
    await using without = await original({ tools }, script);
    await without.client.prompt("search").result;
    expect([run, answers(without)]).toMatchObject([[], [{ output: errorOutput(/no handler/) }]]);
    const onMcpToolCall = ({ name, mcpConfig }: CodebuffToolCall) =>
      json(run.push(`${name} of ${mcpConfig?.command}`));
    await using having = await original({ tools, onMcpToolCall }, script);
    await having.client.prompt("search").result;
    expect(run).toEqual(["search of npx"]);
  });

  test("are an empty list after 45 s", async () => {
    const running = gate();
    await using pair = await original(
      {
        onMcpTools: () => {
          running.open();
          return new Promise(() => {});
        },
      },
      ask,
    );
    const turn = pair.client.prompt("tools?");
    await running.passed;
    await pair.clock.advance(45_000);
    await turn.result;
    expect(answers(pair)).toMatchObject([{ tools: [] }]);
  });
});

test("a request beyond a hundred at once is refused, and the hundred are answered", async () => {
  const held = gate();
  await using pair = await original(
    {
      onReadFiles: async () => {
        await held.passed;
        return { a: "text" };
      },
    },
    function* () {
      for (let at = 1; at <= 101; at++) yield step.readFiles(["a"], { requestId: `f${at}`, wait: false });
      yield step.answerTo("f101");
      held.open();
      yield step.answerTo("f100");
    },
  );
  await pair.client.prompt("read").result;
  await pair.server.waitFor(({ answers }) => answers.length === 101);
  const [first] = answers(pair);
  expect(first).toMatchObject({ requestId: "f101", files: { a: null } });
  const texts = pair.server.answers.filter(({ data }) => JSON.stringify(data).includes('{"a":"text"}'));
  expect(texts).toHaveLength(100);
});

test("handlers of every kind leave no timer behind", async () => {
  await using pair = await original(
    {
      tools: { act: () => json(1) },
      onReadFiles: () => ({ a: "b" }),
      onMcpTools: () => [],
    },
    function* () {
      yield step.toolCall({ toolName: "act", input: {} });
      yield step.readFiles(["a"]);
      yield step.requestMcpTools({ mcpConfig: { command: "npx" } });
    },
  );
  await pair.client.prompt("act").result;
  await pair.client.close();
  expect(pair.clock.pending).toBe(0);
});
