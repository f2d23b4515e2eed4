import { describe, expect, test, vi } from "vitest";
import { newsOf, readReport } from "../../src/codebuff-cli/report.ts";

const NOTHING = { text: "", calls: false };

/** What an output says of the run, and all of its events in order; decoded as a run decodes it, without a byte-order mark. */
function readText(output: string) {
  const { events, report } = readReport(new TextDecoder().decode(new TextEncoder().encode(output)));
  const news = report ? newsOf(report, NOTHING) : [];
  return { report: report?.report, events: [...events.map(({ event }) => event), ...news] };
}
const read = (value: object) => readText(`${JSON.stringify(value, null, 2)}\n`);
const eventsOf = (value: object) => read(value).events;

const DOCUMENTED = {
  success: true,
  output: "Looking. Done.",
  traces: [
    { type: "start", model: "openai/gpt-5-mini" },
    { type: "tool_call", toolName: "read_files", input: { paths: ["a.txt"] } },
    { type: "tool_result", toolName: "read_files" },
  ],
};

describe("a report", () => {
  test("becomes events: numbered ids, the text last, and no `finish`", () => {
    expect(read(DOCUMENTED).report).toEqual({ status: "success" });
    expect(eventsOf(DOCUMENTED)).toEqual([
      { type: "start", model: "openai/gpt-5-mini" },
      { type: "tool_call", toolName: "read_files", toolCallId: "call_1", input: { paths: ["a.txt"] } },
      { type: "tool_result", toolName: "read_files", toolCallId: "call_1", output: [] },
      { type: "text", text: "Looking. Done." },
    ]);
  });

  test("on one line gives the same events", () => {
    expect(readText(JSON.stringify(DOCUMENTED)).events).toEqual(read(DOCUMENTED).events);
  });

  test("gives results to the oldest open calls, and a result without a call its own id", () => {
    const traces = [
      { type: "tool_result", toolName: "lost" },
      { type: "tool_call", toolName: "a", input: {} },
      { type: "tool_call", toolName: "b" },
      { type: "tool_result", toolName: "a" },
      { type: "tool_result", toolName: "b" },
    ];
    const ids = eventsOf({ success: true, output: "", traces }).map((event) =>
      "toolCallId" in event ? [event.type, event.toolCallId] : [],
    );
    expect(ids).toEqual([
      ["tool_result", "call_1"],
      ["tool_call", "call_2"],
      ["tool_call", "call_3"],
      ["tool_result", "call_2"],
      ["tool_result", "call_3"],
    ]);
  });

  test("pairs the ends of nested sub-agents by type", () => {
    const traces = [
      { type: "subagent_start", agentType: "outer", model: "m" },
      { type: "subagent_start", agentType: "inner" },
      { type: "subagent_finish", agentType: "inner" },
      { type: "subagent_finish", agentType: "outer" },
      { type: "subagent_finish", agentType: "unheard" },
    ];
    const agents = eventsOf({ success: true, output: "", traces }).map((event) =>
      "agentType" in event ? `${event.type} ${event.agentType} ${event.agentId}` : "",
    );
    expect(agents).toEqual([
      "subagent_start outer agent_1",
      "subagent_start inner agent_2",
      "subagent_finish inner agent_2",
      "subagent_finish outer agent_1",
      "subagent_finish unheard agent_3",
    ]);
  });

  test("pairs the ends of nested sub-agents of one type, innermost first", () => {
    const [start, finish] = [
      { type: "subagent_start", agentType: "a" },
      { type: "subagent_finish", agentType: "a" },
    ];
    const agents = eventsOf({ success: true, output: "", traces: [start, start, finish, finish] });
    expect(agents.map((event) => ("agentId" in event ? event.agentId : ""))).toEqual([
      "agent_1",
      "agent_2",
      "agent_2",
      "agent_1",
    ]);
  });

  test("keeps an error as an event, and drops invalid traces", () => {
    const traces = [{ type: "error", message: "no tool" }, null, 3, { type: "tool_call" }, { agentId: "x" }];
    expect(eventsOf({ success: true, output: "", traces })).toEqual([{ type: "error", message: "no tool" }]);
  });

  test.each([
    ["its reason", { error: "Agent run error: Unauthorized" }, "Agent run error: Unauthorized"],
    ["a default reason", {}, "the run has failed"],
    ["a default reason for one that is not a string", { error: 7 }, "the run has failed"],
  ])("of a failure has %s, and the partial text", (_, fields, error) => {
    const failed = { success: false, output: "half", ...fields };
    expect(read(failed).report).toEqual({ status: "failure", error });
    expect(eventsOf(failed)).toEqual([{ type: "text", text: "half" }]);
  });

  test.each([
    ["a message inside an object", { error: { message: "Payment Required" } }, "Payment Required"],
    ["a message after blank lines", { error: "\n \nPayment Required" }, "Payment Required"],
    ["a reason that is blank", { error: " \n" }, "the run has failed"],
    ["a reason without words", { error: { code: 402 } }, "the run has failed"],
  ])("of a failure with %s has a plain reason", (_, fields, error) => {
    expect(read({ success: false, ...fields }).report).toEqual({ status: "failure", error });
  });

  const PRINTED = JSON.stringify(DOCUMENTED, null, 2);
  const LINE = JSON.stringify(DOCUMENTED);
  const DOWNLOAD = { type: "download", version: "1.0.600", status: "complete" };
  const LAUNCHED = JSON.stringify(DOWNLOAD);

  test.each([
    ["after output of the launcher", `Downloading...\n[===] 100%\r\n${PRINTED}`],
    ["after a progress bar on the same line", `[=] 10%\r[===] 100%\r${PRINTED}`],
    ["after text with a brace", `[read_files] {\n${PRINTED}`],
    ["after an object of another program", `{ port: 3000 }\n{\n  port: 3000\n}\n${PRINTED}`],
    ["after invalid events", `{"type":"text","text":7}\n`.repeat(20) + PRINTED],
    ["after many objects of another program", `{ port: 3000 }\n{\n  port: 3000\n}\n`.repeat(20) + PRINTED],
    ["before JSON of another program", `${PRINTED}\n{\n  "port": 3000\n}\n`],
    ["after JSON of another program", `{\n  "port": 3000\n}\n{}\n[]\n${PRINTED}`],
    ["after incomplete JSON", `{"port":\n{"a": [\n${PRINTED.replaceAll("\n", "\r\n")}`],
    ["behind a byte-order mark", `\ufeff${PRINTED}`],
    ["after a quoted text", `"Hello"\n${PRINTED}`],
    ["before words", `${PRINTED}\n[cost: $0.01]\n`],
    ["before text with braces", `${PRINTED}\n[cost: {0.01}]\n}\n`],
    ["before text on the same line", `${LINE} [cost: $0.01]\n`],
    ["spread over lines in another format", `{"success":true,"output":"Looking. Done.","traces":\n[]} bye\n`],
  ])("%s is found", (_, output) => {
    const { report, events } = readText(output);
    expect(report).toEqual({ status: "success" });
    expect(events.at(-1)).toEqual({ type: "text", text: "Looking. Done." });
    expect(events.filter(({ type }) => type === "text" || type === "chunk")).toHaveLength(1);
  });

  test.each([
    ["alone", `${LAUNCHED}\n`],
    ["behind a byte-order mark", `\ufeff${LAUNCHED}\n`],
    ["behind a blank line", `\n${LAUNCHED}\n`],
    ["behind words", `Downloading 100%\n${LAUNCHED}\n`],
    ["before words", `${LAUNCHED}\n[===] 100%\n`],
    ["before a bar", `${LAUNCHED}\n[=] 10%\r[===] 100%\r`],
  ])("after a download line, which is %s, has the download as its first event", (_, before) => {
    for (const object of [PRINTED, LINE]) {
      const { report, events } = readText(before + object);
      expect(report).toEqual({ status: "success" });
      expect(events).toEqual([DOWNLOAD, ...eventsOf(DOCUMENTED)]);
    }
  });

  test("with traces on separate lines has each trace once", () => {
    const { events } = readText('{"success":true,"output":"","traces":[\n{"type":"start"}\n]}\n');
    expect(events).toEqual([{ type: "start" }]);
  });

  test("is the last one if there are several", () => {
    const { report } = readText(
      `{"success":true}\n${JSON.stringify({ success: false, error: "no" }, null, 2)}`,
    );
    expect(report).toEqual({ status: "failure", error: "no" });
  });

  test.each([
    "",
    "  \n",
    "{",
    "not json",
    "[]",
    "null",
    "{}",
    '{"success":"yes"}',
    '{"success":true',
    '{\n  "success": "yes"\n}',
    '{\n  "success": true,\n  "traces": [\n    {\n      "paths": [\n        "a.txt"\n      ]\n',
  ])("is not found in %j", (output) => {
    expect(readText(output)).toEqual({ report: { status: "unreadable" }, events: [] });
  });

  test("is missing if only the launcher printed output", () => {
    expect(readText(`${LAUNCHED}\n"Hello"\n`).report).toEqual({ status: "unreadable" });
  });

  test.each([
    ["text", { type: "text", text: "It is done." }],
    ["an end", { type: "finish", totalCost: 1 }],
  ])("is not required after event lines with %s", (_, event) => {
    const lines = ["Welcome", LAUNCHED, JSON.stringify({ type: "start" }), JSON.stringify(event)];
    expect(readText(lines.join("\n"))).toEqual({
      report: undefined,
      events: [DOWNLOAD, { type: "start" }, event],
    });
  });

  test.each([
    ["nothing was emitted before", NOTHING, ["tool_call", "text"], "I look. Done."],
    ["its calls were emitted before", { text: "", calls: true }, ["text"], "I look. Done."],
    ["a part of its text was emitted before", { text: "I look.", calls: true }, ["text"], " Done."],
    ["another text was emitted before", { text: "Hello", calls: true }, ["text"], "I look. Done."],
    ["everything was emitted before", { text: "I look. Done.", calls: true }, [], undefined],
  ])("adds only what is new if %s", (_, told, types, text) => {
    const traces = [{ type: "tool_call", toolName: "a" }];
    const { report } = readReport(JSON.stringify({ success: true, output: "I look. Done.", traces }));
    const news = report ? newsOf(report, told) : [];
    expect(news.map(({ type }) => type)).toEqual(types);
    expect(news.at(-1)).toEqual(text === undefined ? undefined : expect.objectContaining({ text }));
  });

  test("without an end is searched a few times, not at each line", () => {
    const opened = '{"a":[\n'.repeat(3_000);
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(readReport(`${opened}}`).report?.report).toEqual({ status: "unreadable" });
      const whole = parse.mock.calls.filter(([text]) => text.length > 1_000);
      expect(whole.length).toBeLessThanOrEqual(10);
    } finally {
      parse.mockRestore();
    }
  });

  test("with 100,000 calls is read", () => {
    const traces = Array.from({ length: 100_000 }, () => [
      { type: "tool_call", toolName: "a" },
      { type: "tool_result", toolName: "a" },
    ]).flat();
    const events = eventsOf({ success: true, output: "", traces });
    expect(events.at(-1)).toMatchObject({ type: "tool_result", toolCallId: "call_100000" });
  });
});
