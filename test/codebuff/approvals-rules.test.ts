import type { ToolCall, ToolRule } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once } from "../helpers/codebuff.ts";
import { act, CONFIG, handlers, only } from "../helpers/codebuff-approvals.ts";
import { ASK, answers, errorOutput, json, original, TOKEN } from "../helpers/codebuff-requests.ts";

/** Every kind of request, by the name that rules give it. */
const kinds = [
  {
    kind: "a tool",
    name: "act",
    ask: step.toolCall({ toolName: "act", input: { a: 1 }, requestId: "r1" }),
    ran: "act",
    input: { a: 1 },
    denied: { output: errorOutput(/^denied/) },
  },
  {
    kind: 'a tool that "*" takes',
    name: "other",
    ask: step.toolCall({ toolName: "other", input: {}, requestId: "r1" }),
    ran: "other",
    input: {},
    denied: { output: errorOutput(/^denied/) },
  },
  {
    kind: "a tool of an MCP server",
    name: "search",
    ask: step.toolCall({ toolName: "search", input: { q: "x" }, requestId: "r1", mcpConfig: CONFIG }),
    ran: "mcp search",
    input: { q: "x" },
    denied: { output: errorOutput(/^denied/) },
  },
  {
    kind: "files",
    name: "read_files",
    ask: step.readFiles(["a.txt", "b.txt"], { requestId: "r1" }),
    ran: "files",
    input: { filePaths: ["a.txt", "b.txt"] },
    denied: { files: { "a.txt": null, "b.txt": null } },
  },
  {
    kind: "the tools of an MCP server",
    name: "mcp_tools",
    ask: step.requestMcpTools({ mcpConfig: CONFIG, toolNames: ["search"], requestId: "r1" }),
    ran: "mcp list",
    input: { mcpConfig: CONFIG, toolNames: ["search"] },
    denied: { tools: [] },
  },
] as const;

describe("a rule", () => {
  test.each(kinds)(
    "that allows $kind runs the handler, whatever `onToolApproval` would return",
    async (row) => {
      const run: string[] = [];
      const toolPolicy = [{ tool: row.name, then: "allow" }] as const;
      const onToolApproval = () => false;
      await using pair = await original({ ...handlers(run), toolPolicy, onToolApproval }, only(row.ask));
      await pair.client.prompt("go").result;
      expect(run).toEqual([row.ran]);
    },
  );

  test.each(kinds)(
    "that denies $kind keeps the handler from running, and the server gets one answer",
    async (row) => {
      const run: string[] = [];
      const toolPolicy = [{ tool: row.name, then: "deny" }] as const;
      await using pair = await original({ ...handlers(run), toolPolicy }, only(row.ask));
      await pair.client.prompt("go").result;
      expect(run).toEqual([]);
      expect(answers(pair)).toMatchObject([{ requestId: "r1", ...row.denied, outcome: "taken" }]);
    },
  );

  test.each(kinds)("that asks passes the name and input of $kind to `onToolApproval`", async (row) => {
    const run: string[] = [];
    const asked: ToolCall[] = [];
    const onToolApproval = (call: ToolCall) => asked.push(call) > 0;
    await using pair = await original({ ...handlers(run), toolPolicy: ASK, onToolApproval }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(asked).toMatchObject([{ id: "r1", name: row.name, input: row.input }]);
    expect(run).toEqual([row.ran]);
  });

  test.each(kinds)("that asks denies $kind if `onToolApproval` returns false", async (row) => {
    const run: string[] = [];
    const onToolApproval = () => false;
    await using pair = await original({ ...handlers(run), toolPolicy: ASK, onToolApproval }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([{ requestId: "r1", ...row.denied, outcome: "taken" }]);
  });

  test.each(kinds)(
    "is not needed for $kind without `onToolApproval`: a registered handler runs",
    async (row) => {
      const run: string[] = [];
      await using pair = await original({ ...handlers(run), onQuestion: "manual" }, only(row.ask));
      await pair.client.prompt("go").result;
      expect(run).toEqual([row.ran]);
    },
  );

  test.each(kinds)("is not needed for `onToolApproval` to be asked about $kind", async (row) => {
    const run: string[] = [];
    const asked: string[] = [];
    const onToolApproval = ({ name }: ToolCall) => asked.push(name) > 1;
    await using pair = await original({ ...handlers(run), onToolApproval }, only(row.ask));
    await pair.client.prompt("go").result;
    expect([asked, run]).toEqual([[row.name], []]);
    expect(answers(pair)).toMatchObject([{ requestId: "r1", ...row.denied, outcome: "taken" }]);
  });

  test.each(kinds)("for another tool leaves $kind denied if there is no `onToolApproval`", async (row) => {
    const run: string[] = [];
    const toolPolicy = [{ tool: "something else", then: "allow" }] as const;
    await using pair = await original({ ...handlers(run), toolPolicy }, only(row.ask));
    await pair.client.prompt("go").result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([{ requestId: "r1", ...row.denied, outcome: "taken" }]);
  });

  test.each(kinds)("does not ask about $kind without a handler: the request is refused", async (row) => {
    let asked = 0;
    const onToolApproval = () => ++asked > 0;
    await using pair = await original({ toolPolicy: ASK, onToolApproval }, only(row.ask));
    const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "unhandled-request");
    await pair.client.prompt("go").result;
    await warning;
    expect([asked, pair.server.answers.length]).toEqual([0, 1]);
  });

  test("can test the input, and the denial names `toolPolicy`", async () => {
    const run: string[] = [];
    const toolPolicy: readonly ToolRule[] = [
      { tool: "act", when: ({ input }) => JSON.stringify(input).includes("rm"), then: "deny" },
      { tool: "act", then: "allow" },
    ];
    await using pair = await original({ ...handlers(run), toolPolicy }, function* () {
      yield step.toolCall({ toolName: "act", input: { command: "rm -r" } });
      yield step.toolCall({ toolName: "act", input: { command: "ls" } });
    });
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/^denied by `toolPolicy`$/) }, {}]);
    expect(turn.toolCalls).toMatchObject([
      { state: "denied", deniedBy: "policy", reason: "denied by `toolPolicy`" },
      { state: "done" },
    ]);
    expect(run).toEqual(["act"]);
  });

  test("that asks denies the call if there is no `onToolApproval`, and warns once", async () => {
    const run: string[] = [];
    await using pair = await original({ ...handlers(run), toolPolicy: ASK }, function* () {
      yield step.toolCall({ toolName: "act", input: {} });
      yield step.toolCall({ toolName: "act", input: {} });
    });
    const told: string[] = [];
    pair.client.on("protocolWarning", ({ kind, message }) => told.push(`${kind}: ${message}`));
    await pair.client.prompt("go").result;
    expect(run).toEqual([]);
    expect(answers(pair)).toMatchObject([
      { output: errorOutput(/^denied: nobody is there/) },
      { output: errorOutput(/^denied: nobody is there/) },
    ]);
    expect(told).toEqual([expect.stringMatching(/^tool-denied: .*`onToolApproval`/)]);
  });
});

describe("`always`", () => {
  const config = JSON.stringify(CONFIG);
  const names = [
    "search",
    `["search",${config}]`,
    `mcp:["search",${config}]`,
    `other:mcp:["search",${config}]`,
  ];

  test.each(names)(
    "for a tool of an MCP server does not cover a local tool called %s, nor the reverse",
    async (toolName) => {
      const mcp = step.toolCall({ toolName: "search", input: {}, mcpConfig: CONFIG });
      const own = step.toolCall({ toolName, input: {} });
      for (const [first, second] of [
        [mcp, own],
        [own, mcp],
      ] as const) {
        const run: string[] = [];
        const asked: string[] = [];
        const onToolApproval = ({ name }: ToolCall) => asked.push(name) === 1 && ("always" as const);
        await using pair = await original({ ...handlers(run), onToolApproval }, function* () {
          yield first;
          yield second;
          yield first;
        });
        await pair.client.prompt("go").result;
        expect([asked.length, run.length]).toEqual([2, 2]);
      }
    },
  );

  test.each([
    { tool: "read_files", kind: "files", ask: step.readFiles(["a.txt"], { requestId: "f1" }) },
    {
      tool: "mcp_tools",
      kind: "the tools of an MCP server",
      ask: step.requestMcpTools({ mcpConfig: CONFIG, toolNames: [], requestId: "m1" }),
    },
  ])("for $kind does not cover a tool called $tool, nor the reverse", async ({ tool, ask }) => {
    const own = step.toolCall({ toolName: tool, input: {} });
    for (const [first, second] of [
      [ask, own],
      [own, ask],
    ] as const) {
      let asked = 0;
      const run: string[] = [];
      const onToolApproval = () => ++asked === 1 && ("always" as const);
      await using pair = await original({ ...handlers(run), onToolApproval }, function* () {
        yield first;
        yield second;
      });
      await pair.client.prompt("go").result;
      expect([asked, run.length]).toEqual([2, 1]);
    }
  });
});

describe("a tool call without an approval", () => {
  const refused = [
    {
      title: "without a handler fails",
      client: {},
      shown: { state: "failed", error: expect.stringMatching(/no handler is registered for the tool "act"/) },
    },
    {
      title: "whose handler throws fails, without credentials in the error",
      client: {
        tools: {
          act: () => {
            throw new Error(`no ${TOKEN}`);
          },
        },
      },
      shown: { state: "failed", error: "no [redacted]" },
    },
    {
      title: "whose handler runs without a rule is done",
      client: { tools: { act: () => json("ok") } },
      shown: { state: "done", output: json("ok") },
    },
  ];

  test.each(refused)("$title", async ({ client, shown }) => {
    await using pair = await original(client, act());
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(turn.toolCalls).toEqual([expect.objectContaining({ id: "r1", name: "act", ...shown })]);
  });

  test("is denied while a hundred other requests run", async () => {
    const done = gate();
    await using pair = await original(
      {
        tools: {
          act: async () => {
            await done.passed;
            return json(1);
          },
        },
      },
      function* () {
        for (let at = 1; at <= 101; at++)
          yield step.toolCall({ toolName: "act", input: {}, requestId: `r${at}`, wait: false });
        yield step.answerTo("r101");
        done.open();
        yield step.answerTo("r100");
      },
    );
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(turn.toolCalls).toHaveLength(101);
    expect(turn.toolCalls.at(-1)).toMatchObject({
      state: "denied",
      deniedBy: "policy",
      reason: expect.stringMatching(/100 requests at once/),
    });
  });

  test("for a turn that is not sent yet is refused and not shown", async () => {
    const asked = gate();
    await using pair = await original(
      { tools: { act: () => json(1) }, maxConcurrentPrompts: 1 },
      async function* ({ promptId }): AsyncGenerator<Step> {
        if (promptId === "p2") return;
        await asked.passed;
        yield step.toolCall({ toolName: "act", input: {}, userInputId: "p2" });
      },
    );
    const one = pair.client.prompt({ prompt: "go", promptId: "p1" });
    const two = pair.client.prompt({ prompt: "go", promptId: "p2" });
    asked.open();
    await Promise.all([one.result, two.result]);
    expect([one.toolCalls, two.toolCalls]).toEqual([[], []]);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/no such prompt/) }]);
  });

  test("gets an id of its own if a refused call of the turn had the same id", async () => {
    await using pair = await original({ tools: { act: () => json(1) } }, function* () {
      yield step.toolCall({ toolName: "missing", input: {}, requestId: "r1" });
      yield step.toolCall({ toolName: "act", input: {}, requestId: "r1" });
    });
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(turn.toolCalls).toMatchObject([
      { id: "r1", name: "missing", state: "failed" },
      { id: "r1~2", name: "act", state: "done" },
    ]);
  });
});

describe("an invalid approval option is refused by name", () => {
  const bad: readonly (readonly [string, unknown])[] = [
    ["toolPolicy", {}],
    ["toolPolicy", ["act"]],
    ["toolPolicy", [{ tool: "act" }]],
    ["toolPolicy", [{ then: "allow" }]],
    ["toolPolicy", [{ tool: "act", then: "never" }]],
    ["toolPolicy", [{ tool: "act", when: "always", then: "deny" }]],
    ["toolPolicy", [{ tool: 5, then: "deny" }]],
    ["toolPolicy", [{ tool: " ", then: "deny" }]],
    ["toolPolicy", [{ tool: "*", then: "deny" }]],
    ["toolPolicy", [{ tool: "mcp_*", then: "deny" }]],
    ["onToolApproval", "auto"],
    ["onToolApproval", true],
    ["onQuestion", "auto"],
    ["onQuestion", {}],
    ["approvalTimeout", -1],
    ["approvalTimeout", "5 min"],
    ["approvalTimeout", Infinity],
  ];

  test.each(bad)("%s: %j", async (option, value) => {
    await expect(original({ [option]: value }, () => [])).rejects.toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining(option),
    });
  });
});
