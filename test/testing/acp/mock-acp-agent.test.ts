import { isAgentwireError } from "agentwire";
import { acpStep, acpTool, ManualClock, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { ALL_CAPABILITIES, kinds, RawAcp } from "./raw-client.ts";

describe("a turn of the documented agent", () => {
  test("repeats the prompt without a script, and records both directions", async () => {
    await using agent = new MockAcpAgent();
    const client = await RawAcp.inSession(agent);
    const response = await client.prompt("hello");

    expect(client.updates).toEqual(['"You said: "', '"hello"']);
    expect(response.result).toEqual({
      stopReason: "end_turn",
      usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
    });
    expect(agent.received.map(({ type, method }) => `${type} ${method}`)).toEqual([
      ...["request initialize", "request session/new", "request session/prompt"],
    ]);
    expect(agent.received[2]?.response).toEqual({ jsonrpc: "2.0", id: 2, result: response.result });
    expect(agent.prompts[0]).toMatchObject({ number: 1, text: "hello", outcome: "end_turn" });
    expect(agent.lines.map(({ direction }) => direction).join(" ")).toBe("in out in out in out out out");
    expect(agent.violations).toEqual([]);
  });

  test("answers `initialize` and `session/new` with what the agent is", async () => {
    await using agent = new MockAcpAgent({ sessionId: () => "s1" });
    const client = RawAcp.to(agent);
    const { result } = await client.initialize(ALL_CAPABILITIES);
    const session = await client.newSession();

    expect(result).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "mock-acp-agent" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, list: {} } },
      authMethods: [{ id: "login" }],
    });
    expect(session.result).toMatchObject({
      sessionId: "s1",
      modes: { currentModeId: "default" },
      configOptions: [{ category: "mode" }, { category: "model" }],
    });
    expect(agent.links[0]).toMatchObject({ id: 1, process: undefined, clientCapabilities: ALL_CAPABILITIES });
  });

  test("a call is announced, asked about, run and ended; the script sees its outcome", async () => {
    await using agent = new MockAcpAgent({
      *answer() {
        const [call] = yield* acpStep.calls(acpTool.shell("ls", "a.txt\n"));
        yield `${call?.state} ${call?.optionId} ${call?.output}`;
      },
    });
    const client = await RawAcp.inSession(agent);
    const response = client.prompt("look");
    client.decide(await client.nextRequest("session/request_permission"), "allow_once");
    await response;

    expect(kinds(client.said).slice(2)).toEqual([
      ...["call call_1 pending", "ask call_1", "update call_1 in_progress", "update call_1 completed"],
      ...['"completed allow-once a.txt\\n"', "end_turn"],
    ]);
    expect(client.said[2]?.params.update).toMatchObject({
      kind: "execute",
      title: "ls",
      rawInput: { command: "ls" },
    });
    expect(agent.requests[0]).toMatchObject({
      method: "session/request_permission",
      reply: { result: { outcome: { optionId: "allow-once" } } },
      cancelledFirst: false,
    });
  });

  test("`allow_always` is asked once in a session", async () => {
    await using agent = new MockAcpAgent({ answer: [acpStep.calls(acpTool.shell("ls"))] });
    const client = await RawAcp.inSession(agent);
    const first = client.prompt("one");
    client.decide(await client.nextRequest("session/request_permission"), "allow_always");
    await first;
    await client.prompt("two");

    expect(agent.requests).toHaveLength(1);
  });
});

describe("the steps of a script", () => {
  const steps: readonly (readonly [string, MockAcpOptions["answer"], readonly string[]])[] = [
    ["thought", [acpStep.thought("hm"), "yes"], ['thought "hm"', '"yes"', "end_turn"]],
    [
      "chunk",
      [acpStep.chunk({ type: "image", data: "AA==", mimeType: "image/png" })],
      ['"image"', "end_turn"],
    ],
    ["plan", [acpStep.plan({ content: "look" })], ["plan", "end_turn"]],
    ["context", [acpStep.context(1, 2, { amount: 1, currency: "USD" })], ["usage_update", "end_turn"]],
    ["commands", [acpStep.commands("a")], ["available_commands_update", "end_turn"]],
    ["title", [acpStep.title("a")], ["session_info_update", "end_turn"]],
    ["notice", [acpStep.notice("a")], ["notice", "end_turn"]],
    [
      "compaction",
      [acpStep.compaction("in_progress"), acpStep.compaction("completed", "short")],
      ["compaction_update", "compaction_update", "compaction_summary_chunk", "end_turn"],
    ],
    ["mode", [acpStep.mode("plan")], ["current_mode_update", "end_turn"]],
    ["notify", [acpStep.notify("_x/y", {})], ["_x/y", "end_turn"]],
    ["update", [acpStep.update({ sessionUpdate: "anything" })], ["anything", "end_turn"]],
    ["error", [acpStep.error(-32603, "no"), "never"], ["error -32603"]],
    ["stop", [acpStep.stop("refusal"), "never"], ["refusal"]],
    ["raw", [acpStep.raw('{"jsonrpc":"2.0","method":"raw"}')], ["raw", "end_turn"]],
    [
      "a throwing script",
      () => {
        throw new Error("oh");
      },
      ["error -32603"],
    ],
  ];
  test.each(steps)("%s", async (_, answer, said) => {
    await using agent = new MockAcpAgent(answer ? { answer } : {});
    const client = await RawAcp.inSession(agent, ALL_CAPABILITIES);
    await client.prompt("go");

    expect(kinds(client.said).slice(2)).toEqual(said);
  });

  test("requests to the client return its answers", async () => {
    const question = { requestedSchema: { type: "object", properties: {} } };
    await using agent = new MockAcpAgent({
      *answer() {
        const read = yield* acpStep.read("/project/a.txt", { line: 2 });
        const write = yield* acpStep.write("/project/b.txt", "b");
        const asked = yield* acpStep.ask("Which?", question);
        yield JSON.stringify([read, write, asked]);
      },
    });
    const client = await RawAcp.inSession(agent, ALL_CAPABILITIES);
    const response = client.prompt("go");
    client.answer(await client.nextRequest("fs/read_text_file"), { content: "a" });
    client.refuse(await client.nextRequest("fs/write_text_file"), -32602, "outside");
    client.answer(await client.nextRequest("elicitation/create"), { action: "decline" });
    await response;

    expect(JSON.parse(JSON.parse(client.updates[0] ?? ""))).toEqual([
      { result: { content: "a" } },
      { error: { code: -32602, message: "outside" } },
      { result: { action: "decline" } },
    ]);
    expect(agent.requests.map(({ params }) => params)).toMatchObject([
      { path: "/project/a.txt", line: 2, sessionId: client.sessionId },
      { path: "/project/b.txt", content: "b" },
      { mode: "form", message: "Which?" },
    ]);
  });

  test("a question is not asked where the client does not offer its mode", async () => {
    await using agent = new MockAcpAgent({
      answer: [acpStep.ask("Which?", { url: "https://x.test" }), "on"],
    });
    const client = await RawAcp.inSession(agent, { elicitation: { form: {} } });
    await client.prompt("go");

    expect(agent.requests).toEqual([]);
  });

  test("delay and hang wait on the clock, and until the cancel", async () => {
    const clock = new ManualClock();
    await using agent = new MockAcpAgent({ clock, answer: [acpStep.delay(50), "late", acpStep.hang()] });
    const client = await RawAcp.inSession(agent);
    const response = client.prompt("go");
    await agent.nextPrompt();
    await clock.advance(49);
    expect(client.updates).toEqual([]);
    await clock.advance(1);
    await client.waitFor(() => client.updates.length === 1);
    client.cancel();

    expect(await response).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(clock.pending).toBe(0);
  });

  test("a cancel returns a generator, and aborts its signal", async () => {
    const seen: string[] = [];
    await using agent = new MockAcpAgent({
      async *answer(_, { signal }) {
        signal.addEventListener("abort", () => seen.push("aborted"));
        try {
          yield acpStep.hang();
        } finally {
          seen.push("returned");
        }
      },
    });
    const client = await RawAcp.inSession(agent);
    const response = client.prompt("go");
    await agent.nextPrompt();
    client.cancel();
    await response;

    expect(seen).toEqual(["aborted", "returned"]);
    expect(agent.cancels).toMatchObject([{ stopped: true }]);
  });
});

describe("the mistakes of a test", () => {
  test.each([
    [{ profil: "gemini" }, "option `profil` does not exist. Did you mean `profile`?"],
    [{ profile: "gemni" }, "profile `gemni` does not exist. Did you mean `gemini`?"],
    [{ cancel: "never" }, "switch `cancel` has no such value."],
    [{ dieAt: { afer: 1 } }, "option `dieAt.afer` does not exist. Did you mean `after`?"],
    [{ answer: "text" }, "`answer` must be a function"],
  ])("new MockAcpAgent(%o) is refused", (options, message) => {
    const make = () => new MockAcpAgent(options as MockAcpOptions);

    expect(make).toThrow(message);
    try {
      make();
    } catch (error) {
      expect(isAgentwireError(error, "invalid-input")).toBe(true);
    }
  });

  test("a wrong field of a call is refused at the call, a wrong step by `stop()` and all waits", async () => {
    expect(() => acpStep.calls({ titel: "x" } as never)).toThrow("Did you mean `title`?");
    const agent = new MockAcpAgent({ answer: () => [42 as never] });
    const client = await RawAcp.inSession(agent);
    void client.prompt("go");

    await expect(agent.waitFor(() => false)).rejects.toThrow("step 1 of the script is no step");
    await expect(agent.stop()).rejects.toThrow("step 1 of the script is no step");
  });
});
