import { AcpAuthError, AcpClient, type AcpOptions, AcpTurnError } from "agentwire/acp";
import { describeError } from "agentwire/chat";
import { describe, expect, test } from "vitest";
import { type AcpSdk, loadSdk } from "../../src/acp/peer.ts";
import { END, world } from "./support/agent.ts";

const refuses = (code: number, message: string, data?: unknown) => () => {
  throw Object.assign(new Error(message), { code, data });
};

describe("a turn that the agent refuses", () => {
  test.each([
    ["an HTTP status (gemini)", 429, undefined, { status: 429, kind: "http", retryable: true }],
    ["a kind (claude)", -32603, { errorKind: "rate_limit" }, { kind: "rate_limit", retryable: true }],
    ["a wrong key", 401, undefined, { status: 401, retryable: false }],
    ["no more than its code", -31002, undefined, { kind: "rpc_-31002", retryable: false }],
  ])("fails with %s", async (_, code, data, facts) => {
    await using w = world(refuses(code, "it failed", data));
    const outcome = await w.client.prompt("go").outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-failed", rpcCode: code, ...facts },
    });
    expect(outcome.status === "failed" && outcome.error).toBeInstanceOf(AcpTurnError);
  });

  test("has the words that matter, also from `data` (qwen)", async () => {
    await using w = world(refuses(-32603, "Internal error", { details: "the model is gone" }));
    const outcome = await w.client.prompt("go").outcome;
    expect(outcome).toMatchObject({ error: { serverMessage: "Internal error: the model is gone" } });
  });

  test("leaves the agent for the next prompt", async () => {
    await using w = world(({ text, say }) => {
      if (text === "fail") refuses(-32603, "no")();
      say("fine");
      return END;
    });
    const conversation = w.client.conversation();
    await conversation.prompt("fail").outcome;
    expect((await conversation.prompt("go").result).text).toBe("fine");
    expect(w.agent.starts).toBe(1);
  });
});

describe("an agent that wants a login", () => {
  const authMethods = [{ id: "oauth", name: "Log in", description: "opens a browser" }];

  test.each([
    ["at `session/new`", { answers: { "session/new": refuses(-32000, "Authentication required") } }],
    ["at the prompt", { script: refuses(-32000, "Authentication required") }],
  ])("refuses %s, and names its methods", async (_, setup) => {
    await using w = world({ authMethods, ...setup });
    const outcome = await w.client.prompt("go").outcome;
    const error = outcome.status === "failed" ? outcome.error : undefined;
    expect(error).toBeInstanceOf(AcpAuthError);
    expect(error).toMatchObject({
      code: "handshake-refused",
      reason: "auth",
      methods: [{ id: "oauth", name: "Log in", type: "agent", description: "opens a browser" }],
    });
    expect(describeError(error).title).toBe("You are not signed in");
  });

  test("is logged in by the method that the caller names, and by no other", async () => {
    await using w = world({ authMethods }, { auth: "oauth" });
    await w.client.prompt("go").result;
    expect(w.agent.methods().slice(0, 2)).toEqual(["initialize", "authenticate"]);
    await using other = world({ authMethods });
    await other.client.prompt("go").result;
    expect(other.agent.methods()).not.toContain("authenticate");
  });
});

describe("an agent that does not start well", () => {
  test.each([0, 2, "1", undefined])("of another version is refused: %s", async (protocolVersion) => {
    await using w = world({ answers: { initialize: () => ({ protocolVersion }) } });
    await expect(w.client.connect()).rejects.toMatchObject({ code: "handshake-refused", reason: "version" });
  });

  test("in time fails after `connectTimeout`, and can be tried again", async () => {
    let isSilent = true;
    await using w = world(
      { answers: { initialize: () => (isSilent ? undefined : { protocolVersion: 1 }) } },
      { connectTimeout: 20 },
    );
    await expect(w.client.connect()).rejects.toMatchObject({ code: "connect-timeout", retryable: true });
    isSilent = false;
    await w.client.connect();
    expect(w.client.status).toBe("ready");
  });

  test("an aborted wait does not end the start", async () => {
    await using w = world();
    const controller = new AbortController();
    const waiting = w.client.connect({ signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "connect-failed" });
    await w.client.connect();
    expect(w.agent.starts).toBe(1);
  });
});

describe("the package of the protocol", () => {
  test.each([
    [
      "missing",
      () => Promise.reject(Object.assign(new Error("x"), { code: "ERR_MODULE_NOT_FOUND" })),
      "is not installed",
    ],
    ["too old", () => Promise.resolve({} as AcpSdk), "this is an older one"],
  ])("that is %s is named, with its version", async (_, load, words) => {
    await expect(loadSdk(load)).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(`\`@agentclientprotocol/sdk\`, version 2.0 or later, and .*${words}`),
    });
  });
});

describe("a turn in which the agent says nothing", () => {
  test("completes, with a warning", async () => {
    await using w = world(() => END);
    expect(await w.client.prompt("go").result).toMatchObject({ text: "", isEmpty: true });
    expect(w.warnings).toEqual(["empty-turn"]);
  });
});

describe("lines that are no messages", () => {
  test("are warnings, and nothing is written to the agent for them", async () => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "é" } };
    const bytes = new TextEncoder().encode(
      `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s1", update } })}\r\n`,
    );
    await using w = world(async ({ agent }) => {
      agent.raw("no json\n[1,2]\n{}\n\n");
      agent.raw('{"jsonrpc":"2.0","id":null,"method":"x"}\n{"jsonrpc":"2.0","id":77,"result":1}\n');
      const middle = bytes.indexOf(0xc3) + 1; // inside of a character
      for (const piece of [bytes.subarray(0, middle), bytes.subarray(middle)]) agent.raw(piece);
      return END;
    });
    const { text } = await w.client.prompt("go").result;
    expect(text).toBe("é");
    expect(w.warnings).toEqual(["stray-line", "stray-line", "stray-line", "stray-line", "stray-line"]);
    expect(w.agent.odd).toEqual([]);
    expect(w.agent.heard.filter(({ method }) => method === undefined)).toEqual([]);
  });

  test("over `maxLineBytes` are skipped", async () => {
    await using w = world(
      ({ agent, say }) => {
        agent.raw(`"${"x".repeat(3_000)}"\n`);
        say("fine");
        return END;
      },
      { maxLineBytes: 2_000 },
    );
    expect((await w.client.prompt("go").result).text).toBe("fine");
    expect(w.warnings).toEqual(["stray-line"]);
  });

  test("unknown updates, stop reasons and notifications harm nothing; unknown requests are refused", async () => {
    let answer: unknown;
    await using w = world(async ({ update, agent, say }) => {
      update({ sessionUpdate: "brand_new", x: 1 });
      update({ sessionUpdate: "tool_call" });
      agent.send({ method: "_own/thing", params: { a: 1 } });
      say("fine");
      answer = (await agent.ask("craft/drain", {})).error;
      return { stopReason: "tired", more: true };
    });
    const notifications: unknown[] = [];
    w.client.on("notification", (told) => notifications.push(told));
    const turn = w.client.prompt("go");
    const unknown: unknown[] = [];
    for await (const event of turn) if (event.type === "unknown") unknown.push(event.update);
    expect(await turn.result).toMatchObject({ text: "fine", stopReason: "tired" });
    expect(unknown).toEqual([{ sessionUpdate: "brand_new", x: 1 }, { sessionUpdate: "tool_call" }]);
    expect(notifications).toEqual([{ method: "_own/thing", params: { a: 1 } }]);
    expect(answer).toMatchObject({ code: -32601 });
    expect(w.warnings).toEqual(["unknown-update", "unknown-update", "unknown-stop-reason"]);
  });
});

describe("what a caller gets wrong", () => {
  test.each([
    ["no program", {}],
    ["two agents", { command: "x", createStream: () => ({}) as never }],
    ["a folder that is none", { command: "x", cwd: "/no/such/folder" }],
    ["a misspelt option", { comand: "x" }],
  ])("is refused at once: %s", (_, options) => {
    expect(() => new AcpClient(options as AcpOptions)).toThrow(/option|folder/);
  });

  test("a blank prompt, and pictures that the agent does not take", async () => {
    await using w = world();
    expect(() => w.client.prompt(" ")).toThrow("blank");
    const image = { data: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]) };
    const outcome = await w.client.prompt({ text: "look", images: [image] }).outcome;
    expect(outcome).toMatchObject({ error: { code: "unsupported", delivery: "not-sent" } });
    expect(() => w.client.prompt({ text: "look", images: [image] })).toThrow("takes no images");
    expect(w.agent.methods()).not.toContain("session/prompt");
  });

  test("pictures go to agents that take them", async () => {
    await using w = world({ capabilities: { promptCapabilities: { image: true } } });
    const image = { data: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]) };
    await w.client.prompt({ text: "look", images: [image] }).result;
    const prompt = w.agent.heard.find(({ method }) => method === "session/prompt")?.params.prompt;
    expect(prompt).toEqual([
      { type: "text", text: "look" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ]);
  });
});
