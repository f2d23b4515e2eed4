import { AcpClient, type AcpOptions } from "agentwire/acp";
import { describe, expect, test } from "vitest";
import { type AgentSetup, END, ScriptedAgent, world } from "./support/agent.ts";

// Options, prompts and questions that are wrong or unusual, and the refusals of agents.

describe("servers of tools", () => {
  const secret = "a-very-secret-value";
  const servers: NonNullable<AcpOptions["mcpServers"]> = [
    { name: "files", command: "mcp-files", env: { KEY: secret } },
    { name: "web", type: "http", url: "https://mcp.example/", headers: { authorization: secret } },
    { name: "plain", type: "sse", url: "https://sse.example/" },
    { name: "args", command: "c", args: ["-x"] },
  ];

  test("reach the agent in its own form, and their secrets are masked in its words", async () => {
    const agent = new ScriptedAgent({
      answers: {
        "session/prompt": () => {
          throw Object.assign(new Error(`no ${secret}`), { code: -32603 });
        },
      },
    });
    const client = new AcpClient({ createStream: agent.createStream, mcpServers: servers });
    const outcome = await client.prompt("go").outcome;
    const [session] = agent.heard.filter(({ method }) => method === "session/new");
    expect(session?.params.mcpServers).toEqual([
      { name: "files", command: "mcp-files", args: [], env: [{ name: "KEY", value: secret }] },
      {
        name: "web",
        type: "http",
        url: "https://mcp.example/",
        headers: [{ name: "authorization", value: secret }],
      },
      { name: "plain", type: "sse", url: "https://sse.example/", headers: [] },
      { name: "args", command: "c", args: ["-x"], env: [] },
    ]);
    expect(outcome).toMatchObject({ status: "failed" });
    expect(
      JSON.stringify(outcome.status === "failed" && [outcome.error, outcome.error.message]),
    ).not.toContain(secret);
    await client.close();
  });

  test.each([[[1]], [[{}]], [[{ name: "x" }]], [{}]])("that are %j are refused", (mcpServers) => {
    expect(() => new AcpClient({ command: "x", mcpServers: mcpServers as never })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });

  test.each([
    [{ env: { "A=B": "x" } }],
    [{ env: { A: 1 } }],
    [{ env: { "": "x" } }],
    [{ env: [] }],
    [{ files: {} }],
    [{ files: { handlers: {} } }],
    [{ clientInfo: { name: "" } }],
    [{ command: "x", createStream: () => ({}) as never }],
  ])("wrong options are refused: %j", (options) => {
    expect(() => new AcpClient({ command: "x", ...(options as object) })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });
});

describe("a question", () => {
  const asking = (params: object): AgentSetup => ({
    script: async ({ agent, sessionId, say }) => {
      const { result, error } = await agent.ask("elicitation/create", { sessionId, ...params });
      say(JSON.stringify(result ?? error.code));
      return END;
    },
  });
  const form = (properties: unknown, more: object = {}) => ({
    mode: "form",
    message: "Which?",
    requestedSchema: { type: "object", properties, ...more },
  });

  test.each([
    ["without fields is a yes or no: yes", form({}), "Yes", { action: "accept", content: {} }],
    ["without fields is a yes or no: no", { mode: "form" }, "No", { action: "decline" }],
    [
      "of a link: done",
      { mode: "url", url: "https://a.example/", message: "Log in" },
      "Done",
      { action: "accept" },
    ],
    ["of a link: another answer", { mode: "url", url: "https://a.example/" }, "no", { action: "decline" }],
    [
      "with names for its values",
      form({ a: { type: "string", enum: ["x", "y"], enumNames: ["Ex"] } }),
      "Ex",
      { action: "accept", content: { a: "x" } },
    ],
    [
      "with choices of which some cannot be read",
      form({ a: { anyOf: [1, {}, { const: 2, description: "two" }] } }),
      "2",
      { action: "accept", content: { a: 2 } },
    ],
    ["whose number is none", form({ a: { type: "number" } }), "many", { action: "cancel" }],
    ["whose number is one", form({ a: { type: "integer" } }), "7", { action: "accept", content: { a: 7 } }],
    [
      "with a field that is needed, and no answer",
      form({ a: { type: "string" } }, { required: ["a"] }),
      "",
      { action: "cancel" },
    ],
    [
      "with a field like a member of objects",
      form({ toString: {} }, { required: ["toString"] }),
      "",
      { action: "cancel" },
    ],
    [
      "with a list and words of the user's own",
      form({ a: { type: "array", items: { enum: ["x"] } } }),
      "z",
      { action: "accept", content: { a: ["z"] } },
    ],
  ])("%s", async (_, params, answer, expected) => {
    await using w = world(asking(params), { onQuestion: () => [[answer]] });
    expect(JSON.parse((await w.client.prompt("go").result).text)).toEqual(expected);
  });

  test("of a link without an address is refused", async () => {
    await using w = world(asking({ mode: "url" }), { onQuestion: () => [["Done"]] });
    expect((await w.client.prompt("go").result).text).toBe("-32602");
  });
});

describe("the refusal of a prompt", () => {
  test.each([
    [
      { code: 429, message: "slow" },
      { kind: "http", status: 429, retryable: true },
    ],
    [
      { code: 401, message: "no" },
      { kind: "http", status: 401, retryable: false },
    ],
    [
      { code: -32603, message: "m", data: { status: 503 } },
      { kind: "http", status: 503, retryable: true },
    ],
    [
      { code: -32603, message: "m", data: { errorKind: "rate_limit" } },
      { kind: "rate_limit", retryable: true },
    ],
    [
      { code: -1, message: "m", data: { error: "why" } },
      { kind: "rpc_-1", serverMessage: "m: why" },
    ],
    [{ code: -1, message: "m", data: "why" }, { serverMessage: "m: why" }],
    [{ code: -1, message: "m", data: { message: "m" } }, { serverMessage: "m" }],
    [{ code: -1, message: "m", data: { details: " ", message: 1 } }, { serverMessage: "m" }],
  ])("%j is told as %j", async (refusal, told) => {
    await using w = world({
      answers: {
        "session/prompt": () => {
          throw Object.assign(new Error(refusal.message), refusal);
        },
      },
    });
    const outcome = await w.client.prompt("go").outcome;
    expect(outcome).toMatchObject({ status: "failed", error: { code: "turn-failed", ...told } });
  });
});

describe("wrong calls are refused before anything is sent", () => {
  test.each([
    ["a prompt without text", { text: " " }],
    ["a prompt of blank blocks", { blocks: [{ type: "text", text: " " }] }],
    ["a prompt without blocks", { blocks: [] }],
    ["a block that is none", { blocks: [{ type: "of_tomorrow" }] }],
    ["an image of no known type", { text: "x", images: [{ data: new Uint8Array([1, 2, 3]) }] }],
    ["an option among the fields", { text: "x", timeout: 5 }],
    ["files that are no paths", { text: "x", files: [5] }],
  ])("%s", async (_, input) => {
    await using w = world();
    expect(() => w.client.prompt(input as never)).toThrow(expect.objectContaining({ code: "invalid-input" }));
    expect(w.agent.heard).toEqual([]);
  });

  test.each([
    [1],
    [{}],
    [{ protocol: "codey-ws", version: 1, cwd: process.cwd() }],
    [{ protocol: "acp", version: 2, cwd: process.cwd() }],
    [{ protocol: "acp", version: 1, cwd: process.cwd(), sessionId: "" }],
    [{ protocol: "acp", version: 1 }],
    [{ protocol: "acp", version: 1, cwd: "/", sessionId: "s" }],
  ])("the state %j of a conversation", async (from) => {
    await using w = world();
    expect(() => w.client.conversation({ from: from as never })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });

  test("a mode, a model or an option that is no text, or no value", async () => {
    await using w = world();
    const talk = w.client.conversation();
    const wrong = expect.objectContaining({ code: "invalid-input" });
    await expect(talk.setMode("")).rejects.toThrow(wrong);
    await expect(talk.setModel(1 as never)).rejects.toThrow(wrong);
    await expect(talk.setOption("a", 1 as never)).rejects.toThrow(wrong);
    expect(w.agent.heard).toEqual([]);
  });
});
