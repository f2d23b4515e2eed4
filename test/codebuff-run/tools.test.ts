import type { CodebuffRunEvent, CodebuffRunToolHandler, ToolOutput } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { runOwn } from "./own-tool.ts";
import { agentWith, json, runWorld } from "./world.ts";

// Tools of the caller's: their parameters, their handlers, their results.

const resultIn = (events: readonly CodebuffRunEvent[]): readonly ToolOutput[] | undefined => {
  const found = events.find(({ type }) => type === "tool_result");
  return found?.type === "tool_result" ? found.output : undefined;
};

test("tools are offered in order: those that the agent names, the caller's own, sub-agents", async () => {
  const own = { description: "", parameters: { type: "object" }, execute: () => json(1) };
  await using at = await runWorld(
    {},
    {
      agent: { ...agentWith("mine", "glob", "end_turn"), spawnableAgents: ["helper"] },
      agentDefinitions: [{ ...agentWith(), id: "helper" }],
      tools: { unnamed: own, mine: own },
      overrideTools: { glob: () => json(1), read_files: () => json(1) },
    },
  );
  await at.client.prompt("hi").result;
  const offered = at.chats()[0]?.tools?.map((tool) => tool.function.name);
  expect(offered).toEqual(["glob", "end_turn", "unnamed", "mine", "helper"]);
});

describe("a handler", () => {
  test("gets the call with its id, name, input and turn", async () => {
    let seen: unknown;
    const { result, events } = await runOwn({
      execute: (call) => {
        seen = call;
        return json("ok");
      },
    });
    const [{ id } = { id: "" }] = result.toolCalls;
    const raw = events.find(({ type }) => type === "tool_call");
    expect(seen).toEqual({ id, name: "own", input: { text: "hi" }, turnId: expect.any(String), raw });
    expect(raw).toEqual({ type: "tool_call", toolCallId: id, toolName: "own", input: { text: "hi" } }); // of no built-in tool
  });

  test("that throws gives the agent the reason, and the run goes on", async () => {
    const { events, result, warnings } = await runOwn({
      execute: () => {
        throw new Error("kaboom");
      },
    });
    expect(resultIn(events)).toEqual(json({ errorMessage: "kaboom" }));
    expect(result.toolCalls).toMatchObject([{ state: "failed", error: "kaboom" }]);
    expect(result.text).toBe("Done");
    expect(warnings).toMatchObject([{ kind: "handler-failed", message: expect.stringContaining("kaboom") }]);
  });

  test("may return a picture, and the call is done", async () => {
    const picture = { type: "media", data: "AAAA", mediaType: "image/png" } as const;
    const { events, result } = await runOwn({ execute: () => [picture] });
    expect(resultIn(events)).toEqual([picture]);
    expect(result.toolCalls).toMatchObject([{ state: "done" }]);
  });

  test("may change its result later, while the history keeps what was returned", async () => {
    const value = { at: new Date(0), list: [1] };
    const { result, told } = await runOwn({ execute: () => json(value) });
    value.list.push(2);
    expect(told).toBe('{"at":"1970-01-01T00:00:00.000Z","list":[1]}');
    expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state);
    expect(JSON.stringify(result.state)).toContain('"list":[1]');
  });

  test("may return several parts: they are one message, and pictures follow it", async () => {
    const picture = { type: "media" as const, data: "iVBORw0=", mediaType: "image/png" };
    const execute = () => [...json(1), ...json({ a: 2 }), picture];
    const { chats, told } = await runOwn({ execute }, {}, { promptCaching: false });
    expect(told).toBe('[1,{"a":2}]');
    expect(chats[1]?.messages.at(-1)).toEqual({
      role: "user",
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0=" } }],
    });
  });

  test("may return too much: a long text is cut, a large picture is left out", async () => {
    const huge = { type: "media" as const, data: "A".repeat(8 * 1_048_576), mediaType: "image/png" };
    const { events } = await runOwn({ execute: () => [...json("x".repeat(100_001)), huge] });
    const [text, picture] = resultIn(events) ?? [];
    expect(text).toEqual({ type: "json", value: `${"x".repeat(100_000)}\n[cut: 100001 characters]` });
    expect(picture).toEqual({ type: "json", value: { errorMessage: "The file is larger than 5 MiB." } });
  });

  test("may report progress until it has ended", async () => {
    let late = (_: string): void => {};
    const { events } = await runOwn({
      execute: (_, { onProgress }) => {
        onProgress("half");
        late = onProgress;
        return json("ok");
      },
    });
    late("too late");
    expect(events.filter(({ type }) => type === "tool_progress")).toMatchObject([
      { toolName: "own", output: "half" },
    ]);
  });

  test("that reports progress other than text fails", async () => {
    const { events } = await runOwn({
      execute: (_, { onProgress }) => {
        onProgress(5 as never);
        return json("ok");
      },
    });
    expect(resultIn(events)).toMatchObject([
      { value: { errorMessage: expect.stringContaining("progress") } },
    ]);
  });

  test("that exceeds `toolTimeout` is aborted, and the agent gets an error", async () => {
    let aborted: unknown;
    const execute: CodebuffRunToolHandler = (_, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => (aborted = signal.reason)));
    const own = { description: "", parameters: { type: "object" }, execute };
    await using at = await runWorld(
      { answer: [{ toolCalls: [{ name: "own" }] }, "Done"] },
      { tools: { own }, toolTimeout: 250 },
    );
    const turn = at.client.prompt("hi");
    await at.pass(250);
    expect(await turn.result).toMatchObject({
      text: "Done",
      toolCalls: [{ state: "failed", error: "own did not answer within 250 ms" }],
    });
    expect(aborted).toBeInstanceOf(Error);
  });
});

test("two calls of one step run one after the other", async () => {
  const log: string[] = [];
  const glob: CodebuffRunToolHandler = async ({ input }) => {
    log.push(`begin ${input["pattern"]}`);
    await Promise.resolve();
    log.push(`end ${input["pattern"]}`);
    return json([]);
  };
  const toolCalls = ["a", "b"].map((pattern) => ({ name: "glob", arguments: { pattern } }));
  await using at = await runWorld(
    { answer: [{ toolCalls }, "Done"] },
    { agent: agentWith("glob"), overrideTools: { glob } },
  );
  await at.client.prompt("hi").result;
  expect(log).toEqual(["begin a", "end a", "begin b", "end b"]);
});

test("`toolNames` sets the order of tools, and a tool without a handler is not offered", async () => {
  const own = { description: "", parameters: { type: "object" }, execute: () => json(1) };
  await using at = await runWorld(
    {},
    {
      agent: {
        ...agentWith("task_completed", "glob", "read_files", "set_output", "ask_user", "nothing"),
        spawnableAgents: ["child"],
      },
      agentDefinitions: [{ ...agentWith(), id: "child" }],
      overrideTools: { glob: () => json([]) },
      tools: { own },
      maxRuns: 1,
    },
  );
  at.backend.answer = () => ({ toolCalls: [{ name: "task_completed" }] });
  await at.client.prompt("hi").result;
  expect(at.chats()[0]?.tools?.map((tool) => tool.function.name)).toEqual([
    "task_completed",
    "glob",
    "set_output",
    "own",
    "child",
  ]);
});
