import { describe, expect, test } from "vitest";
import { readReport } from "../../src/codebuff-cli/report.ts";

const read = (value: object) => readReport(`${JSON.stringify(value, null, 2)}\n`);
const eventsOf = (value: object) => read(value).events.map(({ event }) => event);

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
  test("becomes events: ids by number, the text last, no finish", () => {
    expect(read(DOCUMENTED).report).toEqual({ status: "success" });
    expect(eventsOf(DOCUMENTED)).toEqual([
      { type: "start", model: "openai/gpt-5-mini" },
      { type: "tool_call", toolName: "read_files", toolCallId: "call_1", input: { paths: ["a.txt"] } },
      { type: "tool_result", toolName: "read_files", toolCallId: "call_1", output: [] },
      { type: "text", text: "Looking. Done." },
    ]);
  });

  test("on one line is the same", () => {
    expect(readReport(JSON.stringify(DOCUMENTED)).events).toEqual(read(DOCUMENTED).events);
  });

  test("results are those of the oldest calls that are open, and one without a call has an id of its own", () => {
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

  test("sub-agents within each other get the ends that are theirs", () => {
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

  test("sub-agents of one type within each other do, too", () => {
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

  test("an error on the way is an event, and what is no trace is left out", () => {
    const traces = [{ type: "error", message: "no tool" }, null, 3, { type: "tool_call" }, { agentId: "x" }];
    expect(eventsOf({ success: true, output: "", traces })).toEqual([{ type: "error", message: "no tool" }]);
  });

  test.each([
    ["its reason", { error: "Agent run error: Unauthorized" }, "Agent run error: Unauthorized"],
    ["no reason", {}, "the run has failed"],
    ["a reason that is no text", { error: 7 }, "the run has failed"],
  ])("of a failure has %s, and what was said until then", (_, fields, error) => {
    const failed = { success: false, output: "half", ...fields };
    expect(read(failed).report).toEqual({ status: "failure", error });
    expect(eventsOf(failed)).toEqual([{ type: "text", text: "half" }]);
  });

  test.each([
    ["words of the launcher", "Downloading...\n[===] 100%\r\n"],
    ["a byte-order mark", "\ufeff"],
  ])("behind %s is found", (_, before) => {
    expect(readReport(before + JSON.stringify(DOCUMENTED, null, 2)).report).toEqual({ status: "success" });
  });

  test("behind a download has that as its first event", () => {
    const download = { type: "download", version: "1.0.600", status: "complete" };
    const { report, events } = readReport(
      `${JSON.stringify(download)}\n${JSON.stringify(DOCUMENTED, null, 2)}`,
    );
    expect(report).toEqual({ status: "success" });
    expect(events.map(({ event }) => event.type)).toEqual([
      "download",
      "start",
      "tool_call",
      "tool_result",
      "text",
    ]);
  });

  test.each(["", "  \n", "{", "not json", "[]", "null", "{}", '{"success":"yes"}', '{"success":true'])(
    "%j is none",
    (output) => {
      expect(readReport(output)).toEqual({ report: { status: "unreadable" }, events: [] });
    },
  );

  test("of 100,000 calls is read", () => {
    const traces = Array.from({ length: 100_000 }, () => [
      { type: "tool_call", toolName: "a" },
      { type: "tool_result", toolName: "a" },
    ]).flat();
    const events = eventsOf({ success: true, output: "", traces });
    expect(events.at(-1)).toMatchObject({ type: "tool_result", toolCallId: "call_100000" });
  });
});
