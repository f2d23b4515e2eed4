import { expect, test } from "vitest";
import { AGENT, agentWith, json, read, runWorld, textIn, typesOf } from "./world.ts";

// One run as a whole: what is called, what is told, what is kept.

const EDIT = {
  name: "write_file",
  arguments: { path: "a.txt", instructions: "x", content: "hi\n" },
  fragments: 3,
};
const LIST = { name: "list_directory", arguments: { path: "" } };

const golden = () =>
  runWorld(
    {
      answer: [
        { text: ["I will ", "edit."], toolCalls: [EDIT, LIST], usage: { cost: 0.05 } },
        { toolCalls: [LIST], usage: { cost: 0.05 } },
        {
          reasoning: ["hm ", "so"],
          text: ["All ", "done."],
          usage: { cost: 0.05, prompt_tokens: 7, completion_tokens: 3 },
        },
      ],
    },
    {
      agent: { ...agentWith("write_file", "list_directory"), systemPrompt: "You fix code." },
      overrideTools: {
        write_file: () => json({ file: "a.txt", message: "Created new file" }),
        list_directory: () => json({ files: ["a.txt"], directories: [], path: "" }),
      },
    },
  );

test("a run calls the backend in a fixed order and reports its cost", async () => {
  await using at = await golden();
  const result = await at.client.prompt("fix the tests").result;
  const step = ["token-count", "chat", "steps"];
  expect(at.calls()).toEqual(["me", "START", ...step, ...step, ...step, "token-count", "FINISH"]);
  const [run] = at.backend.runs();
  expect(run).toMatchObject({
    agentId: "tester",
    ancestorRunIds: [],
    status: "completed",
    finish: { totalSteps: 4, directCredits: 15, totalCredits: 15 },
  });
  expect(run?.steps).toMatchObject([
    { stepNumber: 1, credits: 5, childRunIds: [], messageId: "gen-1", status: "completed" },
    { stepNumber: 2, credits: 5 },
    { stepNumber: 3, credits: 5 },
  ]);
  expect(result).toMatchObject({
    text: "I will edit.All done.",
    cost: { amount: 15, unit: "credits" },
    usage: { inputTokens: 207, outputTokens: 43 },
    stopReason: "completed",
    steps: 3,
    runId: run?.id,
  });
  expect(result.toolCalls.map(({ name, state }) => `${name} ${state}`)).toEqual([
    "write_file done",
    "list_directory done",
    "list_directory done",
  ]);
});

test("a run emits all calls of a step before their results, and a whole text after its chunks", async () => {
  await using at = await golden();
  const all = await read(at.client.prompt("fix the tests"));
  const events = all.filter(({ type }) => type !== "tool_input_delta");
  expect(typesOf(events)).toEqual([
    "start",
    ...["chunk", "chunk", "text", "tool_call", "tool_call", "tool_result", "tool_result"],
    ...["tool_call", "tool_result"],
    ...["reasoning_chunk", "reasoning_chunk", "chunk", "chunk", "text"],
    "finish",
  ]);
  expect(events[0]).toEqual({ type: "start", messageHistoryLength: 0, model: AGENT.model });
  expect(events[3]).toEqual({ type: "text", text: "I will edit." });
  expect(events[4]).toMatchObject({ agentId: "main-agent", includeToolCall: true, toolName: "write_file" });
  expect(events[10]).toEqual({
    type: "reasoning_chunk",
    agentId: "main-agent",
    ancestorRunIds: [],
    chunk: "hm ",
  });
  expect(events.at(-1)).toEqual({ type: "finish", totalCost: 15, agentId: "tester" });
});

test("each request holds the whole history: merged text, unique call ids, results after their calls", async () => {
  await using at = await golden();
  await at.client.prompt("fix the tests").result;
  const [first, second, third] = at.chats();
  const [run] = at.backend.runs();
  expect(first).toMatchObject({
    model: "openai/gpt-5-mini",
    stream: true,
    provider: { allow_fallbacks: true },
    tool_choice: "auto",
    codebuff_metadata: { run_id: run?.id, cost_mode: "normal" },
    messages: [
      { role: "system", content: "You fix code." },
      { role: "user", content: [{ type: "text", text: "<user_message>fix the tests</user_message>" }] },
    ],
  });
  expect(first?.tools?.map(({ function: { name } }) => name)).toEqual(["write_file", "list_directory"]);
  expect(second?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool"]);
  const [, , answer, ...results] = second?.messages ?? [];
  expect(answer && textIn(answer)).toBe("I will edit.");
  const ids = answer?.tool_calls?.map(({ id }) => id) ?? [];
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(ids);
  expect(results.map(textIn)).toEqual([
    '{"file":"a.txt","message":"Created new file"}',
    '{"files":["a.txt"],"directories":[],"path":""}',
  ]);
  const all = third?.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)) ?? [];
  expect(new Set(all).size).toBe(3);
  expect(all).not.toContain("call_0"); // the model repeats its ids
  expect(third?.codebuff_metadata).toEqual(first?.codebuff_metadata);
});

test("the key is checked once for all runs of a client, also for runs that begin together", async () => {
  await using at = await runWorld({ answer: () => "Hello" });
  await Promise.all(["a", "b", "c"].map((text) => at.client.prompt(text).result));
  await at.client.prompt("d").result;
  expect(at.backend.requests({ endpoint: "me" })).toHaveLength(1);
  expect(at.backend.runs()).toHaveLength(4);
});

test("each step is reported to `step` listeners", async () => {
  await using at = await golden();
  const steps: unknown[] = [];
  at.client.on("step", (step) => steps.push(step));
  const { runId } = await at.client.prompt("fix").result;
  const cost = { amount: 5, unit: "credits" };
  const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) };
  const state = expect.objectContaining({ underWay: expect.anything() });
  const step = {
    agentId: "main-agent",
    runId,
    credits: 5,
    model: "openai/gpt-5-mini",
    contextTokens: 1234,
    cost,
    usage,
    state,
  };
  expect(steps).toEqual([1, 2, 3].map((stepNumber) => ({ ...step, stepNumber })));
});

test("`stepReporting: 'batch'` reports the steps to the backend at the end of the run", async () => {
  await using at = await runWorld(
    { answer: [{ text: "Hi", usage: { cost: 0.1 } }] },
    { stepReporting: "batch" },
  );
  await at.client.prompt("hi").result;
  expect(at.calls()).not.toContain("steps");
  expect(at.backend.runs()[0]?.steps).toMatchObject([{ stepNumber: 1, credits: 11, messageId: "gen-1" }]);
});

test("`frame` and `message` listeners see all traffic, without the key", async () => {
  await using at = await golden();
  const frames: string[] = [];
  const messages: unknown[] = [];
  at.client.on("frame", ({ direction, text }) => frames.push(`${direction} ${text}`));
  at.client.on("message", (message) => messages.push(message));
  await at.client.prompt("fix").result;
  expect(frames[0]).toBe("out GET /api/v1/me?fields=id");
  expect(frames[1]).toBe('in 200 {"id":"user-1"}');
  expect(frames.filter((frame) => frame === "in [DONE]")).toHaveLength(3);
  expect(frames.some((frame) => frame.startsWith('out POST /api/v1/chat/completions {"model"'))).toBe(true);
  expect(messages).toContainEqual({ id: "user-1" });
  expect(messages.some((message) => JSON.stringify(message).includes("chat.completion.chunk"))).toBe(true);
  expect(frames.join("\n")).not.toContain(at.backend.apiKey);
});
