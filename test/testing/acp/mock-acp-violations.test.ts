import {
  acpStep,
  acpTool,
  MockAcpAgent,
  type MockAcpOptions,
  type MockAcpViolationKind,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ALL_CAPABILITIES, RawAcp } from "./raw-client.ts";

const ASK = "session/request_permission";
const SHELL = acpStep.calls(acpTool.shell("ls"));

/** A mistake, and what the mock says of it. */
interface Mistake {
  readonly kind: MockAcpViolationKind;
  readonly title: string;
  readonly options?: MockAcpOptions;
  readonly make: (client: RawAcp) => unknown;
}

const list = (client: RawAcp) => client.request("session/list", {});
const prompt = (content: readonly object[]) => (client: RawAcp) =>
  client.request("session/prompt", { sessionId: client.sessionId, prompt: content });

/** Writes a message, and waits until the agent has read it. */
const writing = (message: object | string | Uint8Array) => (client: RawAcp) => {
  client.write(message);
  return list(client);
};

/** Answers the permission of a turn. */
const answering = (make: (client: RawAcp) => unknown) => async (client: RawAcp) => {
  void client.prompt("go");
  await make(client);
  await list(client);
};

const MISTAKES: readonly Mistake[] = [
  { kind: "invalid-line", title: "text", make: writing("hello\n") },
  {
    kind: "invalid-line",
    title: "bytes that are no UTF-8",
    make: writing(new Uint8Array([0x22, 0xff, 0x22, 0x0a])),
  },
  {
    kind: "invalid-line",
    title: "half a line, then the end of stdin",
    make: (client) => {
      client.write('{"jsonrpc":');
      client.endInput();
      return client.waitFor(() => client.ended);
    },
  },
  {
    kind: "invalid-message",
    title: "no jsonrpc",
    make: writing({ id: 9, method: "session/list" }),
  },
  { kind: "invalid-message", title: "a batch", make: writing("[]\n") },
  {
    kind: "invalid-message",
    title: "an error without an id, as some libraries answer a stray line",
    make: writing({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }),
  },
  { kind: "unknown-method", title: "a method", make: (client) => client.request("session/fly", {}) },
  {
    kind: "unknown-method",
    title: "a method that is not offered",
    options: { profile: "gemini" },
    make: list,
  },
  {
    kind: "unknown-method",
    title: "a cancel that is a request",
    make: (client) => client.request("session/cancel", { sessionId: client.sessionId }),
  },
  {
    kind: "invalid-params",
    title: "a missing field",
    make: (client) => client.request("session/new", { cwd: "/project" }),
  },
  {
    kind: "invalid-params",
    title: "an image without its data",
    make: prompt([{ type: "image", mimeType: "image/png" }]),
  },
  {
    kind: "repeated-id",
    title: "the id of an earlier request",
    make: (client) => client.request("session/list", {}, 0),
  },
  {
    kind: "wrong-initialize",
    title: "a second one",
    make: (client) => client.initialize(),
  },
  {
    kind: "unknown-answer",
    title: "an answer to nothing",
    make: writing({ jsonrpc: "2.0", id: 77, result: {} }),
  },
  {
    kind: "repeated-answer",
    title: "two answers for one permission",
    make: answering(async (client) => {
      const request = await client.nextRequest(ASK);
      client.decide(request, "allow_once");
      client.decide(request, "reject_once");
    }),
  },
  {
    kind: "invalid-answer",
    title: "a permission without an outcome",
    make: answering(async (client) => client.answer(await client.nextRequest(ASK), {})),
  },
  {
    kind: "invalid-answer",
    title: "an error without a code",
    make: answering(async (client) => {
      const { id } = await client.nextRequest(ASK);
      client.write({ jsonrpc: "2.0", id, error: { message: "no" } });
    }),
  },
  {
    kind: "unknown-option",
    title: "an option of another agent",
    make: answering(async (client) => {
      const outcome = { outcome: "selected", optionId: "proceed_once" };
      client.answer(await client.nextRequest(ASK), { outcome });
    }),
  },
  {
    kind: "unoffered-result",
    title: "a file that is read without an offer",
    options: { answer: [acpStep.read("/project/a.txt")] },
    make: answering(async (client) => {
      client.answer(await client.nextRequest("fs/read_text_file"), { content: "secret" });
    }),
  },
  {
    kind: "unoffered-result",
    title: "an unknown request that is not refused",
    options: { unknown: "request" },
    make: answering(async (client) => client.answer(await client.nextRequest("craft/drainMidTurnQueue"), {})),
  },
  {
    kind: "authenticate-unasked",
    title: "with an agent that asks for none",
    make: (client) => client.request("authenticate", { methodId: "login" }),
  },
  {
    kind: "authenticate-unasked",
    title: "by an unknown method",
    options: { auth: "atPrompt" },
    make: (client) => client.request("authenticate", { methodId: "no-such-method" }),
  },
  { kind: "unknown-session", title: "a prompt", make: (client) => client.prompt("go", "s9") },
  {
    kind: "unknown-session",
    title: "a cancel",
    make: writing({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s9" } }),
  },
  {
    kind: "foreign-cwd",
    title: "a session of another folder",
    make: (client) =>
      client.request("session/load", { sessionId: client.sessionId, cwd: "/other", mcpServers: [] }),
  },
  { kind: "relative-cwd", title: "a relative folder", make: (client) => client.newSession("project") },
  {
    kind: "unknown-choice",
    title: "a mode",
    make: (client) => client.request("session/set_mode", { sessionId: client.sessionId, modeId: "yolo" }),
  },
  {
    kind: "unknown-choice",
    title: "an option",
    make: (client) => {
      const { sessionId } = client;
      return client.request("session/set_config_option", { sessionId, configId: "effort", value: "max" });
    },
  },
  { kind: "blank-prompt", title: "white space", make: prompt([{ type: "text", text: " \n" }]) },
  { kind: "blank-prompt", title: "nothing", make: prompt([]) },
  {
    kind: "unsupported-content",
    title: "audio",
    make: prompt([{ type: "audio", data: "AA==", mimeType: "audio/wav" }]),
  },
  {
    kind: "unsupported-content",
    title: "an image, if the capabilities are without images",
    options: { capabilities: { promptCapabilities: undefined } },
    make: prompt([{ type: "image", data: "AA==", mimeType: "image/png" }]),
  },
  {
    kind: "left-mid-turn",
    title: "the end of stdin without a cancel",
    options: { answer: [acpStep.hang()] },
    make: (client) => {
      void client.prompt("go");
      client.endInput();
      return client.waitFor(() => client.ended);
    },
  },
];

describe("the mistakes of a client are recorded", () => {
  test.each(MISTAKES)("$kind: $title", async ({ kind, options, make }) => {
    await using agent = new MockAcpAgent({ answer: [SHELL], ...options });
    const client = await RawAcp.inSession(agent);
    await make(client);

    expect(agent.violations.map((each) => each.kind)).toEqual([kind]);
    expect(agent.violations[0]?.detail).not.toBe("");
  });

  test("before-initialize: a session on a new link", async () => {
    await using agent = new MockAcpAgent();
    const { error } = await RawAcp.to(agent).newSession();

    expect(error?.code).toBe(-32600);
    expect(agent.violations).toMatchObject([{ kind: "before-initialize", detail: "session/new" }]);
  });

  test.each([
    ["documented", 1],
    ["codex", 2],
  ] as const)("wrong-initialize: another version, which %s answers with %d", async (profile, version) => {
    await using agent = new MockAcpAgent({ profile });
    const { result } = await RawAcp.to(agent).request("initialize", { protocolVersion: 99 });

    expect(result.protocolVersion).toBe(version);
    expect(agent.violations).toMatchObject([{ kind: "wrong-initialize", detail: "protocolVersion 99" }]);
  });

  test("request-unanswered: a new prompt while a permission of the cancelled turn is open", async () => {
    await using agent = new MockAcpAgent({ answer: ({ number }) => (number === 1 ? [SHELL] : ["two"]) });
    const client = await RawAcp.inSession(agent);
    const first = client.prompt("one");
    const request = await client.nextRequest(ASK);
    client.cancel();
    await first;
    await client.prompt("two");
    expect(agent.violations).toMatchObject([{ kind: "request-unanswered", detail: `${ASK} 0` }]);
    client.answer(request, { outcome: { outcome: "cancelled" } });
    await client.prompt("three");

    expect(agent.violations).toHaveLength(1);
  });

  test.each([
    ["documented", ["error -32700", "error -32600"]],
    ["gemini", []],
  ] as const)("%s answers lines that it cannot read: %o", async (profile, answers) => {
    await using agent = new MockAcpAgent({ profile });
    const client = RawAcp.to(agent);
    client.write("hello\n[]\n");
    await client.initialize();

    expect(client.said.slice(0, -1).map(({ error }) => `error ${error?.code}`)).toEqual(answers);
  });

  test("kimi ends at a line that it cannot read", async () => {
    await using agent = new MockAcpAgent({ profile: "kimi" });
    const client = RawAcp.to(agent);
    client.write("hello\n");
    await client.waitFor(() => client.ended);

    expect(agent.links[0]?.ended).toEqual({ exit: 1 });
  });
});

test("a client that does all of it right has none", async () => {
  const edit = acpTool.edit("/project/a.txt", "new", "old");
  const question = acpStep.ask("Which?", { requestedSchema: { type: "object", properties: {} } });
  await using agent = new MockAcpAgent({
    terminals: "client",
    answer: ({ number }) =>
      number === 1 ? [SHELL, acpStep.calls(edit), question, "done"] : [acpStep.hang()],
  });
  const client = await RawAcp.inSession(agent, ALL_CAPABILITIES);
  const first = client.prompt("one");
  client.decide(await client.nextRequest(ASK), "allow_once");
  client.answer(await client.nextRequest("terminal/create"), { terminalId: "t" });
  client.answer(await client.nextRequest("terminal/wait_for_exit"), { exitCode: 0, signal: null });
  client.answer(await client.nextRequest("terminal/output"), {
    output: "",
    truncated: false,
    exitStatus: null,
  });
  client.answer(await client.nextRequest("terminal/release"), {});
  client.answer(await client.nextRequest("fs/read_text_file"), { content: "old" });
  client.decide(await client.nextRequest(ASK), "allow_once");
  client.answer(await client.nextRequest("fs/write_text_file"), {});
  client.answer(await client.nextRequest("elicitation/create"), { action: "accept", content: { a: 1 } });
  await first;
  const second = client.prompt("two");
  client.cancel();
  await second;
  client.endInput();
  await client.waitFor(() => client.ended);

  expect(agent.violations).toEqual([]);
});
