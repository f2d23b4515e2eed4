import type { CodebuffRunEvent, CodebuffRunOptions } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { mcpServers } from "../../../../src/codebuff-run/tools/mcp/mcp-servers.ts";
import { agentWith, read, runWorld, textIn } from "../../world.ts";
import { isAlive, program } from "./mcp-world.ts";

// MCP servers in a run: which tools the model sees, and what becomes of its calls.

const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] });

/** The process id in a result of the tool `pid`. */
const pidIn = (output: unknown): number => Number(JSON.stringify(output).replace(/\D/g, ""));

/** A run in which the model calls these tools, one in each answer. */
async function running(calls: readonly string[], options: CodebuffRunOptions) {
  await using at = await runWorld({ answer: [...calls.map((name) => call(name)), "Done"] }, options);
  const turn = at.client.prompt("hi");
  const events = await read(turn);
  const result = await turn.result;
  const last =
    at
      .chats()
      .at(-1)
      ?.messages.filter(({ role }) => role === "tool") ?? [];
  return {
    events,
    result,
    told: last.map(textIn),
    offered: (at.chats()[0]?.tools ?? []).map((each) => each.function.name),
    warnings: at.warnings.map(({ kind, message }) => `${kind}: ${message}`),
  };
}

const outputs = (events: readonly CodebuffRunEvent[]) =>
  events.flatMap((event) => (event.type === "tool_result" ? event.output : []));

test("the model calls tools of a server and gets their results", async () => {
  const toolSources = mcpServers({ s: program() });
  const { events, told, result } = await running(["s__texts", "s__resource", "s__fails"], { toolSources });
  expect(told).toEqual([
    '["one","two"]',
    '"größe"', // of the two resources one is a text
    '{"errorMessage":"no such city\\ntry another"}',
  ]);
  expect(outputs(events)).toHaveLength(5);
  const raw = events.find(({ type }) => type === "tool_call");
  expect(raw).toEqual({
    type: "tool_call",
    toolCallId: expect.any(String),
    toolName: "s__texts",
    input: {},
  });
  expect(result.toolCalls.map(({ state }) => state)).toEqual(["done", "done", "failed"]);
});

test("an agent that names tools of a server gets only these", async () => {
  const toolSources = mcpServers({ s: program() });
  const { offered } = await running([], { toolSources, agent: agentWith("s/pid", "s/echo") });
  expect(offered).toEqual(["s__pid", "s__echo"]);
});

test("the user decides on each call", async () => {
  const toolSources = mcpServers({ s: program() });
  const { result, told } = await running(["s__crashes"], {
    toolSources,
    onToolApproval: ({ name }) => name !== "s__crashes",
  });
  expect(result.toolCalls).toMatchObject([{ state: "denied", deniedBy: "user" }]);
  expect(told[0]).toContain("errorMessage");
});

test("a server that cannot start causes one `error` event, and the run goes on with the others", async () => {
  const toolSources = mcpServers({ bad: program("crashesAtStart"), s: program() });
  const { events, told, offered, warnings } = await running(["s__texts"], { toolSources });
  const errors = events.filter(({ type }) => type === "error");
  expect(errors).toEqual([
    { type: "error", message: "The tools of bad are missing: it has ended with code 3: the key is missing" },
  ]);
  expect(warnings).toEqual([expect.stringMatching(/^tool-source: The tools of bad are missing/)]);
  expect(offered.some((name) => name.startsWith("bad__"))).toBe(false);
  expect(told).toEqual(['["one","two"]']);
});

test("a server that crashes in a call fails the call, and the run goes on", async () => {
  const toolSources = mcpServers({ s: program() });
  const { told, result } = await running(["s__crashes", "s__texts"], { toolSources });
  expect(told).toEqual([expect.stringContaining("code 5"), expect.stringContaining("code 5")]);
  expect(result.text).toBe("Done");
});

describe("no process of a server survives", () => {
  test("a turn that is cancelled in a call, once its client is closed", async () => {
    const toolSources = mcpServers({ s: program() });
    const at = await runWorld({ answer: [call("s__pid"), call("s__hangs")] }, { toolSources });
    const turn = at.client.prompt("hi");
    let pid = 0;
    turn.on("toolCall", ({ name, state, output }) => {
      if (name === "s__pid" && output) pid = pidIn(output);
      if (name === "s__hangs" && state === "running") turn.cancel();
    });
    await read(turn);
    expect((await turn.outcome).status).toBe("cancelled");
    expect(isAlive(pid)).toBe(true); // the next run needs it
    await at[Symbol.asyncDispose]();
    expect(isAlive(pid)).toBe(false);
  });

  test("a client that is closed in a call", async () => {
    const toolSources = mcpServers({ s: program() });
    await using at = await runWorld({ answer: [call("s__pid"), call("s__hangs")] }, { toolSources });
    const turn = at.client.prompt("hi");
    let pid = 0;
    const begun = new Promise<void>((resolve) => {
      turn.on("toolCall", ({ name, state, output }) => {
        if (name === "s__pid" && output) pid = pidIn(output);
        if (name === "s__hangs" && state === "running") resolve();
      });
    });
    await begun;
    await at.client.close();
    await turn.outcome;
    expect(pid).toBeGreaterThan(0);
    expect(isAlive(pid)).toBe(false);
  });
});
