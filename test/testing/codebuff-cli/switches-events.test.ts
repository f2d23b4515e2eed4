import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeCodebuffCli, type FakeCodebuffStep } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { eventsOf, objectOf, played, run, STREAM } from "./fake.ts";

const START = { type: "start", messageHistoryLength: 0 };
const SAID = { type: "text", text: "You said: hi" };
const FINISH = { type: "finish", agentId: "base2", totalCost: 1 };

describe("scripted events", () => {
  test("default to a text that repeats the prompt", async () => {
    expect(await eventsOf({})).toEqual([START, SAID, FINISH]);
  });

  test("are printed unchanged, together with raw output", async () => {
    const events: readonly FakeCodebuffStep[] = [
      { type: "start", messageHistoryLength: 0 },
      { delayMs: 5 },
      { type: "text", text: "hé 👋", unheard: [1] },
      "a chunk",
      { raw: "not json\n" },
      { json: null },
      { json: { no: "type" } },
      { base64: Buffer.from([0xff, 0x0a]).toString("base64") },
      { stderr: "aside\n" },
      { type: "finish", totalCost: 3 },
    ];
    const { bytes, stderr, code } = await played({ events });

    const before = `{"type":"start","messageHistoryLength":0}
{"type":"text","text":"hé 👋","unheard":[1]}
"a chunk"
not json
null
{"no":"type"}
`;
    const after = '{"type":"finish","totalCost":3}\n';
    expect(bytes).toEqual(
      Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0x0a]), Buffer.from(after)]),
    );
    expect({ stderr, code }).toEqual({ stderr: "aside\n", code: 0 });
  });

  test("can have any number and order, and need no end", async () => {
    expect(await played({ events: [] })).toMatchObject({ stdout: "", code: 0 });
  });

  test("are replaced by the exact parsed prompt with echoPrompt", async () => {
    const events = await eventsOf({ echoPrompt: true, events: [] }, ["--stream-json", "two", " words"]);

    expect(events[1]).toEqual({ type: "text", text: "two  words" });
  });
});

describe("a group of events", () => {
  test("askUser: a question that no user can answer", async () => {
    const [, , call, result, finish] = await eventsOf({ askUser: true });

    expect(call).toMatchObject({
      type: "tool_call",
      toolCallId: "ask_1",
      toolName: "ask_user",
      input: { questions: [{ question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] }] },
    });
    expect(result).toMatchObject({
      type: "tool_result",
      toolCallId: "ask_1",
      output: [{ type: "json", value: { errorMessage: expect.any(String) } }],
    });
    expect(finish).toEqual(FINISH);
  });

  test("subagents: each starts, prints a text and finishes", async () => {
    const events = (await eventsOf({ subagents: 2 })).slice(2, -1);

    expect(events.map(({ type, agentId }) => `${type} ${agentId}`)).toEqual([
      ...["subagent_start sub_1", "text sub_1", "subagent_finish sub_1"],
      ...["subagent_start sub_2", "text sub_2", "subagent_finish sub_2"],
    ]);
    expect(events[0]).toMatchObject({
      agentType: "reviewer",
      displayName: "Reviewer 1",
      onlyChild: false,
      parentAgentId: "main-agent",
      prompt: expect.any(String),
    });
  });

  test("progress: a tool that reports its progress", async () => {
    const events = (await eventsOf({ progress: 2 })).slice(2, -1);

    expect(events.map(({ type, toolCallId, output }) => [type, toolCallId, output])).toEqual([
      ["tool_call", "progress_1", undefined],
      ["tool_progress", "progress_1", "1/2"],
      ["tool_progress", "progress_1", "2/2"],
      ["tool_result", "progress_1", [{ type: "json", value: { exitCode: 0 } }]],
    ]);
  });

  test.each(["complete", "failed"] as const)("download: %s, before all other output", async (download) => {
    const [first, second] = await eventsOf({ download, version: "2.0.0" });

    expect(first).toEqual({ type: "download", version: "2.0.0", status: download });
    expect(second).toEqual(START);
  });

  test("precedes the root agent's finish, not a sub-agent's", async () => {
    const sub = { agentId: "s", agentType: "t", displayName: "T", onlyChild: true };
    const events = await eventsOf({
      flood: 1,
      events: [
        { type: "subagent_start", ...sub },
        { type: "finish", agentId: "s", totalCost: 1 },
        { type: "finish" },
      ],
    });

    expect(events.map(({ type }) => type)).toEqual(["subagent_start", "finish", "text", "finish"]);
  });

  test("comes at the end if there is no finish", async () => {
    const events = await eventsOf({ flood: 1, events: ["a"] });

    expect(events).toEqual(["a", { type: "text", text: "0 " }]);
  });
});

describe("a changed event", () => {
  const types = async (scenario: Parameters<typeof eventsOf>[0]) =>
    (await eventsOf(scenario)).map(({ type }) => type);

  test("noFinish: finish is omitted", async () => {
    expect(await types({ noFinish: true, progress: 1 })).toEqual([
      ...["start", "text", "tool_call", "tool_progress", "tool_result"],
    ]);
  });

  test("dupFinish and dupStart: each is printed twice", async () => {
    expect(await types({ dupFinish: true, dupStart: true })).toEqual([
      ...["start", "start", "text", "finish", "finish"],
    ]);
  });

  test.each(["session_id", "chatId"])("sessionKey: start has the session id as %s", async (sessionKey) => {
    const [start] = await eventsOf({ sessionKey, sessionId: "s1" });

    expect(start).toEqual({ ...START, [sessionKey]: "s1" });
  });

  test("sessionKey: the session id is the continued one, or else the time", async () => {
    await using cli = await FakeCodebuffCli.start({ sessionKey: "session_id" });
    const [continued, fresh] = await Promise.all([
      run(cli, ["--continue", "c1", ...STREAM]),
      run(cli, STREAM),
    ]);

    expect(continued.stdout).toContain('"session_id":"c1"');
    expect(fresh.stdout).toMatch(/"session_id":"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z"/);
  });
});

describe("an output mode", () => {
  const ALSO = [
    { type: "start", model: "m", messageHistoryLength: 0 },
    { type: "text", text: "Hello " },
    { type: "text", text: "(aside)", agentId: "s" },
    { type: "subagent_start", agentId: "s", agentType: "t", displayName: "T", onlyChild: true, model: "n" },
    { type: "error", message: "a hitch" },
    { type: "text", text: "there" },
    { type: "finish", totalCost: 5 },
  ];

  test("jsonObject: prints this object, regardless of the options", async () => {
    const { stdout, code } = await played({ jsonObject: { success: false, error: "own" } });

    expect(stdout).toBe('{\n  "success": false,\n  "error": "own"\n}\n');
    expect(code).toBe(0);
  });

  test("plain: prints only the root agent's text, regardless of the options", async () => {
    expect(await played({ plain: true, events: ALSO })).toMatchObject({
      stdout: "Hello there\n",
      stderr: "",
    });
  });

  test("quiet: prints only the root agent's text, at the end", async () => {
    expect(await played({ quiet: true, stallAfter: 9, events: ALSO })).toMatchObject({
      stdout: "Hello there\n",
    });
  });

  test("--json: has short traces, and counts chunks once", async () => {
    const { stdout } = await played({ events: ["Hello ", "there", ...ALSO] }, ["--json", "--", "hi"]);

    expect(objectOf({ stdout })).toEqual({
      success: true,
      output: "Hello there",
      traces: [
        { type: "start", model: "m" },
        { type: "subagent_start", agentType: "t", model: "n" },
        { type: "error", message: "a hitch" },
      ],
    });
  });

  test("traceLines: prints progress on stderr, unless the run is quiet", async () => {
    const told = await played({ traceLines: true, events: ALSO }, ["-n", "--", "hi"]);
    const quiet = await played({ traceLines: true, events: ALSO }, ["-nq", "--", "hi"]);

    expect(told.stderr.split("\n").filter((line) => line.startsWith("["))).toEqual([
      "[agent] (m)",
      "[subagent] t",
      "[error] a hitch",
      "[cost: $0.0050]",
    ]);
    expect(quiet.stderr).toBe("");
  });
});

describe("continueStore", () => {
  async function talk(
    scenario: { unknownSession?: "newest" | "none" },
    ...continued: readonly (readonly string[])[]
  ) {
    await using folder = await tempFolder();
    const cli = await FakeCodebuffCli.start({ ...scenario, continueStore: join(folder.path, "chats.json") });
    for (const [at, options] of continued.entries()) {
      cli.set({ sessionId: `s${at}` });
      await run(cli, ["--stream-json", ...options, "--", `p${at}`]);
    }
    await cli.stop();
    return cli
      .runs()
      .map(({ sessionId, history }) => `${sessionId}: ${history?.map(({ content }) => content)}`);
  }

  test("stores the messages, and --continue continues them", async () => {
    expect(await talk({}, [], [], ["--continue", "s0"], ["--continue", "s0"])).toEqual([
      "s0: ",
      "s1: ",
      "s0: p0,You said: p0",
      "s0: p0,You said: p0,p2,You said: p2",
    ]);
  });

  test("continues the newest conversation without an id, and for an unknown id", async () => {
    expect(await talk({}, [], [], ["--continue", "s0"], ["--continue"], ["--continue", "x"])).toEqual([
      "s0: ",
      "s1: ",
      expect.stringMatching(/^s0: p0,/),
      expect.stringMatching(/^s0: p0,.*p2,/),
      expect.stringMatching(/^s0: p0,.*p3,/),
    ]);
  });

  test("starts a new conversation for an unknown id with unknownSession: none", async () => {
    expect(await talk({ unknownSession: "none" }, [], ["--continue", "x"])).toEqual(["s0: ", "s1: "]);
  });

  test("is reported in start, and ignored by the fork", async () => {
    await using folder = await tempFolder();
    const continueStore = join(folder.path, "chats.json");
    await writeFile(
      continueStore,
      JSON.stringify({ c1: { at: 1, messages: [{ role: "user", content: "before" }] } }),
    );
    const [start] = await eventsOf({ continueStore }, ["--continue", "c1", ...STREAM]);
    const fork = await played({ continueStore, profile: "fork" }, ["--continue", "c1", "-n", "hi"]);

    expect(start).toMatchObject({ messageHistoryLength: 1 });
    expect(fork.record).toMatchObject({ history: [], sessionId: expect.not.stringMatching(/^c1$/) });
    expect(fork.code).toBe(0);
  });
});
