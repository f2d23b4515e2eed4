import type { CodebuffRunOptions, SourceTool, ToolSource } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { AGENT, agentWith, json, read, runWorld } from "./world.ts";

// Tools that take time to start: sources, as the loop sees them.

const tool = (name: string, more: Partial<SourceTool> = {}): SourceTool => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: {} },
  execute: () => json(`${name} did`),
  ...more,
});

const source = (name: string, tools: readonly SourceTool[], more: Partial<ToolSource> = {}): ToolSource => ({
  name,
  tools: async () => tools,
  close: async () => {},
  ...more,
});

/** The tools that the model sees in a run with these sources. */
async function offered(toolSources: readonly ToolSource[], options: CodebuffRunOptions = {}) {
  await using at = await runWorld({ answer: ["Hello"] }, { toolSources, ...options });
  const events = await read(at.client.prompt("hi"));
  const names = (at.chats()[0]?.tools ?? []).map((each) => each.function.name);
  return { names, events, warnings: at.warnings.map(({ kind, message }) => `${kind}: ${message}`) };
}

describe("the tools of sources", () => {
  const files = source("files", [tool("read"), tool("write")]);
  const web = source("web", [tool("read")]);

  test("are all offered if the agent names none", async () => {
    const { names } = await offered([files, web]);
    expect(names).toEqual(["files__read", "files__write", "web__read"]);
  });

  test.each(["files/write", "files__write"])(
    "are offered as named (%s); a source that the agent does not name offers all",
    async (name) => {
      const { names } = await offered([files, web], { agent: agentWith(name, "end_turn") });
      expect(names).toEqual(["files__write", "end_turn", "web__read"]);
    },
  );

  test("are not offered if the agent names only an unknown tool of their source", async () => {
    expect((await offered([files], { agent: agentWith("files/gone") })).names).toEqual([]);
  });

  test("are offered to sub-agents by the sub-agent's own `toolNames`", async () => {
    const child = { ...agentWith("files/read"), id: "child" };
    const parent = { ...agentWith("spawn_agents", "web/read"), spawnableAgents: ["child"] };
    await using at = await runWorld(
      {
        answer: [
          { toolCalls: [{ name: "child", arguments: { prompt: "go" } }] },
          { toolCalls: [{ name: "files__read", arguments: {} }] },
          "Read",
          "Done",
        ],
      },
      { agent: parent, agentDefinitions: [child], toolSources: [files, web] },
    );
    const events = await read(at.client.prompt("hi"));
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", output: json("read did") }));
    const names = at.chats()[1]?.tools?.map((each) => each.function.name);
    expect(names).toEqual(["files__read", "web__read"]);
  });

  test("a program may call them by either name", async () => {
    const results: unknown[] = [];
    const agent = {
      ...AGENT,
      *handleSteps(): Generator<never> {
        results.push(yield { toolName: "files/read", input: {} } as never);
        results.push(yield { toolName: "files__write", input: {} } as never);
      },
    };
    await using at = await runWorld({ answer: [] }, { agent, toolSources: [files] });
    await read(at.client.prompt("hi"));
    expect(results).toMatchObject([{ toolResult: json("read did") }, { toolResult: json("write did") }]);
  });
});

describe("the name of a source's tool for the model", () => {
  test.each([
    ["a.b/c d", "s__a_b_c_d"],
    ["größe", "s__gr__e"],
    ["x".repeat(61), `s__${"x".repeat(61)}`],
    ["x".repeat(62), expect.stringMatching(/^s__x{52}_[0-9a-f]{8}$/)],
  ])("has only characters and a length that models accept: %s", async (name, wire) => {
    expect((await offered([source("s", [tool(name)])])).names).toEqual([wire]);
  });

  test("is unique: a second tool of the same name is left out, with a warning", async () => {
    const { names, warnings } = await offered([source("s", [tool("a.b"), tool("a_b")])]);
    expect(names).toEqual(["s__a_b"]);
    expect(warnings).toEqual(["tool-source: the tool s/a_b is not offered: another tool is named s__a_b"]);
  });

  test("a tool whose parameters cannot be used is left out, with a warning", async () => {
    const { names, warnings } = await offered([
      source("s", [tool("bad", { parameters: { type: "array" } }), tool("good")]),
    ]);
    expect(names).toEqual(["s__good"]);
    expect(warnings).toEqual([expect.stringContaining("s/bad")]);
  });

  test.each([["a__b"], ["a_"], [""], ["a b"], ["x".repeat(33)]])(
    "`%s` is refused as the name of a source",
    async (name) => {
      await expect(offered([source(name, [])])).rejects.toMatchObject({ code: "invalid-input" });
    },
  );

  test("two sources of one name are refused", async () => {
    await expect(offered([source("s", []), source("s", [])])).rejects.toMatchObject({
      code: "invalid-input",
    });
  });
});

test("a source that fails causes one `error` event, and the run goes on with the other tools", async () => {
  const bad = source("bad", [], { tools: async () => Promise.reject(new Error("no such program")) });
  const { names, events, warnings } = await offered([bad, source("good", [tool("read")])]);
  const message = "The tools of bad are missing: no such program";
  expect(names).toEqual(["good__read"]);
  expect(events.map(({ type }) => type)).toEqual(["start", "error", "chunk", "text", "finish"]);
  expect(events[1]).toEqual({ type: "error", message });
  expect(warnings).toEqual([`tool-source: ${message}`]);
});

test("`toolPolicy` decides on each call of a source's tool", async () => {
  let calls = 0;
  const execute = () => {
    calls++;
    return json("ok");
  };
  await using at = await runWorld(
    { answer: [{ toolCalls: [{ name: "s__run", arguments: {} }] }, "Done"] },
    {
      toolSources: [source("s", [tool("run", { execute })])],
      toolPolicy: [{ tool: "s__run", then: "deny" }],
    },
  );
  const turn = at.client.prompt("hi");
  await read(turn);
  expect((await turn.result).toolCalls).toMatchObject([{ name: "s__run", state: "denied" }]);
  expect(calls).toBe(0);
});

test("a cancelled turn does not wait for a source", async () => {
  const never = source("never", [], { tools: () => new Promise(() => {}) });
  await using at = await runWorld({ answer: ["Hello"] }, { toolSources: [never] });
  const turn = at.client.prompt("hi");
  await at.client.connect();
  turn.cancel();
  expect((await turn.outcome).status).toBe("cancelled");
});

describe("`close()`", () => {
  test("waits until the sources are closed", async () => {
    let end = (): void => {};
    const slow = source("slow", [], { close: () => new Promise<void>((resolve) => (end = resolve)) });
    await using at = await runWorld({}, { toolSources: [slow] });
    const closed = at.client.close();
    expect(at.client.status).toBe("draining");
    end();
    await closed;
    expect(at.client.status).toBe("closed");
  });

  test("waits at most 5 s for a source, then warns", async () => {
    const deaf = source("deaf", [], { close: () => new Promise(() => {}) });
    await using at = await runWorld({}, { toolSources: [deaf] });
    const closed = at.client.close();
    await at.pass(5_000);
    await closed;
    expect(at.warnings).toMatchObject([{ kind: "tool-source", message: expect.stringContaining("5000 ms") }]);
  });

  test("warns about a source that fails to close", async () => {
    const bad = source("bad", [], { close: async () => Promise.reject(new Error("stuck")) });
    await using at = await runWorld({}, { toolSources: [bad] });
    await at.client.close();
    expect(at.warnings).toMatchObject([{ message: "the tool source bad did not close: stuck" }]);
  });
});
