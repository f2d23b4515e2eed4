import type { AgentDefinition } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { AGENT, agentWith, json, read, runWorld, textIn } from "./world.ts";

// What a run has produced.

const call = (name: string, input: object = {}) => ({ name, arguments: { ...input } });
const glob = call("glob", { pattern: "*" });
const OPTIONS = { overrideTools: { glob: () => json({ files: [] }) } };

describe("an empty answer", () => {
  test.each([
    ["nothing", {}],
    ["thoughts alone", { reasoning: "hm" }],
  ])("fails the run with `no_response`: %s", async (_, answer) => {
    await using at = await runWorld({ answer: () => answer });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      kind: "no_response",
      serverMessage: "No response from agent",
    });
  });

  test("does not return the last run's answer again", async () => {
    await using at = await runWorld({ answer: ["Hello"] });
    const { state } = await at.client.prompt("hi").result;
    at.backend.answer = () => ({});
    expect(await failureOf(at.client.prompt("again", { previousRun: state }))).toMatchObject({
      kind: "no_response",
    });
  });
});

describe("the output of a run", () => {
  const structured: AgentDefinition = { ...agentWith(), outputMode: "structured_output" };
  const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
  const set = (data: object) => ({ toolCalls: [call("set_output", data)] });

  test("`last_message`: is the last answer, without the steps before it", async () => {
    await using at = await runWorld(
      { answer: [{ text: "One", toolCalls: [glob] }, "Two"] },
      { ...OPTIONS, agent: agentWith("glob") },
    );
    const { output } = await at.client.prompt("hi").result;
    expect(output).toMatchObject({ type: "lastMessage", value: [{ content: [{ text: "Two" }] }] });
  });

  test("`last_message`: includes the tool calls of the last answer and their results", async () => {
    await using at = await runWorld(
      {
        answer: [
          "<think>hm</think>",
          { reasoning: "hm", text: "One", toolCalls: [glob, { name: "end_turn" }] },
        ],
      },
      { ...OPTIONS, agent: agentWith("glob", "end_turn") },
    );
    const { output } = await at.client.prompt("hi").result;
    const value = [
      { content: [{ text: "<think>hm</think>" }] },
      { content: [{ text: "One" }] },
      { content: [{ toolName: "glob" }] },
      { content: [{ toolName: "end_turn" }] },
      { role: "tool", toolName: "glob" },
      { role: "tool", toolName: "end_turn" },
    ];
    expect(output).toMatchObject({ type: "lastMessage", value });
  });

  test("`all_messages`: is the whole history", async () => {
    await using at = await runWorld(
      {},
      { agent: { ...AGENT, outputMode: "all_messages", instructionsPrompt: "Be kind." } },
    );
    const { output } = await at.client.prompt("hi").result;
    expect(output).toMatchObject({
      type: "allMessages",
      value: [
        { tags: ["USER_PROMPT"] },
        { tags: ["INSTRUCTIONS_PROMPT"], content: [{ text: "Be kind." }] },
        { role: "assistant" },
      ],
    });
  });

  test.each([
    ["data", { data: { a: 1 } }, { a: 1 }],
    ["the fields themselves", { a: 2 }, { a: 2 }],
  ])("`structured_output`: the agent may pass %s", async (_, data, value) => {
    await using at = await runWorld({ answer: [set(data)] }, { agent: structured });
    expect((await at.client.prompt("hi").result).output).toEqual({ type: "structuredOutput", value });
  });

  test("`structured_output` without a schema is null if the agent sets nothing", async () => {
    await using at = await runWorld({}, { agent: structured });
    expect((await at.client.prompt("hi").result).output).toEqual({ type: "structuredOutput", value: null });
  });

  test("`structured_output` with a schema: the agent is asked once to set it", async () => {
    await using at = await runWorld(
      { answer: ["Hi", set({ data: { a: 1 } })] },
      { agent: { ...structured, outputSchema: schema } },
    );
    expect((await at.client.prompt("hi").result).output).toEqual({
      type: "structuredOutput",
      value: { a: 1 },
    });
    expect(at.chats()[1]?.messages.map(textIn).at(-1)).toContain("set_output");
  });

  test("`structured_output` with a schema is null if the agent still does not set it", async () => {
    await using at = await runWorld(
      { answer: ["Hi", "Hi"] },
      { agent: { ...structured, outputSchema: schema } },
    );
    expect((await at.client.prompt("hi").result).output).toEqual({ type: "structuredOutput", value: null });
    expect(at.chats()).toHaveLength(2);
  });

  test("a schema alone makes the output structured, and offers `set_output` to the agent", async () => {
    const agent: AgentDefinition = { ...agentWith(), outputSchema: schema };
    await using at = await runWorld({ answer: ["Hi", set({ a: 1 })] }, { agent });
    const value = { a: 1 };
    expect((await at.client.prompt("hi").result).output).toEqual({ type: "structuredOutput", value });
    expect(at.chats()[0]?.tools?.map((tool) => tool.function.name)).toEqual(["set_output"]);
  });

  test("`last_message` with a schema: the agent is asked once, and its last message is the output", async () => {
    const agent: AgentDefinition = { ...agentWith(), outputMode: "last_message", outputSchema: schema };
    await using at = await runWorld({ answer: ["One", "Two"] }, { agent });
    const { output } = await at.client.prompt("hi").result;
    expect(output).toMatchObject({ type: "lastMessage", value: [{ content: [{ text: "Two" }] }] });
  });

  test("that does not fit the schema is refused, and the agent gets the reason", async () => {
    await using at = await runWorld(
      { answer: [set({ data: { a: "x" } }), set({ data: { a: 1 } })] },
      { agent: { ...structured, outputSchema: schema } },
    );
    const events = await read(at.client.prompt("hi"));
    const [refused, right] = events.filter(({ type }) => type === "tool_result");
    expect(refused).toMatchObject({
      output: [{ value: { errorMessage: expect.stringContaining("does not fit") } }],
    });
    expect(right).toMatchObject({ output: [{ value: { message: "Output set" } }] });
  });
});
