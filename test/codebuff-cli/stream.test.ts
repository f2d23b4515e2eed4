import type { CodebuffCliEvent, CodebuffCliResult } from "agentwire/codebuff-cli";
import type { FakeCodebuffScenario } from "agentwire/testing";
import { expect } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { describe, test } from "./rows.ts";

/** The whole of one run. */
async function run(scenario: FakeCodebuffScenario, options: Parameters<typeof cliWorld>[1] = {}) {
  await using at = await cliWorld(scenario, options);
  const turn = at.client.prompt("hi");
  const events: CodebuffCliEvent[] = [];
  for await (const event of turn) events.push(event);
  const result: CodebuffCliResult = await turn.result;
  return { events, result, warnings: at.warnings, turn };
}

/** What the documents show of a run. */
const DOCUMENTED = [
  { type: "download", version: "1.0.600", status: "complete" },
  { type: "start", model: "openai/gpt-5-mini", messageHistoryLength: 0 },
  { type: "reasoning_delta", text: "look first", runId: "r1", ancestorRunIds: [] },
  { type: "text", text: "I will look." },
  {
    type: "tool_call",
    toolCallId: "t1",
    toolName: "read_files",
    input: { paths: ["a.txt"] },
    agentId: "main-agent",
  },
  { type: "tool_progress", toolCallId: "t1", toolName: "read_files", output: "1/1" },
  {
    type: "tool_result",
    toolCallId: "t1",
    toolName: "read_files",
    output: [{ type: "json", value: [{ path: "a.txt", content: "hé 👋" }] }],
  },
  {
    type: "subagent_start",
    agentId: "s1",
    agentType: "reviewer",
    displayName: "Reviewer",
    onlyChild: true,
    parentAgentId: "main-agent",
    prompt: "check it",
  },
  { type: "text", text: "looks fine", agentId: "s1" },
  { type: "subagent_chunk", agentId: "s1", agentType: "reviewer", chunk: "so" },
  { type: "reasoning_chunk", agentId: "s1", ancestorRunIds: ["r1"], chunk: "hm" },
  {
    type: "subagent_finish",
    agentId: "s1",
    agentType: "reviewer",
    displayName: "Reviewer",
    onlyChild: true,
    parentAgentId: "main-agent",
  },
  { type: "error", message: "Tool `nope` is not currently available." },
  { type: "dance", steps: 3 },
  { type: "finish", agentId: "base2", totalCost: 12 },
] as const;

/** As a turn yields them. */
const YIELDED = DOCUMENTED.map((event) => {
  if (event.type === "text") return { ...event, delta: "agentId" in event ? "" : event.text };
  return event.type === "dance" ? { type: "unknown", event } : event;
});

const SIMPLE = { events: DOCUMENTED } satisfies FakeCodebuffScenario;

describe("a stream of events", () => {
  test("7 round trip & 2.4 framing event & switch events=list: has every type and field unchanged, in order", async () => {
    const { events, result, warnings } = await run(SIMPLE);

    expect(events).toEqual(YIELDED);
    expect(result).toMatchObject({
      text: "I will look.",
      cost: { amount: 12, unit: "credits" },
      exitCode: 0,
      toolCalls: [{ id: "t1", name: "read_files", state: "done", agentId: "main-agent" }],
    });
    expect(result).not.toHaveProperty("missingFinish");
    expect(warnings).toEqual([]);
  });

  test.each<[string, FakeCodebuffScenario]>([
    ["switch chunkBytes: cut within characters", { chunkBytes: 3 }],
    ["switch newline=LF: lines end as usual", { newline: "\n" }],
    ["switch newline=CRLF & 5.1 CRLF: lines end as on Windows", { newline: "\r\n" }],
    ["switch newline=none-last: no newline after the last line", { newline: "none-last" }],
    ["switch bom: a byte-order mark at the start", { bom: true }],
    [
      "5.2 exit first & 5.1 a burst behind the exit & switch exitBeforeFlush: all output after the exit",
      { exitBeforeFlush: true },
    ],
    ["noise on stderr", { stderrFlood: 1_000_000 }],
    [
      "2.4 stderr is no source: JSON on stderr",
      { stderr: [{ text: '{"type":"error","message":"x"}\nAI SDK Warning\n' }] },
    ],
  ])("%s: gives the same events", async (_, switches) => {
    const { events, result, warnings } = await run({ ...SIMPLE, ...switches });

    expect(events).toEqual(YIELDED);
    expect(result.text).toBe("I will look.");
    expect(warnings).toEqual([]);
  });

  test("5.2 stdout closes first & switch closeStdout & switch exit.afterMs: may end long before the process exits", async () => {
    await using at = await cliWorld({ ...SIMPLE, closeStdout: true, exit: { afterMs: 100 } });
    const { exitCode, text } = await at.client.prompt("hi").result;
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: "I will look." });
  });

  test("switch junk: goes on after lines that are no events, with a warning for each", async () => {
    const { events, warnings } = await run({ ...SIMPLE, junk: 12 });

    expect(events).toEqual(YIELDED);
    expect(warnings).toHaveLength(12);
    for (const warning of warnings)
      expect(warning).toMatchObject({ kind: "unparsed-line", raw: expect.any(String) });
  });

  test("5.3 wrong field: goes on after an event with a wrong field, with a warning", async () => {
    const { events, warnings } = await run({
      events: [
        { type: "text", text: 7 },
        { raw: "not json\n" },
        { json: null },
        { json: [1] },
        { type: "text", text: "ok" },
        { type: "finish" },
      ],
    });
    expect(events.map(({ type }) => type)).toEqual(["text", "finish"]);
    expect(warnings.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => "unparsed-line"));
  });

  test("switch infinity: reads `Infinity` as null", async () => {
    const { events, warnings } = await run({ infinity: true });
    expect(JSON.stringify(events)).toContain("null");
    expect(warnings).toEqual([]);
  });

  test("5.1 a line of 10 MB & switch hugeLine: may have a line of 10 MB", async () => {
    const { result, warnings } = await run({ hugeLine: 10_000_000 });
    expect(result.text.length).toBeGreaterThan(9_999_000);
    expect(warnings).toEqual([]);
  });

  test("hugeLine: skips a line above `maxLineBytes` with a warning, and goes on", async () => {
    const { result, warnings } = await run({ hugeLine: 1_000_001 }, { maxLineBytes: 1_000_000 });
    expect(result.text).toContain("You said: hi");
    expect(result.text.length).toBeLessThan(1_000);
    expect(warnings).toEqual([
      expect.objectContaining({ kind: "line-too-long", message: expect.stringContaining("1000001") }),
    ]);
  });

  test("5.4 start or finish twice & switch dupStart & switch dupFinish: keeps repeated events, and the first `finish` counts", async () => {
    const { events, result } = await run({ dupStart: true, dupFinish: true });
    expect(events.map(({ type }) => type)).toEqual(["start", "start", "text", "finish", "finish"]);
    expect(result.cost).toEqual({ amount: 1, unit: "credits" });
  });

  test("switch eventsAfterFinish=true & 5.4 behind the finish: includes events after `finish`", async () => {
    const { events, result } = await run({ eventsAfterFinish: true });
    expect(events.map(({ type }) => type)).toEqual(["start", "text", "finish", "text"]);
    expect(result.text).toBe("You said: hiOne thing more.");
  });

  test("switch subagents: does not end with a sub-agent", async () => {
    const { events, result } = await run({ subagents: 2 });
    expect(events.map(({ type }) => type)).toEqual([
      ...["start", "text"],
      ...["subagent_start", "text", "subagent_finish"],
      ...["subagent_start", "text", "subagent_finish"],
      "finish",
    ]);
    expect(result.text).toBe("You said: hi");
  });

  test("switch progress: adds a tool's partial output to its call", async () => {
    await using at = await cliWorld({ progress: 3 });
    const turn = at.client.prompt("hi");
    const outputs: unknown[] = [];
    turn.on("toolCall", ({ output }) => outputs.push(output));
    await turn.result;
    const texts = outputs.filter((output) => typeof output === "string");
    expect(texts).toHaveLength(3);
    expect(texts.every((text, index) => index === 0 || text.startsWith(String(texts[index - 1])))).toBe(true);
  });

  test.each([
    ["5.12 complete & switch download=complete", "complete"],
    ["5.12 failed & switch download=failed", "failed"],
  ] as const)("%s: includes a download event, without effect on the turn", async (_, download) => {
    const { events, result } = await run({ download });
    expect(events[0]).toEqual({ type: "download", version: "1.0.600", status: download });
    expect(result.text).toBe("You said: hi");
  });

  test("2.4 text said once: gives chunks as deltas, and only the new part of a block", async () => {
    await using at = await cliWorld({
      events: ["Hel", "lo 👋", { type: "text", text: "Hello 👋 world" }, { type: "finish" }],
    });
    const turn = at.client.prompt("hi");
    const pieces: string[] = [];
    for await (const piece of turn.textStream) pieces.push(piece);
    expect(pieces).toEqual(["Hel", "lo 👋", " world"]);
    expect((await turn.result).text).toBe("Hello 👋 world");
  });
});

describe("other events of a client", () => {
  test("are each message, frame, process and line of stderr", async () => {
    await using at = await cliWorld({ ...SIMPLE, stderr: [{ text: "\u001b[31mworking\u001b[0m\n" }] });
    const { client } = at;
    const told = { events: 0, messages: 0, frames: 0 };
    client.on("event", () => void told.events++);
    client.on("message", () => void told.messages++);
    client.on("frame", ({ direction }) => {
      if (direction === "in") told.frames++;
    });
    const spawned: number[] = [];
    client.on("spawned", ({ pid }) => spawned.push(pid));
    const lines: string[] = [];
    client.on("stderr", (line) => lines.push(line));
    const { stderr } = await client.prompt("hi").result;

    expect(told).toEqual({ events: YIELDED.length, messages: YIELDED.length, frames: YIELDED.length });
    expect(spawned).toEqual(at.cli.runs().map(({ pid }) => pid));
    expect(lines).toEqual(["working"]);
    expect(stderr).toEqual({ head: ["working"], tail: [], truncated: false, totalLines: 1 });
  });

  test("include log lines with `debug`, one for each line of output", async () => {
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    await using at = await cliWorld(
      { events: [{ type: "finish", totalCost: 1 }], stderr: [{ text: "\u001b[31mworking\u001b[0m\n" }] },
      { debug: true, logger },
    );
    await at.client.prompt("hi").result;
    expect(lines.toSorted()).toEqual(["!! working", '<- {"type":"finish","totalCost":1}']);
    await at.another({ logger }).prompt("hi").result;
    expect(lines).toHaveLength(2);
  });

  test("7 100 MB of noise & switch stderrFlood: leave 70 lines of 100 MB on stderr, and the turn completes", async () => {
    const { result } = await run({ stderrFlood: 100_000_000 });
    expect(result.stderr).toMatchObject({ truncated: true });
    expect([result.stderr.head.length, result.stderr.tail.length]).toEqual([20, 50]);
    expect(result.stderr.totalLines).toBeGreaterThan(100_000);
  });

  test("reach all listeners, even if one throws", async () => {
    await using at = await cliWorld();
    at.client.on("event", () => {
      throw new Error("mine");
    });
    expect((await at.client.prompt("hi").result).text).toBe("You said: hi");
    expect(at.warnings[0]).toMatchObject({ kind: "listener-threw" });
  });
});

describe("a report at the end", () => {
  const FORK = { profile: "fork" } as const;

  test("2.6 events & 7 json object to events & switch profile=fork: becomes events and a text, without a cost", async () => {
    const { events, result, warnings } = await run(
      {
        ...FORK,
        events: [
          { type: "start", model: "openai/gpt-5-mini" },
          { type: "text", text: "Looking. " },
          { type: "tool_call", toolCallId: "x", toolName: "read_files", input: { paths: ["a"] } },
          { type: "tool_result", toolCallId: "x", toolName: "read_files", output: [] },
          { type: "text", text: "Done." },
          { type: "finish", totalCost: 5 },
        ],
      },
      { profile: "json" },
    );
    expect(events).toEqual([
      { type: "start", model: "openai/gpt-5-mini" },
      { type: "tool_call", toolCallId: "call_1", toolName: "read_files", input: { paths: ["a"] } },
      { type: "tool_result", toolCallId: "call_1", toolName: "read_files", output: [] },
      { type: "text", text: "Looking. Done.", delta: "Looking. Done." },
    ]);
    expect(result).toMatchObject({ text: "Looking. Done.", toolCalls: [{ id: "call_1", state: "done" }] });
    expect(result).not.toHaveProperty("cost");
    expect(result).not.toHaveProperty("missingFinish");
    expect(warnings).toEqual([]);
  });

  test.each<[string, FakeCodebuffScenario]>([
    ["in pieces of 3 bytes", { chunkBytes: 3 }],
    ["after output of a launcher", { junk: 1, download: "complete" }],
    ["with a byte-order mark at the start", { bom: true }],
  ])("%s gives the same text", async (_, switches) => {
    const { result } = await run({ ...FORK, echoPrompt: true, ...switches }, { profile: "json" });
    expect(result.text).toBe("hi");
  });

  test("switch jsonObject: is trusted if it reports success", async () => {
    const { result } = await run(
      { ...FORK, jsonObject: { success: true, output: "mine" } },
      { profile: "json" },
    );
    expect(result.text).toBe("mine");
  });

  test("2.6 quiet & switch quiet: may be plain text, without its last newline", async () => {
    const { events, result } = await run({ ...FORK, echoPrompt: true }, { profile: "text" });
    expect(events).toEqual([{ type: "text", text: "hi", delta: "hi" }]);
    expect(result.text).toBe("hi");
  });

  test("2.6 plain & switch plain: may be plain text that streams", async () => {
    const { result } = await run(
      {
        ...FORK,
        plain: true,
        events: [
          { type: "text", text: "one " },
          { type: "text", text: "two" },
        ],
      },
      { profile: "text" },
    );
    expect(result.text).toContain("one");
    expect(result.text).toContain("two");
  });
});

describe("the `print` program", () => {
  test("2.4 stderr print & 7 print with errors on stderr & switch profile=print: has its errors on stderr as events", async () => {
    const { events, result } = await run(
      {
        profile: "print",
        events: [
          { type: "start" },
          { type: "error", message: "no tool" },
          { type: "text", text: "ok" },
          { type: "finish", totalCost: 2 },
        ],
      },
      { profile: "print" },
    );
    expect(events).toContainEqual({ type: "error", message: "no tool" });
    expect(result).toMatchObject({ text: "ok", cost: { amount: 2 } });
  });

  test("2.4 stderr is no source & switch errorEventOn=stderr: has no other events on stderr, and others have none", async () => {
    const stderr = [{ text: '{"type":"text","text":"not me"}\n{"type":"error","message":"me"}\n' }];
    const printed = await run({ profile: "print", stderr }, { profile: "print" });
    expect(printed.events.filter(({ type }) => type === "error")).toEqual([{ type: "error", message: "me" }]);
    expect(printed.result.text).toBe("You said: hi");
    const streamed = await run({
      errorEventOn: "stderr",
      events: [{ type: "error", message: "x" }, { type: "finish" }],
    });
    expect(streamed.events.map(({ type }) => type)).toEqual(["finish"]);
  });
});
