import {
  type AgentProgram,
  CodebuffRun,
  type CodebuffRunError,
  type CodebuffRunOptions,
  type ProgramNews,
} from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { AGENT, agentWith, json, read, runWorld, textIn, typesOf } from "./world.ts";

// Agents whose steps are code.

const glob = { name: "glob", arguments: { pattern: "*" } };
const OPTIONS: CodebuffRunOptions = { overrideTools: { glob: () => json({ files: ["a"] }) } };

const programmed = (
  handleSteps: AgentProgram,
  answer: readonly object[] = [{ text: "Done" }],
  toolNames: readonly string[] = ["glob"],
) =>
  runWorld({ answer: answer as never }, { ...OPTIONS, agent: { ...agentWith(...toolNames), handleSteps } });

test("`STEP` runs one answer with its tools, and returns whether the agent has ended", async () => {
  const news: ProgramNews[] = [];
  await using at = await programmed(
    function* () {
      news.push(yield "STEP");
      news.push(yield "STEP");
    },
    [{ toolCalls: [glob] }, { text: "Done" }],
  );
  expect((await at.client.prompt("hi").result).text).toBe("Done");
  expect(news.map(({ stepsComplete }) => stepsComplete)).toEqual([false, true]);
  expect(news[0]?.agentState.messageHistory).toHaveLength(3);
});

test("`STEP_ALL` runs all steps to the end of the turn", async () => {
  const news: ProgramNews[] = [];
  await using at = await programmed(
    async function* () {
      news.push(yield "STEP_ALL");
    },
    [{ toolCalls: [glob] }, { toolCalls: [glob] }, { text: "Done" }],
  );
  expect((await at.client.prompt("hi").result).steps).toBe(3);
  expect(news).toMatchObject([{ stepsComplete: true }]);
});

test("a program can call a tool that the model is not offered, and gets the result", async () => {
  const news: ProgramNews[] = [];
  await using at = await programmed(
    function* () {
      news.push(yield { toolName: "glob", input: { pattern: "*" } });
      yield "STEP";
    },
    [{ text: "Done" }],
    [],
  );
  const events = await read(at.client.prompt("hi"));
  expect(news).toMatchObject([
    { toolResult: [{ type: "json", value: { files: ["a"] } }], stepsComplete: false },
  ]);
  expect(typesOf(events)).toEqual(["start", "tool_call", "tool_result", "chunk", "text", "finish"]);
  expect(at.chats()[0]?.tools).toBeUndefined();
  expect(at.chats()[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});

test.each([
  ["an unknown tool", { toolName: "nothing", input: {} }, "not currently available"],
  ["a wrong input", { toolName: "glob", input: { pattern: 7 } }, "Invalid parameters for glob"],
])("the program gets an error result for %s", async (_, step, words) => {
  const news: ProgramNews[] = [];
  await using at = await programmed(function* () {
    news.push(yield step);
    yield "STEP";
  });
  await at.client.prompt("hi").result;
  expect(news).toMatchObject([{ toolResult: [{ value: { errorMessage: expect.stringContaining(words) } }] }]);
});

test("`GENERATE_N` asks for drafts without tools and without a stream", async () => {
  const news: ProgramNews[] = [];
  await using at = await programmed(
    function* () {
      news.push(yield { type: "GENERATE_N", n: 2 });
      yield { toolName: "set_output", input: { data: { best: news[0]?.nResponses?.[1] } } };
    },
    [{ text: ["one", "two"] }],
  );
  await at.client.prompt("hi").result;
  expect(news).toMatchObject([{ nResponses: ["one", "two"] }]);
  const [chat] = at.chats();
  expect(chat?.codebuff_metadata["n"]).toBe(2);
  expect(chat).not.toHaveProperty("stream");
  expect(chat).not.toHaveProperty("tools");
});

test("`GENERATE_N` fails the run without a backend", async () => {
  const agent = {
    ...AGENT,
    handleSteps: function* () {
      yield { type: "GENERATE_N" as const, n: 2 };
    } as AgentProgram,
  };
  const provider = { name: "own", supports: () => true, stream: async function* () {} };
  const client = new CodebuffRun({ providers: [provider], agent });
  expect(await failureOf(client.prompt("hi"))).toMatchObject({
    kind: "invalid_agent",
    serverMessage: expect.stringContaining("need the backend"),
  });
  await client.close();
});

test("a program that throws a string fails the run with this string", async () => {
  // biome-ignore lint/correctness/useYield: it throws before its first step
  await using at = await programmed(function* () {
    throw "in a text";
  });
  expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ serverMessage: "in a text" });
});

test("`GENERATE_N` that gets no list of texts fails the run", async () => {
  await using at = await programmed(function* () {
    yield { type: "GENERATE_N", n: 2 };
  });
  at.backend.fault("chat", { body: { choices: [{ message: { content: "no list" } }] } });
  expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "protocol_error" });
});

test("`GENERATE_N` fails the run with `timeout` if no answer comes", async () => {
  await using at = await programmed(function* () {
    yield { type: "GENERATE_N", n: 2 };
  });
  at.backend.fault("chat", { hang: true });
  const failure = failureOf(at.client.prompt("hi"));
  await at.backend.waitFor(() => at.calls().includes("chat"));
  await at.pass(120_000);
  expect(await failure).toMatchObject({ kind: "timeout" });
});

test("a program gets the prompt, the parameters and the agent's state", async () => {
  let seen: unknown;
  await using at = await programmed(function* (context) {
    seen = context;
    yield "STEP";
  });
  await at.client.prompt("hi", { params: { n: 1 } }).result;
  expect(seen).toMatchObject({
    prompt: "hi",
    params: { n: 1 },
    agentState: { agentType: "tester", stepsRemaining: 100 },
  });
});

test("a program's return ends the turn, even before a request to the model", async () => {
  await using at = await programmed(function* () {
    yield { toolName: "glob", input: { pattern: "*" } };
  });
  expect(await at.client.prompt("hi").result).toMatchObject({ stopReason: "completed", steps: 0, text: "" });
  expect(at.chats()).toEqual([]);
});

describe("a faulty program", () => {
  const failing = async (handleSteps: AgentProgram) => {
    await using at = await programmed(handleSteps);
    const error = (await failureOf(at.client.prompt("hi"))) as CodebuffRunError;
    expect(at.backend.runs()).toMatchObject([{ status: "failed" }]);
    return error;
  };

  test("that throws fails the run with its message", async () => {
    const error = await failing(function* () {
      yield "STEP" as const;
      throw new Error("kaboom");
    });
    expect(error).toMatchObject({
      kind: "invalid_agent",
      serverMessage: "kaboom",
      cause: { message: "kaboom" },
    });
  });

  test.each<[string, unknown, RegExp]>([
    ["an unknown word", "STOP", /it yielded "STOP"/],
    ["nothing", undefined, /it yielded undefined/],
    ["null", null, /it yielded null/],
    ["a number of drafts that is none", { type: "GENERATE_N", n: 0 }, /it yielded an object/],
    ["a tool without a name", { input: {} }, /it yielded an object/],
  ])("that yields %s fails the run", async (_, step, words) => {
    const error = await failing(function* () {
      yield step as never;
    });
    expect(error).toMatchObject({ kind: "invalid_agent", serverMessage: expect.stringMatching(words) });
  });

  test("that is not a generator fails the run", async () => {
    expect(await failing((() => {}) as never)).toMatchObject({
      kind: "invalid_agent",
      serverMessage: expect.stringContaining("not a generator"),
    });
  });

  test("that calls tools forever fails the run with `no_progress`", async () => {
    const error = await failing(function* () {
      for (;;) yield { toolName: "write_todos", input: { todos: [] } };
    });
    expect(error).toMatchObject({ kind: "no_progress" });
  });

  test("that yields `STEP` forever fails at the step limit", async () => {
    await using at = await programmed(
      function* () {
        for (;;) yield "STEP";
      },
      Array(10).fill({ text: "So" }),
    );
    expect(await failureOf(at.client.prompt("hi", { maxAgentSteps: 3 }))).toMatchObject({
      kind: "no_progress",
    });
    expect(at.chats()).toHaveLength(3);
  });

  test("can clean up in a `finally` block when the run fails", async () => {
    let isClean = false;
    await using at = await programmed(function* () {
      try {
        yield "STEP";
        yield { type: "GENERATE_N", n: 1 };
      } finally {
        isClean = true;
      }
    });
    at.backend.fault("chat", { status: 400 });
    await failureOf(at.client.prompt("hi"));
    expect(isClean).toBe(true);
  });
});

test("a sub-agent can be a program that calls tools and the model", async () => {
  const child = {
    ...AGENT,
    id: "child",
    *handleSteps() {
      yield { toolName: "glob", input: { pattern: "*" } } as const;
      yield "STEP" as const;
    },
  };
  await using at = await runWorld(
    {
      answer: [
        { match: { agentId: "tester", call: 1 }, toolCalls: [{ name: "child" }] },
        { match: { agentId: "child" }, text: "Child." },
        { text: "Done" },
      ],
    },
    { ...OPTIONS, agent: { ...AGENT, spawnableAgents: ["child"] }, agentDefinitions: [child] },
  );
  const events = await read(at.client.prompt("hi"));
  const call = events.find((event) => event.type === "tool_call" && event.toolName === "glob");
  expect(call).toMatchObject({ parentAgentId: "main-agent" });
  expect(at.chats()[1]?.messages.map(textIn).at(-1)).toBe('{"files":["a"]}');
});
