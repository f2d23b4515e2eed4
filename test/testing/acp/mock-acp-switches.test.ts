import {
  acpStep,
  acpTool,
  ManualClock,
  MockAcpAgent,
  type MockAcpAnswer,
  type MockAcpOptions,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ALL_CAPABILITIES, kindOf, kinds, RawAcp, type Said } from "./raw-client.ts";

const SHELL = acpTool.shell("ls", "a.txt\n", { toolCallId: "c" });
const ASK = "session/request_permission";

/** One prompt whose permissions are decided by this kind; what was said behind the response to `session/new`. */
async function played(
  options: MockAcpOptions,
  { kind = "allow_once", capabilities = ALL_CAPABILITIES as object } = {},
) {
  const agent = new MockAcpAgent({ answer: [acpStep.calls(SHELL), "done"], ...options });
  const client = await RawAcp.inSession(agent, capabilities);
  const first = client.said.length;
  const response = await client.promptServing("go", (request) => {
    if (request.method === ASK) client.decide(request, kind);
  });
  await agent.stop();
  return { agent, client, said: client.said.slice(first), response };
}

/** A turn that has asked for a permission, or hangs behind it. */
async function asking(options: MockAcpOptions) {
  const agent = new MockAcpAgent({ answer: [acpStep.calls(SHELL), "done"], ...options });
  const client = await RawAcp.inSession(agent, ALL_CAPABILITIES);
  const first = client.said.length;
  const response = client.prompt("go");
  const request = await client.nextRequest(ASK);
  return {
    ...{ agent, client, response, request },
    said: () => kinds(client.said.slice(first)),
    [Symbol.asyncDispose]: () => agent.stop(),
  };
}

const update = (said: readonly Said[], place: number) => said[place]?.params.update;

describe("calls", () => {
  test("callFirst `permission`: the request names the call first, updates follow", async () => {
    const { said } = await played({ callFirst: "permission" });

    expect(kinds(said)).toEqual([
      "ask c",
      "update c in_progress",
      "update c completed",
      '"done"',
      "end_turn",
    ]);
    expect(said[0]?.params.toolCall).toMatchObject({ title: "ls", kind: "execute" });
  });

  test("rawInput `none`: the title alone", async () => {
    const { said } = await played({ rawInput: "none" });

    expect(update(said, 0)).not.toHaveProperty("rawInput");
    expect(said[1]?.params.toolCall).not.toHaveProperty("rawInput");
  });

  test("rawInput `emptyThenFull`: `{}`, then the input in an update", async () => {
    const { said } = await played({ rawInput: "emptyThenFull" });

    expect([update(said, 0).rawInput, update(said, 1).rawInput]).toEqual([
      {},
      { command: "ls", description: "ls" },
    ]);
  });

  test("rawInput `inContent`: no kind, and JSON that grows in the content", async () => {
    const { said } = await played({ rawInput: "inContent" });
    const texts = said.slice(0, 3).map((each) => each.params.update.content[0].content.text);

    expect(update(said, 0)).not.toHaveProperty("kind");
    expect(texts[0]).toBe("");
    expect(texts[2]).toBe('{"command":"ls","description":"ls"}');
    expect(texts[2].startsWith(texts[1])).toBe(true);
  });

  test.each([
    ["continues", ["update c failed", '"done"', "end_turn"]],
    ["endTurn", ["update c failed", "end_turn"]],
    ["cancelled", ["update c failed", "cancelled"]],
  ] as const)("afterReject `%s`", async (afterReject, end) => {
    const { said } = await played({ afterReject }, { kind: "reject_once" });

    expect(kinds(said).slice(2)).toEqual(end);
  });

  const two = [acpStep.calls({ ...SHELL, toolCallId: "a" }, { ...SHELL, toolCallId: "b" })];
  test.each([
    [
      "serial",
      ["call a pending", "ask a", "update a in_progress", "update a completed", "call b pending", "ask b"],
    ],
    ["parallel", ["call a pending", "call b pending", "ask a", "ask b"]],
    ["reversed", ["call a pending", "call b pending", "ask b", "ask a"]],
  ] as const)("askOrder `%s`", async (askOrder, start) => {
    const { said, response } = await played({ askOrder, answer: two });

    expect(kinds(said).slice(0, start.length)).toEqual(start);
    expect(response.result.stopReason).toBe("end_turn");
  });

  test.each([
    ["oneEach", ["allow_once", "allow_always", "reject_once"]],
    ["twoAlways", ["allow_once", "allow_always", "allow_always", "reject_once"]],
    ["twoOnce", ["allow_once", "allow_once", "reject_once"]],
    ["noAlways", ["allow_once", "reject_once"]],
    ["oddIds", ["reject_once", "allow_always", "allow_once"]],
    ["unknownKind", ["defer", "allow_once", "allow_always", "reject_once"]],
    ["empty", []],
  ] as const)("options `%s`", async (options, offered) => {
    await using turn = await asking({ options });
    const { params } = turn.request;

    expect(params.options.map(({ kind }: { kind: string }) => kind)).toEqual(offered);
    const ids = params.options.map(({ optionId }: { optionId: string }) => optionId);
    expect(new Set(ids).size).toBe(offered.length);
  });

  test("firstMode `auto` never asks, until the client chooses an asking mode", async () => {
    await using agent = new MockAcpAgent({ firstMode: "auto", answer: [acpStep.calls(SHELL)] });
    const client = await RawAcp.inSession(agent);
    await client.prompt("one");
    expect(agent.requests).toEqual([]);
    await client.request("session/set_mode", { sessionId: client.sessionId, modeId: "default" });
    void client.prompt("two");

    expect((await agent.nextRequest()).method).toBe(ASK);
  });

  test("modeChange `agentDriven`: the agent leaves the asking mode in each turn", async () => {
    const { said, agent } = await played({ modeChange: "agentDriven" });

    expect(update(said, 0)).toEqual({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
    expect(agent.requests).toEqual([]);
  });

  test("pieces of output grow in the content, or are told alone in an own terminal", async () => {
    const answer = [acpStep.calls({ ...SHELL, permission: false, pieces: ["a", "b"], output: "" })];
    const grown = await played({ answer });
    const own = await played({ answer, terminals: "own" });

    expect(grown.said.slice(2, 4).map((each) => each.params.update.content[0].content.text)).toEqual([
      "a",
      "ab",
    ]);
    expect(own.said.slice(2, 5).map((each) => each.params.update._meta)).toEqual([
      { terminal_output_delta: { data: "a", terminal_id: "c" } },
      { terminal_output_delta: { data: "b", terminal_id: "c" } },
      { terminal_exit: { exit_code: 0, signal: null, terminal_id: "c" } },
    ]);
    expect(update(own.said, 0).content).toEqual([{ type: "terminal", terminalId: "c" }]);
  });
});

describe("files and terminals of the client", () => {
  const edit = (oldText?: string): MockAcpAnswer => [
    acpStep.calls(acpTool.edit("/project/a.txt", "new", oldText, { toolCallId: "c", permission: false })),
  ];
  const offer = (readTextFile: boolean, writeTextFile: boolean) => ({ fs: { readTextFile, writeTextFile } });

  /** Prompts, and answers each request of the agent by its method; what it asked. */
  async function served(options: MockAcpOptions, capabilities: object, answers: Record<string, unknown>) {
    const agent = new MockAcpAgent(options);
    const client = await RawAcp.inSession(agent, capabilities);
    await client.promptServing("go", (request) => {
      const answer = answers[request.method ?? ""];
      if (answer === undefined) client.refuse(request, -32002, "Resource not found: /project/a.txt");
      else client.answer(request, answer);
    });
    await agent.stop();
    return { agent, client, asked: agent.requests.map(({ method }) => method) };
  }

  test("clientFs `readWrite` uses what is offered, and takes a missing file for a new one", async () => {
    const both = await served({ answer: edit() }, offer(true, true), { "fs/write_text_file": {} });
    const write = await served({ answer: edit() }, offer(false, true), { "fs/write_text_file": {} });
    const none = await served({ answer: edit() }, {}, {});

    expect(both.asked).toEqual(["fs/read_text_file", "fs/write_text_file"]);
    expect(both.client.updates.at(-1)).toBe("update c completed");
    expect(write.asked).toEqual(["fs/write_text_file"]);
    expect(none.asked).toEqual([]);
  });

  test("clientFs `strictNotFound` writes no new file where reading is offered", async () => {
    const options: MockAcpOptions = { clientFs: "strictNotFound", answer: edit() };
    const both = await served(options, offer(true, true), { "fs/write_text_file": {} });
    const write = await served(options, offer(false, true), { "fs/write_text_file": {} });

    expect(both.asked).toEqual(["fs/read_text_file"]);
    expect(both.client.updates.at(-1)).toBe("update c failed");
    expect(write.client.updates.at(-1)).toBe("update c completed");
  });

  test("clientFs `writeUnoffered` writes without an offer; serving it is a violation", async () => {
    const options: MockAcpOptions = { clientFs: "writeUnoffered", answer: edit("old") };
    const refused = await served(options, {}, {});
    const done = await served(options, {}, { "fs/write_text_file": {} });

    expect(refused.asked).toEqual(["fs/write_text_file"]);
    expect(refused.agent.violations).toEqual([]);
    expect(done.agent.violations).toMatchObject([{ kind: "unoffered-result", detail: "fs/write_text_file" }]);
  });

  test("clientFs `none` asks for nothing", async () => {
    const { asked } = await served({ clientFs: "none", answer: edit() }, ALL_CAPABILITIES, {});

    expect(asked).toEqual([]);
  });

  test("a call with a `path` reads through the client", async () => {
    const answer: MockAcpAnswer = function* () {
      const [read] = yield* acpStep.calls(acpTool.read("/project/a.txt", "own"));
      yield read?.output ?? "";
    };
    const { client } = await served({ answer }, offer(true, false), {
      "fs/read_text_file": { content: "hers" },
    });

    expect(client.updates.at(-1)).toBe('"hers"');
  });

  const TERMINAL = {
    "terminal/create": { terminalId: "t" },
    "terminal/wait_for_exit": { exitCode: 0, signal: null },
    "terminal/output": { output: "hi\n", truncated: false },
    "terminal/release": {},
  };
  const run = [acpStep.calls({ ...SHELL, permission: false })];

  test("terminals `client`: create, wait, output, release, if offered", async () => {
    const offered = await served({ terminals: "client", answer: run }, ALL_CAPABILITIES, TERMINAL);
    const not = await served({ terminals: "client", answer: run }, {}, {});

    expect(offered.asked).toEqual(Object.keys(TERMINAL));
    expect(offered.agent.requests[0]?.params).toMatchObject({ command: "ls", outputByteLimit: 50_000 });
    expect(offered.agent.violations).toEqual([]);
    expect(not.asked).toEqual([]);
  });

  test("a cancel releases an open terminal, and waits for nothing else", async () => {
    await using agent = new MockAcpAgent({ terminals: "client", answer: run });
    const client = await RawAcp.inSession(agent, ALL_CAPABILITIES);
    const response = client.prompt("go");
    client.answer(await client.nextRequest("terminal/create"), { terminalId: "t" });
    await client.nextRequest("terminal/wait_for_exit");
    client.cancel();

    expect((await client.nextRequest("terminal/release")).params).toMatchObject({ terminalId: "t" });
    expect(kindOf(await response)).toBe("cancelled");
  });
});

describe("a model that fails", () => {
  const answer = [acpStep.fail(500, "Down"), "never"];
  test.each([
    ["rpcError", ["error -32603"]],
    ["textEndTurn", ['"API Error: 500 Down"', "end_turn"]],
    ["silentEndTurn", ["end_turn"]],
    ["textAndError", ['"API Error: 500 Down"', "error -32603"]],
    ["httpCode", ["error 500"]],
  ] as const)("modelError `%s`", async (modelError, end) => {
    const { said, agent } = await played({ modelError, answer });

    expect(kinds(said)).toEqual(end);
    expect(agent.prompts[0]?.outcome).toBe(end.at(-1)?.startsWith("error") ? "error" : "end_turn");
  });

  test("modelError `hang` lasts until the cancel", async () => {
    await using agent = new MockAcpAgent({ modelError: "hang", answer });
    const client = await RawAcp.inSession(agent);
    const response = client.prompt("go");
    await agent.nextPrompt();
    client.cancel();

    expect(kindOf(await response)).toBe("cancelled");
  });

  test("a 401 of `claude` and `codex` is -32000", async () => {
    const unauthorized = [acpStep.fail(401, "No key")];
    for (const profile of ["claude", "codex"] as const) {
      const { response } = await played({ profile, answer: unauthorized });
      expect(response.error?.code).toBe(-32000);
    }
  });
});

describe("two prompts in one session", () => {
  /** The first turn hangs until it is cancelled; the second says its text. */
  async function twice(options: MockAcpOptions) {
    const agent = new MockAcpAgent({
      answer: ({ number, text }) => (number === 1 ? ["one", acpStep.hang()] : [text]),
      ...options,
    });
    const client = await RawAcp.inSession(agent);
    const first = client.prompt("one");
    await agent.nextPrompt();
    const second = client.prompt("two");
    await agent.waitFor(({ prompts }) => prompts.length === 2);
    return { agent, client, first, second };
  }

  test("each second one is a violation", async () => {
    const { agent } = await twice({});

    expect(agent.violations).toMatchObject([{ kind: "prompt-mid-turn" }]);
    await agent.stop();
  });

  test("secondPrompt `queue`: it waits for the first", async () => {
    const { agent, client, first, second } = await twice({ secondPrompt: "queue" });
    client.cancel();

    expect([kindOf(await first), kindOf(await second)]).toEqual(["cancelled", "end_turn"]);
    await agent.stop();
  });

  test.each([
    ["cancelFirst", "cancelled"],
    ["failFirst", "error -32603"],
  ] as const)("secondPrompt `%s`: the first ends with %s, the second runs", async (secondPrompt, end) => {
    const { agent, first, second } = await twice({ secondPrompt });

    expect([kindOf(await first), kindOf(await second)]).toEqual([end, "end_turn"]);
    await agent.stop();
  });

  test("secondPrompt `interleave`: both run", async () => {
    const { agent, client, first, second } = await twice({ secondPrompt: "interleave" });
    expect(kindOf(await second)).toBe("end_turn");
    client.cancel();

    expect(kindOf(await first)).toBe("cancelled");
    await agent.stop();
  });

  test("secondPrompt `error`: the second fails, the first goes on", async () => {
    const { agent, client, first, second } = await twice({ secondPrompt: "error" });
    expect((await second).error?.message).toBe("A turn is already running");
    client.cancel();

    expect(kindOf(await first)).toBe("cancelled");
    await agent.stop();
  });

  test("secondPrompt `silence`: the second is never answered", async () => {
    const { agent, client, first } = await twice({ secondPrompt: "silence" });
    client.cancel();
    await first;
    await client.request("session/list", {});

    expect(agent.prompts.map(({ outcome }) => outcome)).toEqual(["cancelled", undefined]);
    await agent.stop();
  });

  test("secondPrompt `together`: both are answered at the end of the first", async () => {
    const { agent, client, first, second } = await twice({ secondPrompt: "together" });
    client.cancel();

    expect([kindOf(await first), kindOf(await second)]).toEqual(["cancelled", "cancelled"]);
    await agent.stop();
  });
});

describe("a cancel", () => {
  test("cancel `ends`: the turn ends, with no answer to its permission", async () => {
    await using turn = await asking({});
    turn.client.cancel();

    expect(kindOf(await turn.response)).toBe("cancelled");
    expect(turn.said().slice(2)).toEqual(["update c failed", "cancelled"]);
  });

  test("cancel `needsAnswers`: the turn ends once its permission is answered", async () => {
    await using turn = await asking({ cancel: "needsAnswers" });
    turn.client.cancel();
    await turn.client.request("session/list", {});
    expect(turn.agent.prompts[0]?.outcome).toBeUndefined();
    turn.client.answer(turn.request, { outcome: { outcome: "cancelled" } });

    expect(kindOf(await turn.response)).toBe("cancelled");
    expect(turn.agent.requests[0]).toMatchObject({ cancelledFirst: true });
    expect(turn.said()).not.toContain('"done"');
  });

  test("cancel `ignored`: the turn goes on to its end", async () => {
    await using turn = await asking({ cancel: "ignored" });
    turn.client.cancel();
    turn.client.decide(turn.request, "allow_once");

    expect(kindOf(await turn.response)).toBe("end_turn");
  });

  test("a client that cancelled in vain may end stdin", async () => {
    await using turn = await asking({ cancel: "ignored" });
    turn.client.cancel();
    turn.client.answer(turn.request, { outcome: { outcome: "cancelled" } });
    turn.client.endInput();
    await turn.client.waitFor(() => turn.client.ended);

    expect(turn.agent.violations).toEqual([]);
  });

  test("cancel `slow`: the turn ends 1.7 s later", async () => {
    const clock = new ManualClock();
    await using turn = await asking({ cancel: "slow", clock });
    turn.client.cancel();
    await turn.agent.nextCancel();
    await clock.advance(1699);
    expect(turn.agent.prompts[0]?.outcome).toBeUndefined();
    await clock.advance(1);

    expect(kindOf(await turn.response)).toBe("cancelled");
  });

  test("cancel `completes`: the response is `end_turn`, and the open calls are completed", async () => {
    await using turn = await asking({ cancel: "completes" });
    turn.client.cancel();
    await turn.response;

    expect(turn.said().slice(2)).toEqual(["update c completed", "end_turn"]);
  });

  test.each([
    ["failed", ["update c failed", "cancelled"]],
    ["completed", ["update c completed", "cancelled"]],
    ["left", ["cancelled"]],
  ] as const)("openCallsAtCancel `%s`", async (openCallsAtCancel, end) => {
    await using turn = await asking({ openCallsAtCancel });
    turn.client.cancel();
    await turn.response;

    expect(turn.said().slice(2)).toEqual(end);
  });

  test("cancelRequest `honoured`: `$/cancel_request` ends the prompt; `ignored`: it does not", async () => {
    await using honoured = await asking({});
    honoured.client.notify("$/cancel_request", { requestId: 2 });
    expect(kindOf(await honoured.response)).toBe("cancelled");
    await using ignored = await asking({ cancelRequest: "ignored" });
    ignored.client.notify("$/cancel_request", { requestId: 2 });
    await ignored.client.request("session/list", {});

    expect(ignored.agent.prompts[0]?.outcome).toBeUndefined();
  });

  test("cancelRequest `sends`: the agent withdraws its permission", async () => {
    await using turn = await asking({ cancelRequest: "sends" });
    turn.client.cancel();
    await turn.response;

    expect(turn.said().slice(2)).toEqual(["update c failed", "$/cancel_request", "cancelled"]);
    expect(turn.client.said.find(({ method }) => method === "$/cancel_request")?.params).toEqual({
      requestId: turn.request.id,
    });
  });
});

describe("sessions", () => {
  /** A session with one turn, loaded on a second link. */
  async function loaded(options: MockAcpOptions, method = "session/load") {
    const answer = [acpStep.thought("hm"), acpStep.calls({ ...SHELL, permission: false })];
    const agent = new MockAcpAgent({ answer, ...options });
    const old = await RawAcp.inSession(agent);
    await old.prompt("hello");
    const client = RawAcp.to(agent);
    await client.initialize();
    const place = client.said.length;
    const params = { sessionId: old.sessionId, cwd: "/project", mcpServers: [] };
    await client.request(method, params);
    await client.request("session/list", {});
    await agent.stop();
    return { agent, said: kinds(client.said.slice(place, -1)) };
  }
  const REPLAY = ['user "hello"', 'thought "hm"', "call c pending", "update c completed"];

  test.each([
    ["replay", [...REPLAY, "result"]],
    ["silent", ["result"]],
    ["error", ["error -32603"]],
    ["late", ["result", ...REPLAY]],
  ] as const)("load `%s`", async (load, expected) => {
    const { said, agent } = await loaded({ load });

    expect(said).toEqual(expected);
    expect(agent.violations).toEqual([]);
  });

  test("`session/resume` replays nothing", async () => {
    const { said } = await loaded({}, "session/resume");

    expect(said).toEqual(["result"]);
  });

  test.each([
    ["configOptions", ["configOptions", "modes", "sessionId"]],
    ["legacy", ["models", "modes", "sessionId"]],
    ["both", ["configOptions", "models", "modes", "sessionId"]],
    ["none", ["modes", "sessionId"]],
  ] as const)("models `%s`", async (models, fields) => {
    await using agent = new MockAcpAgent({ models });
    const client = RawAcp.to(agent);
    await client.initialize();
    const { result } = await client.newSession();
    const { sessionId } = client;
    const legacy = await client.request("session/set_model", { sessionId, modelId: "mock-model-large" });
    const config = { sessionId, configId: "model", value: "mock-model-large" };
    const option = await client.request("session/set_config_option", config);

    expect(Object.keys(result).sort()).toEqual(fields);
    expect(legacy.error?.code).toBe(result.models ? undefined : -32601);
    expect(option.result?.configOptions?.[1].currentValue).toBe(
      result.configOptions ? "mock-model-large" : undefined,
    );
  });

  test("list, close and delete know the agent's sessions", async () => {
    await using agent = new MockAcpAgent();
    const client = await RawAcp.inSession(agent);
    await client.prompt("a title");
    const { sessionId } = client;
    const list = await client.request("session/list", { cwd: "/project" });
    await client.request("session/close", { sessionId });
    const closed = await client.prompt("closed");
    await client.request("session/delete", { sessionId });
    const empty = await client.request("session/list", {});

    expect(list.result.sessions).toEqual([{ sessionId, cwd: "/project", title: "a title" }]);
    expect(closed.error?.code).toBe(-32002);
    expect(empty.result.sessions).toEqual([]);
  });
});

describe("authentication", () => {
  const login = { methodId: "login" };

  test("auth `atNew`: `session/new` fails until `authenticate`", async () => {
    await using agent = new MockAcpAgent({ auth: "atNew" });
    const client = RawAcp.to(agent);
    await client.initialize();
    expect((await client.newSession()).error?.code).toBe(-32000);
    await client.request("authenticate", login);

    expect((await client.newSession()).error).toBeUndefined();
    expect(agent.violations).toEqual([]);
  });

  test("auth `atPrompt`: `session/prompt` fails until `authenticate`, and again behind `logout`", async () => {
    await using agent = new MockAcpAgent({ auth: "atPrompt" });
    const client = await RawAcp.inSession(agent);
    expect((await client.prompt("go")).error?.code).toBe(-32000);
    await client.request("authenticate", login);
    expect(kindOf(await client.prompt("go"))).toBe("end_turn");
    await client.request("logout", {});

    expect((await client.prompt("go")).error?.code).toBe(-32000);
  });

  test("auth `refuses`: `authenticate` fails too", async () => {
    await using agent = new MockAcpAgent({ auth: "refuses" });
    const client = RawAcp.to(agent);
    await client.initialize();

    expect((await client.request("authenticate", login)).error?.code).toBe(-32000);
    expect((await client.newSession()).error?.code).toBe(-32000);
  });
});

describe("what is said of messages", () => {
  const answer = ["a", acpStep.thought("t"), "b"];

  test("messageIds: one for each run of chunks of a kind", async () => {
    const { said } = await played({ messageIds: true, answer: ["a", "b", acpStep.thought("t"), "c"] });

    expect(said.slice(0, 4).map((each) => each.params.update.messageId)).toEqual([
      ...["msg_2", "msg_2", "msg_3", "msg_4"], // the prompt is the first message
    ]);
  });

  test("emptyChunks, thoughts, echoPrompt", async () => {
    const empty = await played({ emptyChunks: true, answer: ["a"] });
    const without = await played({ thoughts: false, answer });
    const echo = await played({ echoPrompt: true, answer: ["a"] });

    expect(kinds(empty.said)).toEqual(['""', '"a"', "end_turn"]);
    expect(kinds(without.said)).toEqual(['"a"', '"b"', "end_turn"]);
    expect(kinds(echo.said)).toEqual(['user "go"', '"a"', "end_turn"]);
  });

  test("usage `cumulative` sums over the session; `meta` and `none` have no `usage`", async () => {
    await using agent = new MockAcpAgent({
      usage: "cumulative",
      answer: [acpStep.usage({ inputTokens: 7 })],
    });
    const client = await RawAcp.inSession(agent);
    await client.prompt("one");
    const { result } = await client.prompt("two");
    const meta = await played({ usage: "meta", answer });
    const none = await played({ usage: "none", answer });

    expect(result.usage).toEqual({ inputTokens: 14, outputTokens: 20, totalTokens: 34 });
    expect(meta.response.result).toEqual({
      stopReason: "end_turn",
      _meta: { quota: { token_count: { input_tokens: 20, output_tokens: 10 } } },
    });
    expect(none.response.result).toEqual({ stopReason: "end_turn" });
  });

  test.each([
    ["update", "thing_of_tomorrow"],
    ["notification", "_mock/notify"],
    ["request", "craft/drainMidTurnQueue"],
    ["stopReason", "max_vibes"],
  ] as const)("unknown `%s`", async (unknown, kind) => {
    const { said } = await played({ unknown, answer: ["a"] });

    expect(kinds(said)).toContain(kind);
  });

  test("unknown `field`: in every update and result", async () => {
    const { said } = await played({ unknown: "field", answer: ["a"] });

    expect(update(said, 0).laterField).toBeDefined();
    expect(said[1]?.result.laterField).toBeDefined();
  });
});

describe("the wire", () => {
  test("stray `beforeInit`: a banner is the first line", async () => {
    const { client } = await played({ stray: "beforeInit", answer: [] });

    expect(client.lines[0]).toBe("This agent is no longer maintained. Please upgrade.");
  });

  test.each([
    ["midTurn", "Warning: something that is no message"],
    ["halfLine", '{"jsonrpc":"2.0","method":"session/update","params":{"sess'],
  ] as const)("stray `%s`: a line in each turn", async (stray, line) => {
    const { client } = await played({ stray, answer: [] });

    expect(client.lines[2]).toBe(line);
    expect(client.lines).toHaveLength(4);
  });

  test("stray `crlf` and `bom`", async () => {
    const crlf = await played({ stray: "crlf", answer: [] });
    const bom = await played({ stray: "bom", answer: [] });

    expect(crlf.client.lines.every((line) => line.endsWith("}\r"))).toBe(true);
    expect(bom.client.lines.map((line) => line.startsWith("\uFEFF"))).toEqual([true, false, false]);
  });

  test("stray `splitUtf8` and chunking cut the writes, and lose nothing", async () => {
    const split = await played({ stray: "splitUtf8", answer: ["häß"] });
    const bytes = await played({ chunking: 5, answer: ["häß"] });

    expect(split.client.updates).toEqual(['"häß"']);
    expect(split.client.reads).toHaveLength(6); // four lines, one of them in three pieces
    expect(bytes.client.updates).toEqual(['"häß"']);
    expect(Math.max(...bytes.client.reads.map(({ length }) => length))).toBe(5);
  });

  test("huge: a chunk of 33 MiB, or of a number of bytes", async () => {
    const { client } = await played({ huge: 1000, answer: [] });
    const { client: whole } = await played({ huge: true, answer: [] });

    expect(client.updates[0]).toHaveLength(1002);
    expect(whole.updates[0]).toHaveLength(33 * 1_048_576 + 2);
  });

  test.each([0, 2, "1"] as const)("protocolVersion %o", async (protocolVersion) => {
    await using agent = new MockAcpAgent({ protocolVersion });

    expect((await RawAcp.to(agent).initialize()).result.protocolVersion).toBe(protocolVersion);
  });

  test("startDelay holds the response to `initialize`", async () => {
    const clock = new ManualClock();
    await using agent = new MockAcpAgent({ startDelay: 60_000, clock });
    const client = RawAcp.to(agent);
    const response = client.initialize();
    await agent.waitFor(({ received }) => received.length === 1);
    await clock.advance(59_999);
    expect(client.said).toEqual([]);
    await clock.advance(1);

    expect((await response).result.protocolVersion).toBe(1);
  });

  test("dieAt ends the streams behind a number of messages; `acpStep.die` in a script", async () => {
    await using agent = new MockAcpAgent({ dieAt: { after: 3, exit: 1 }, answer: ["a", "b"] });
    const client = await RawAcp.inSession(agent);
    void client.prompt("go");
    await client.waitFor(() => client.ended);
    await using other = new MockAcpAgent({ answer: ["a", acpStep.die({ closeStdout: true }), "b"] });
    const second = await RawAcp.inSession(other);
    void second.prompt("go");
    await second.waitFor(() => second.ended);

    expect(client.updates).toEqual(['"a"']);
    expect(agent.links[0]?.ended).toEqual({ exit: 1 });
    expect(second.updates).toEqual(['"a"']);
    expect(other.links[0]?.ended).toEqual({ closeStdout: true });
  });

  test.each([
    ["exits", true, true],
    ["ignores", false, false],
    ["finishesTurn", false, true],
  ] as const)("stdinEnd `%s` in process", async (stdinEnd, atOnce, atEnd) => {
    const clock = new ManualClock();
    await using agent = new MockAcpAgent({ stdinEnd, clock, answer: [acpStep.delay(10), "late"] });
    const client = await RawAcp.inSession(agent);
    void client.prompt("go");
    await agent.nextPrompt();
    client.endInput();
    const link = await agent.nextLink();
    await agent.waitFor(() => link.inputEnded);
    expect(link.ended !== undefined).toBe(atOnce);
    await clock.advance(10);

    expect(link.ended !== undefined).toBe(atEnd);
    expect(client.updates.includes('"late"') || atOnce).toBe(true);
  });
});
