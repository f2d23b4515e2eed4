import type { AgentDefinition, CodebuffRunOptions, RunStopReason } from "agentwire/codebuff-run";
import type { BackendScript } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { AGENT, agentWith, json, read, runWorld, textIn, typesOf } from "./world.ts";

// When an agent goes on, and when it has ended.

const call = (name: string, input: object = {}) => ({ name, arguments: { ...input } });
const glob = call("glob", { pattern: "*" });
const OPTIONS = { overrideTools: { glob: () => json({ files: [] }) } };

interface Row {
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly answer: BackendScript;
  readonly chats: number;
  readonly stopReason?: RunStopReason;
  readonly options?: CodebuffRunOptions;
}

test.each<Row>([
  { name: "text alone ends", agent: AGENT, answer: ["Hi"], chats: 1 },
  {
    name: "a forcing call goes on",
    agent: agentWith("glob"),
    answer: [{ toolCalls: [glob] }, "Done"],
    chats: 2,
  },
  {
    name: "text and a forcing call go on",
    agent: agentWith("glob"),
    answer: [{ text: "So", toolCalls: [glob] }, "Done"],
    chats: 2,
  },
  {
    name: "`set_output` alone ends",
    agent: agentWith("set_output"),
    answer: [{ toolCalls: [call("set_output", { data: { a: 1 } })] }],
    chats: 1,
  },
  {
    name: "`think_deeply` alone ends",
    agent: agentWith("think_deeply"),
    answer: [{ toolCalls: [call("think_deeply", { thought: "x" })] }],
    chats: 1,
  },
  {
    name: "`write_todos` goes on",
    agent: agentWith("write_todos"),
    answer: [{ toolCalls: [call("write_todos", { todos: [] })] }, "Done"],
    chats: 2,
  },
  {
    name: "`end_turn` ends",
    agent: agentWith("end_turn"),
    answer: [{ toolCalls: [call("end_turn")] }],
    chats: 1,
    stopReason: "end_turn",
  },
  {
    name: "`end_turn` beside other calls ends, and all have run",
    agent: agentWith("end_turn", "glob"),
    answer: [{ toolCalls: [call("end_turn"), glob] }],
    chats: 1,
    stopReason: "end_turn",
  },
  {
    name: "`task_completed` ends",
    agent: agentWith("task_completed"),
    answer: [{ toolCalls: [call("task_completed")] }],
    chats: 1,
    stopReason: "task_completed",
  },
  {
    name: "text does not end an agent that must say `task_completed`",
    agent: agentWith("task_completed"),
    answer: ["Hi", { toolCalls: [call("task_completed")] }],
    chats: 2,
    stopReason: "task_completed",
  },
  {
    name: "a bad call goes on",
    agent: AGENT,
    answer: [{ text: "So", toolCalls: [call("nothing")] }, "Done"],
    chats: 2,
  },
  {
    name: "a bad call beside `end_turn` goes on",
    agent: agentWith("end_turn"),
    answer: [{ toolCalls: [call("end_turn"), call("nothing")] }, "Done"],
    chats: 2,
  },
  {
    name: "a bad call beside a good one goes on",
    agent: agentWith("glob"),
    answer: [{ toolCalls: [call("nothing"), glob] }, "Done"],
    chats: 2,
  },
  { name: "thoughts alone go on", agent: AGENT, answer: ["<think>hm</think>", "Done"], chats: 2 },
  { name: "an unclosed thought goes on", agent: AGENT, answer: ["<think>hm", "Done"], chats: 2 },
  { name: "a thought with words ends", agent: AGENT, answer: ["<think>hm</think>Hi"], chats: 1 },
  {
    name: "`finish_reason` `length` ends",
    agent: AGENT,
    answer: [{ text: "Hi", finish: "length" }],
    chats: 1,
  },
  {
    name: "`finish_reason` `content_filter` ends",
    agent: AGENT,
    answer: [{ text: "Hi", finish: "content_filter" }],
    chats: 1,
  },
  {
    name: "`endsAgentStep: false` changes nothing, as in Codebuff's own SDK",
    agent: AGENT,
    answer: [{ text: "Hi", toolCalls: [call("own")] }, "Seen."],
    chats: 2,
    options: {
      tools: {
        own: {
          description: "",
          parameters: { type: "object" },
          endsAgentStep: false,
          execute: () => json(1),
        },
      },
    },
  },
])("$name", async ({ agent, answer, chats, stopReason = "completed", options }) => {
  await using at = await runWorld({ answer }, { ...OPTIONS, agent, ...options });
  const result = await at.client.prompt("hi").result;
  expect(at.chats()).toHaveLength(chats);
  expect(result).toMatchObject({ stopReason, steps: chats });
  expect(at.backend.scriptExhausted).toBe(false);
});

describe("a tool call that cannot run", () => {
  test.each([
    ["an unknown tool", call("nothing"), "Tool `nothing` is not currently available."],
    [
      "a known tool that is not offered",
      call("read_files", { paths: ["a"] }),
      "Tool `read_files` is not currently available.",
    ],
    [
      "no JSON",
      { name: "glob", rawArguments: '{"pattern":' },
      "Invalid parameters for glob: the arguments are no JSON",
    ],
    [
      "a list",
      { name: "glob", rawArguments: "[1]" },
      "Invalid parameters for glob: the arguments are no JSON object",
    ],
    [
      "nested too deeply",
      { name: "glob", rawArguments: "[".repeat(100_000) },
      "Invalid parameters for glob: ",
    ],
    [
      "a wrong type, which is never converted",
      call("glob", { pattern: 7 }),
      "Invalid parameters for glob: [",
    ],
    ["a missing field", { name: "glob", rawArguments: "" }, "Invalid parameters for glob: ["],
    ["an empty text", call("glob", { pattern: "" }), "Invalid parameters for glob: ["],
  ])("%s: the model gets the reason, and no tool call is reported", async (_, toolCall, words) => {
    await using at = await runWorld(
      { answer: [{ toolCalls: [toolCall] }, "Done"] },
      { ...OPTIONS, agent: agentWith("glob") },
    );
    const events = await read(at.client.prompt("hi"));
    expect(typesOf(events)).toEqual(["start", "error", "chunk", "text", "finish"]);
    expect(events[1]).toMatchObject({ message: expect.stringContaining(words) });
    const last = at.chats()[1]?.messages.at(-1);
    expect(last?.role).toBe("user");
    expect(last && textIn(last)).toMatch(/^<system>.*<\/system>$/s);
    expect(last && textIn(last)).toContain(words);
  });

  test("in five steps in a row ends the run; a good call resets the count", async () => {
    const bad = { toolCalls: [call("nothing")] };
    await using at = await runWorld(
      { answer: [bad, bad, bad, bad, { toolCalls: [glob] }, ...Array(9).fill(bad)] },
      { ...OPTIONS, agent: agentWith("glob") },
    );
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "no_progress", retryable: false });
    expect(at.chats()).toHaveLength(10);
    expect(at.backend.runs()).toMatchObject([
      { status: "failed", finish: { errorMessage: expect.stringContaining("no progress") } },
    ]);
  });
});

test("three answers in a row with nothing but thoughts end the run", async () => {
  await using at = await runWorld({ answer: () => "<think>hm</think>" });
  expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "no_progress" });
  expect(at.chats()).toHaveLength(3);
});

describe("the step limit `maxAgentSteps`", () => {
  test("ends the run with the agent's last text as output, and emits one `error`", async () => {
    await using at = await runWorld(
      { answer: () => ({ text: "So", toolCalls: [glob] }) },
      { ...OPTIONS, agent: agentWith("glob") },
    );
    const turn = at.client.prompt("hi", { maxAgentSteps: 3 });
    const events = await read(turn);
    expect(await turn.result).toMatchObject({
      stopReason: "max_steps",
      steps: 3,
      output: { type: "lastMessage" },
    });
    expect(events.filter(({ type }) => type === "error")).toEqual([
      { type: "error", message: "Step limit of 3 reached" },
    ]);
    expect(at.backend.runs()).toMatchObject([{ status: "completed", finish: { totalSteps: 5 } }]);
  });

  test("also ends the run after a step with a bad call", async () => {
    await using at = await runWorld({ answer: () => ({ text: "So", toolCalls: [call("nothing")] }) });
    const turn = at.client.prompt("hi", { maxAgentSteps: 1 });
    expect(await turn.result).toMatchObject({
      stopReason: "max_steps",
      output: { value: [{ role: "assistant" }] },
    });
  });
});

test("`systemPrompt` is first, `instructionsPrompt` follows the prompt, `stepPrompt` is last and not kept", async () => {
  const step = "<system_reminder>STEP</system_reminder>";
  const agent = { ...agentWith("glob"), systemPrompt: "SYS", instructionsPrompt: "INS", stepPrompt: "STEP" };
  await using at = await runWorld({ answer: [{ text: "A", toolCalls: [glob] }, "B"] }, { ...OPTIONS, agent });
  const { state } = await at.client.prompt("hi").result;
  expect(at.chats().map(({ messages }) => messages.map(textIn))).toEqual([
    ["SYS", "<user_message>hi</user_message>", "INS", step],
    ["SYS", "<user_message>hi</user_message>", "INS", "A", '{"files":[]}', step],
  ]);
  expect(JSON.stringify(state.sessionState?.mainAgentState.messageHistory)).not.toContain("STEP");
});

test("`extraCodebuffMetadata` goes to the backend beside the client's own keys, which win", async () => {
  await using at = await runWorld({}, { extraCodebuffMetadata: { surface: "client" } });
  const extraCodebuffMetadata = { surface: "prompt", run_id: "evil", cost_mode: "free" };
  const { runId } = await at.client.prompt("hi", { extraCodebuffMetadata }).result;
  await at.client.prompt("hi", { extraCodebuffMetadata: { trace: 1 } }).result;
  const [first, second] = at.chats().map(({ codebuff_metadata }) => codebuff_metadata);
  expect(first).toMatchObject({ surface: "prompt", run_id: runId, cost_mode: "normal" });
  expect(second).toMatchObject({ trace: 1 });
});

test("`reasoningOptions` and `providerOptions` go to the backend as they are", async () => {
  const agent = { ...AGENT, reasoningOptions: { effort: "low" }, providerOptions: { order: ["x"] } };
  await using at = await runWorld({}, { agent });
  await at.client.prompt("hi").result;
  expect(at.chats()[0]).toMatchObject({ reasoning: { effort: "low" }, provider: { order: ["x"] } });
});
