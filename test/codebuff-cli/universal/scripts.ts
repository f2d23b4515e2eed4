import type { CodebuffCliOptions } from "agentwire/codebuff-cli";
import type { FakeCodebuffScenario } from "agentwire/testing";

/** One golden file: what the program prints for a one-off prompt. */
export interface Script {
  /** The promise, and the name of the file. */
  readonly title: string;
  readonly file: string;
  readonly scenario: FakeCodebuffScenario;
  readonly options?: CodebuffCliOptions;
}

const START = { type: "start" } as const;
const FINISH = { type: "finish", totalCost: 1 } as const;

const QUESTIONS = [
  {
    question: "Which?",
    header: "Colour",
    options: [{ label: "Red" }, { label: "Blue", description: "calm" }],
    multiSelect: true,
  },
  { question: "Why?", options: [{ label: "A" }, { label: "B" }] },
];

const ask = (toolCallId: string, toolName = "ask_user") => ({
  type: "tool_call",
  toolCallId,
  toolName,
  input: { questions: QUESTIONS },
});

const call = (toolCallId: string, toolName: string, input: object = {}, of: object = {}) => ({
  type: "tool_call",
  toolCallId,
  toolName,
  input,
  ...of,
});

const result = (toolCallId: string, values: readonly unknown[], of: object = {}) => ({
  type: "tool_result",
  toolCallId,
  output: values.map((value) => ({ type: "json", value })),
  ...of,
});

const subagent = (
  type: "subagent_start" | "subagent_finish",
  agentId: string,
  agentType: string,
  of: object = {},
) => ({
  type,
  agentId,
  agentType,
  displayName: agentType === "thinker" ? "Thinker" : "Picker",
  onlyChild: true,
  ...of,
});

const run = (...events: NonNullable<Extract<FakeCodebuffScenario["events"], readonly unknown[]>>) => ({
  events: [START, ...events, FINISH],
});

export const SCRIPTS: readonly Script[] = [
  {
    title: "`start` opens the session, and `finish` ends it with the turn's cost",
    file: "start-and-finish",
    scenario: {
      events: [
        { type: "start", agentId: "root-1", model: "m-1", messageHistoryLength: 0 },
        { type: "text", text: "Hel" },
        { type: "text", text: "lo" },
        { type: "finish", agentId: "base", totalCost: 3 },
      ],
    },
  },
  {
    title: "any first line begins the turn, and the turn's end includes data of a later `start`",
    file: "start-behind-a-download",
    scenario: {
      download: "complete",
      version: "1.0.9",
      events: [
        { type: "start", model: "m-2", messageHistoryLength: 4 },
        { type: "text", text: "Hi" },
        FINISH,
      ],
    },
  },
  {
    title: "a failed download is a failed status",
    file: "download-failed",
    scenario: { download: "failed", version: "1.0.9", events: [{ type: "finish", totalCost: 0 }] },
  },
  {
    title: "takes the reported session id instead of the agent's id",
    file: "session-id",
    scenario: { events: [{ type: "start", agentId: "base", session_id: "s-1" }, FINISH] },
  },
  {
    title: "assigns text to the agent it names, and several agents may have open texts",
    file: "text-of-agents",
    scenario: {
      events: [
        { type: "start", agentId: "root-1" },
        { type: "text", text: "a" },
        { type: "text", text: "b", agentId: "main-agent" },
        { type: "text", text: "x", agentId: "stranger" },
        { type: "text", text: "c", agentId: "root-1" },
        FINISH,
      ],
    },
  },
  {
    title: "adds from a whole text only what its chunks lack",
    file: "text-after-chunks",
    scenario: run(
      "Hel",
      "lo",
      { type: "text", text: "Hello" },
      " you",
      { type: "text", text: " you all" },
      { type: "text", text: "Other" },
    ),
  },
  {
    title: "joins a sub-agent's chunks and its whole text into one text",
    file: "subagent-chunks",
    scenario: run(
      subagent("subagent_start", "a1", "file-picker"),
      { type: "subagent_chunk", agentId: "a1", agentType: "file-picker", chunk: "loo" },
      { type: "text", text: "looking", agentId: "a1" },
      subagent("subagent_finish", "a1", "file-picker"),
    ),
  },
  {
    title: "opens no text for a blank chunk: a tool call drops it, and later text includes it",
    file: "blank-chunks",
    scenario: run("\n", call("c1", "read_files", { paths: [] }), "\n\n", "Done", "\n"),
  },
  {
    title: "has separate items for an agent's reasoning and text",
    file: "reasoning-delta",
    scenario: run(
      { type: "reasoning_delta", text: "look", runId: "r1", ancestorRunIds: [] },
      { type: "reasoning_delta", text: " first", runId: "r1", ancestorRunIds: [] },
      { type: "text", text: "Yes" },
      { type: "reasoning_delta", text: "hm", runId: "r1", ancestorRunIds: [], agentId: "main-agent" },
    ),
  },
  {
    title: "assigns reasoning to its agent, or else to its run",
    file: "reasoning-of-agents",
    scenario: run(
      { type: "reasoning_delta", text: "far", runId: "r9", ancestorRunIds: ["r1", "r8"] },
      subagent("subagent_start", "a1", "thinker"),
      { type: "reasoning_delta", text: "deep", runId: "r2", ancestorRunIds: ["r1"], agentId: "a1" },
    ),
  },
  {
    title: "assigns a run's reasoning to the only sub-agent, and shows repeated reasoning once",
    file: "reasoning-chunk",
    scenario: run(
      { type: "reasoning_chunk", agentId: "run-1", ancestorRunIds: [], chunk: "think " },
      subagent("subagent_start", "a1", "thinker"),
      { type: "reasoning_chunk", agentId: "run-2", ancestorRunIds: ["run-1"], chunk: "sub" },
      { type: "reasoning_delta", text: "sub", runId: "run-2", ancestorRunIds: ["run-1"] },
      { type: "reasoning_chunk", agentId: "a1", ancestorRunIds: ["run-1"], chunk: "marine" },
    ),
  },
  {
    title: "ends the text at a tool call, streams the output, and does not fail for an exit code",
    file: "tool-call",
    scenario: run(
      { type: "text", text: "I run it." },
      call("c1", "run_terminal_command", { command: "npm test" }, { agentId: "main-agent" }),
      { type: "tool_progress", toolCallId: "c1", toolName: "run_terminal_command", output: "ok 1\n" },
      { type: "tool_progress", toolCallId: "c1", toolName: "run_terminal_command", output: "ok 2\n" },
      result("c1", [{ stdout: "ok 1\nok 2\n", exitCode: 3 }]),
      { type: "text", text: "Done." },
    ),
  },
  {
    title: "assigns a tool call to its running agent, or else to its running parent",
    file: "tool-call-of-subagent",
    scenario: run(
      { type: "text", text: "root" },
      subagent("subagent_start", "a1", "file-picker"),
      { type: "text", text: "pick", agentId: "a1" },
      call("c1", "glob", { pattern: "*" }, { agentId: "a1", parentAgentId: "main-agent" }),
      result("c1", ["a.txt"]),
      call("c2", "glob", {}, { agentId: "a9", parentAgentId: "a1" }),
      result("c2", [[]]),
      call("c3", "glob", {}, { agentId: "a9", parentAgentId: "a8" }),
      result("c3", [1, 2]),
      subagent("subagent_finish", "a1", "file-picker"),
    ),
  },
  {
    title: "a result with an error has failed",
    file: "tool-result-failed",
    scenario: run(
      call("c1", "glob"),
      result("c1", [{ errorMessage: "no such folder" }]),
      call("c2", "glob"),
      result("c2", [{ error: { code: 1 } }]),
      call("c3", "glob"),
      result("c3", [{ error: null, files: [] }]),
    ),
  },
  {
    title: "shows media in a result as a separate image",
    file: "tool-result-media",
    scenario: run(call("c1", "screenshot"), {
      type: "tool_result",
      toolCallId: "c1",
      output: [
        { type: "json", value: { url: "/" } },
        { type: "media", data: "AAAA", mediaType: "image/png" },
      ],
    }),
  },
  {
    title: "adds a call for a result or output without one, and ignores a second result",
    file: "tool-result-without-call",
    scenario: run({ ...result("c1", ["x"]), toolName: "glob" }, result("c1", ["y"]), {
      type: "tool_progress",
      toolCallId: "c2",
      output: "more",
    }),
  },
  {
    title: "emits a question with its call, and resolves it before the result",
    file: "ask-user",
    scenario: run(
      ask("c1"),
      result("c1", [
        {
          answers: [
            { questionIndex: 0, selectedOptions: ["Red", "Blue"] },
            { questionIndex: 1, otherText: "because" },
          ],
        },
      ]),
    ),
  },
  {
    title: "a skipped question is rejected by the user, whatever the spelling of the tool",
    file: "ask-user-skipped",
    scenario: run(ask("c1", "AskUser"), result("c1", [{ skipped: true }])),
  },
  {
    title: "rejects an unanswerable question, and ends an open question with the turn",
    file: "ask-user-unanswered",
    scenario: run(ask("c1"), result("c1", [{ errorMessage: "nobody" }]), ask("c2")),
  },
  {
    title: "sub-agents stay open, nest, and end with the turn",
    file: "subagents",
    scenario: run(
      subagent("subagent_start", "a1", "file-picker", { prompt: "find" }),
      subagent("subagent_start", "a2", "thinker", { parentAgentId: "a1" }),
      { type: "text", text: "deep", agentId: "a2" },
      { type: "text", text: "pick", agentId: "a1" },
      subagent("subagent_finish", "a2", "thinker", { parentAgentId: "a1" }),
    ),
  },
  {
    title: "adds the start for a sub-agent's end without one",
    file: "subagent-finish-without-start",
    scenario: run(subagent("subagent_finish", "a1", "file-picker", { parentAgentId: "main-agent" })),
  },
  {
    title: "a `finish` that names a sub-agent, by id or by type, ends that sub-agent only",
    file: "finish-of-subagent",
    scenario: {
      events: [
        START,
        subagent("subagent_start", "a1", "file-picker"),
        subagent("subagent_start", "a2", "thinker"),
        { type: "finish", agentId: "a1", totalCost: 1 },
        { type: "finish", agentId: "thinker", totalCost: 1 },
        { type: "text", text: "still here" },
        { type: "finish", agentId: "base", totalCost: 5 },
      ],
    },
  },
  {
    title: "an error does not end the turn, nor the text",
    file: "error",
    scenario: run(
      { type: "text", text: "a" },
      { type: "error", message: "Tool `x` is not available." },
      { type: "text", text: "b" },
    ),
  },
  {
    title: "shows an error with a source as a retry, and ends the text",
    file: "error-with-source",
    scenario: run(
      { type: "text", text: "a" },
      { type: "error", message: "the stream broke", source: "stream-interrupted" },
      { type: "text", text: "again" },
    ),
  },
  {
    title: "an event of an unknown type is shown as it is",
    file: "unknown-event",
    scenario: run({ type: "novelty", n: 1 }),
  },
  {
    title: "completes without `finish` if the exit code is 0",
    file: "missing-finish",
    scenario: { events: [START, { type: "text", text: "Hi" }] },
  },
  {
    title: "fails with a failing exit code despite `finish`, and its session's end has stderr",
    file: "exit-failed",
    scenario: {
      events: [
        START,
        { type: "text", text: "Hi" },
        { type: "finish", totalCost: 0 },
        { stderr: Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join("") },
      ],
      exit: { code: 3 },
    },
  },
  {
    title: "fails by a signal that this library did not send",
    file: "exit-by-signal",
    scenario: { events: [START], exit: { signal: "SIGSEGV" } },
  },
  {
    title: "has an `agent.unparsed` event for each line that is no event",
    file: "unparsed-line",
    scenario: {
      events: [{ raw: "Welcome!\n" }, { type: "text", text: 7 }, { type: "text", text: "é🙂" }, FINISH],
    },
  },
  {
    title: "has the traces of a `--json` report, then its output",
    file: "json-build",
    options: { profile: "json" },
    scenario: {
      jsonObject: {
        success: true,
        output: "Looking. Done.",
        traces: [
          { type: "start", model: "m-1" },
          { type: "tool_call", toolName: "read_files", input: { paths: ["a.txt"] } },
          { type: "tool_call", toolName: "glob", input: {} },
          { type: "tool_result", toolName: "read_files" },
          { type: "tool_result", toolName: "glob" },
        ],
      },
      profile: "fork",
      traceLines: false,
    },
  },
  {
    title: "fails if a `--json` report says so",
    file: "json-build-failed",
    options: { profile: "json" },
    scenario: {
      jsonObject: { success: false, output: "So far", traces: [], error: "no luck" },
      profile: "fork",
      traceLines: false,
      exit: { code: 0 },
    },
  },
];
