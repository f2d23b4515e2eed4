import type { CodebuffToolCall } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once } from "../helpers/codebuff.ts";
import { answers, errorOutput, json, original } from "../helpers/codebuff-requests.ts";

describe.each(["read-files", "read-files-request"] as const)("files asked for as %s", (name) => {
  const ask = (paths: readonly string[]) =>
    function* (): Iterable<Step> {
      yield step.readFiles(paths, { name, requestId: "f1" });
    };

  test("are answered path by path, with null for what is not there", async () => {
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
      "of a handler that throws",
      () => {
        throw new Error("no");
      },
    ],
    ["of a handler that returns no object", () => "text" as never],
    ["of a handler that returns no texts", () => ({ "a.txt": 5 }) as never],
    ["of a handler that forgot to await", () => ({ "a.txt": Promise.resolve("text") }) as never],
    ["of a handler that returns a Map", () => new Map([["a.txt", "text"]]) as never],
  ])("are null %s", async (_, onReadFiles) => {
    await using pair = await original(onReadFiles ? { onReadFiles } : {}, ask(["a.txt"]));
    const told = once(pair.client, "protocolWarning");
    await pair.client.prompt("read").result;
    expect((await told).message).toContain("onReadFiles");
    expect(answers(pair)).toMatchObject([{ requestId: "f1", files: { "a.txt": null } }]);
  });

  test("are not read any more for a link that is lost", async () => {
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

  test("that are asked for again while they are read are read once; after the answer, again", async () => {
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

  test("are null after 30 s, and the turn does not count the time", async () => {
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

  test("come from the handler, which gets the configuration", async () => {
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
    ["of a handler that rejects", () => Promise.reject(new Error("no"))],
    ["of a handler that returns no tools", () => [{ name: "search" }] as never],
    ["of a handler that returns no objects", () => ["search"] as never],
    ["of a handler whose tool takes no object", () => [{ name: "search", inputSchema: {} }] as never],
  ])("are none %s", async (_, onMcpTools) => {
    await using pair = await original(onMcpTools ? { onMcpTools } : {}, ask);
    await pair.client.prompt("tools?").result;
    expect(answers(pair)).toMatchObject([{ requestId: "m1", tools: [] }]);
    expect(pair.server.frames.filter(({ raw }) => raw.includes('"mcp-tool-data"'))).toHaveLength(1); // at the first try
  });

  test("are run by a handler of their own, never by a tool of this machine that goes by the same name", async () => {
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

  test("are none after 45 s: the server waits 50", async () => {
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

test("more than a hundred requests at once are refused, and the hundred are answered", async () => {
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
