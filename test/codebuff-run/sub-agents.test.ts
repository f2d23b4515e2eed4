import type { AgentDefinition, CodebuffRunOptions, ToolOutput } from "agentwire/codebuff-run";
import type { BackendAnswer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { AGENT, agentWith, json, read, runWorld, textIn, typesOf } from "./world.ts";

// Agents that run agents.

const named = (id: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  ...AGENT,
  id,
  displayName: id.toUpperCase(),
  ...more,
});

const spawn = (...agents: readonly object[]) => ({ name: "spawn_agents", arguments: { agents } });

const of = (agentId: string, answer: BackendAnswer): BackendAnswer => ({ ...answer, match: { agentId } });

const PARENT = { ...agentWith("spawn_agents"), spawnableAgents: ["one", "two"] };

const OPTIONS: CodebuffRunOptions = { agent: PARENT, agentDefinitions: [named("one"), named("two")] };

const resultOf = (events: readonly { readonly type: string }[]): readonly ToolOutput[] =>
  (events.find(({ type }) => type === "tool_result") as { output?: readonly ToolOutput[] } | undefined)
    ?.output ?? [];

describe("two sub-agents at once", () => {
  const two = () =>
    runWorld(
      {
        answer: [
          of("tester", {
            toolCalls: [spawn({ agent_type: "one", prompt: "do" }, { agent_type: "two", params: { n: 1 } })],
            usage: { cost: 0.05 },
          }),
          of("one", { text: ["I am ", "one."], reasoning: "hm", usage: { cost: 0.1 } }),
          of("two", { text: "I am two.", usage: { cost: 0.1 } }),
          of("tester", { text: "Done.", usage: { cost: 0.05 } }),
        ],
      },
      OPTIONS,
    );

  test("each have their own run on the backend, below the parent's run", async () => {
    await using at = await two();
    const { cost } = await at.client.prompt("hi").result;
    const [root, ...children] = at.backend.runs();
    expect(children.map(({ agentId }) => agentId).sort()).toEqual(["one", "two"]);
    for (const child of children)
      expect(child).toMatchObject({
        ancestorRunIds: [root?.id],
        status: "completed",
        finish: { directCredits: 11, totalCredits: 11 },
      });
    expect(root?.steps[0]?.childRunIds).toEqual(children.map(({ id }) => id));
    expect(root?.finish).toMatchObject({ directCredits: 10, totalCredits: 32 });
    expect(cost).toEqual({ amount: 32, unit: "credits" });
    const clients = new Set(at.chats().map(({ codebuff_metadata }) => codebuff_metadata["client_id"]));
    expect(clients.size).toBe(1);
  });

  test("emit events of their own, and add no text to the turn", async () => {
    await using at = await two();
    const turn = at.client.prompt("hi");
    const events = await read(turn);
    expect(turn.text).toBe("Done.");
    const starts = events.flatMap((event) => (event.type === "subagent_start" ? [event] : []));
    expect(starts).toMatchObject([
      { agentType: "one", displayName: "ONE", onlyChild: false, parentAgentId: "main-agent", prompt: "do" },
      { agentType: "two", displayName: "TWO", onlyChild: false, params: { n: 1 } },
    ]);
    const one = starts.find(({ agentType }) => agentType === "one");
    const ofOne = events.filter((event) => Reflect.get(event, "agentId") === one?.agentId);
    expect(ofOne.map(({ type }) => type)).toEqual([
      "subagent_start",
      "reasoning_chunk",
      "subagent_chunk",
      "subagent_chunk",
      "text",
      "subagent_finish",
    ]);
    expect(ofOne[4]).toMatchObject({ type: "text", text: "I am one." });
    expect(typesOf(events).filter((type) => type === "subagent_finish")).toHaveLength(2);
  });

  test("return their results to the parent in the order of the call", async () => {
    await using at = await two();
    const [part] = resultOf(await read(at.client.prompt("hi")));
    expect(part).toMatchObject({
      type: "json",
      value: [
        { agentName: "ONE", agentType: "one", value: { type: "lastMessage" } },
        { agentName: "TWO", agentType: "two", value: { type: "lastMessage" } },
      ],
    });
  });

  test("each get their own prompt and parameters", async () => {
    await using at = await two();
    await at.client.prompt("hi").result;
    const prompts = at.chats().map(({ messages }) => messages.map(textIn).join());
    expect(prompts).toContain("<user_message>do</user_message>");
    expect(prompts).toContain('<user_message>\n\n{\n  "n": 1\n}</user_message>');
  });
});

test("each sub-agent is also offered as a tool", async () => {
  await using at = await runWorld(
    {
      answer: [
        of("tester", { toolCalls: [{ name: "one", arguments: { prompt: "do", more: 1 } }] }),
        of("one", { text: "One." }),
        of("tester", { text: "Done." }),
      ],
    },
    { ...OPTIONS, agent: { ...PARENT, toolNames: [] } },
  );
  const events = await read(at.client.prompt("hi"));
  expect(events.find(({ type }) => type === "tool_call")).toMatchObject({
    toolName: "spawn_agents",
    input: { agents: [{ agent_type: "one", prompt: "do" }] },
  });
  expect(at.chats()[0]?.tools?.map((tool) => tool.function.name)).toEqual(["one", "two"]);
});

test.each([
  ["one that may not be run", { agent_type: "other" }, /may not be run/],
  ["one that does not exist", { agent_type: "gone" }, /Invalid agent ID/],
])("the parent gets an error result for a sub-agent: %s", async (_, order, words) => {
  await using at = await runWorld(
    { answer: [of("tester", { toolCalls: [spawn(order)] }), of("tester", { text: "Done." })] },
    { ...OPTIONS, agent: { ...PARENT, spawnableAgents: ["one", "gone"] } },
  );
  const turn = at.client.prompt("hi");
  const [part] = resultOf(await read(turn));
  expect(part).toMatchObject({
    value: [{ value: { type: "error", message: expect.stringMatching(words) } }],
  });
  expect((await turn.result).text).toBe("Done.");
});

test("parameters that do not fit the sub-agent's schema are an error result; other sub-agents run", async () => {
  const params = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const orders = [{ params: { n: "x" } }, {}, { params: { n: 1, more: 2 } }];
  await using at = await runWorld(
    {
      answer: [
        of("tester", { toolCalls: [spawn(...orders.map((order) => ({ agent_type: "one", ...order })))] }),
        of("one", { text: "One." }),
        of("tester", { text: "Done." }),
      ],
    },
    { agent: PARENT, agentDefinitions: [named("one", { inputSchema: { params } })] },
  );
  const [part] = resultOf(await read(at.client.prompt("hi")));
  const refused = { type: "error", message: expect.stringMatching(/^Invalid parameters for one: .*params/) };
  expect(part).toMatchObject({
    value: [{ value: refused }, { value: refused }, { value: { type: "lastMessage" } }],
  });
  expect(at.backend.runs().map(({ agentId }) => agentId)).toEqual(["tester", "one"]);
  expect(at.chats()[1]?.messages.map(textIn).join()).toContain('"more": 2');
});

test("a call for more than 50 sub-agents is refused", async () => {
  const orders = Array.from({ length: 51 }, () => ({ agent_type: "one" }));
  await using at = await runWorld(
    { answer: [of("tester", { toolCalls: [spawn(...orders)] }), of("tester", { text: "Done." })] },
    OPTIONS,
  );
  expect(resultOf(await read(at.client.prompt("hi")))).toEqual(
    json({ errorMessage: "At most 50 agents can be run by one call." }),
  );
  expect(at.backend.runs()).toHaveLength(1);
});

test("a sub-agent's name of more than 256 characters is refused", async () => {
  const name = (length: number) => ({ agent_type: "@".repeat(length) });
  await using at = await runWorld(
    {
      answer: [
        of("tester", { toolCalls: [spawn(name(257)), spawn(name(256))] }),
        of("tester", { text: "Done." }),
      ],
    },
    OPTIONS,
  );
  const events = await read(at.client.prompt("hi"));
  expect(events.filter(({ type }) => type === "error")).toEqual([
    {
      type: "error",
      message:
        'Invalid parameters for spawn_agents: [{"message":"String is too long (257 > 256).","path":"agents.0.agent_type"}]',
    },
  ]);
  expect(resultOf(events)).toMatchObject([
    { value: [{ value: { message: expect.stringMatching(/may not be run/) } }] },
  ]);
});

test("a sub-agent that fails is an error result for the parent; the other one goes on", async () => {
  const refused = { refused: { status: 400, message: "too hot" } };
  await using at = await runWorld(
    {
      answer: [
        of("tester", { toolCalls: [spawn({ agent_type: "one" }, { agent_type: "two" })] }),
        of("one", refused),
        of("two", { text: "Two." }),
        of("tester", { text: "Done." }),
      ],
    },
    OPTIONS,
  );
  const turn = at.client.prompt("hi");
  const [part] = resultOf(await read(turn));
  expect(part).toMatchObject({
    value: [
      { value: { type: "error", message: "too hot", statusCode: 400 } },
      { value: { type: "lastMessage" } },
    ],
  });
  expect((await turn.result).text).toBe("Done.");
  expect(
    at.backend
      .runs()
      .map(({ agentId, status }) => `${agentId} ${status}`)
      .sort(),
  ).toEqual(["one failed", "tester completed", "two completed"]);
});

test("sub-agents run at most five levels deep", async () => {
  const self: AgentDefinition = { ...agentWith("spawn_agents"), spawnableAgents: ["tester"] };
  const answer = ({ call }: { call: number }) =>
    call === 1 ? { toolCalls: [spawn({ agent_type: "tester" })] } : "Done.";
  await using at = await runWorld({ answer }, { agent: self });
  const events = await read(at.client.prompt("hi"));
  expect(at.backend.runs().map(({ ancestorRunIds }) => ancestorRunIds.length)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(resultOf(events)).toMatchObject([
    { value: { errorMessage: "Agents may run agents only 5 levels deep." } },
  ]);
});

test("`toolPolicy` also decides on calls of sub-agents", async () => {
  await using at = await runWorld(
    { answer: [{ toolCalls: [spawn({ agent_type: "one" })] }, "Done."] },
    { ...OPTIONS, toolPolicy: [{ tool: "spawn_agents", then: "deny" }] },
  );
  const turn = at.client.prompt("hi");
  expect(await turn.result).toMatchObject({
    text: "Done.",
    toolCalls: [{ name: "spawn_agents", state: "denied" }],
  });
  expect(at.backend.runs()).toHaveLength(1);
});

test("`toolTimeout` does not limit sub-agents", async () => {
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await using at = await runWorld(
    {
      answer: [
        of("tester", { toolCalls: [spawn({ agent_type: "one" })] }),
        of("one", { text: ["a", held, "b"] }),
        of("tester", { text: "Done." }),
      ],
    },
    { ...OPTIONS, toolTimeout: 100 },
  );
  const turn = at.client.prompt("hi");
  await new Promise<void>((resolve) =>
    turn.on("event", ({ type }) => type === "subagent_chunk" && resolve()),
  );
  await at.clock.advance(10_000);
  goOn();
  expect(await turn.result).toMatchObject({ text: "Done.", toolCalls: [{ state: "done" }] });
});

test("a cancel stops all sub-agents, and the turn settles after the last tool has ended", async () => {
  let ended = 0;
  let begun = 0;
  let allBegun = (): void => {};
  const both = new Promise<void>((resolve) => {
    allBegun = resolve;
  });
  const glob = (_: unknown, { signal }: { signal: AbortSignal }) => {
    if (++begun === 2) allBegun();
    return new Promise<ToolOutput[]>((resolve) =>
      signal.addEventListener("abort", async () => {
        await Promise.resolve();
        if (begun === 2 && ended === 0) await new Promise((later) => setImmediate(later));
        ended++;
        resolve(json([]));
      }),
    );
  };
  const call = { toolCalls: [{ name: "glob", arguments: { pattern: "*" } }] };
  await using at = await runWorld(
    {
      answer: [
        of("tester", { toolCalls: [spawn({ agent_type: "one" }, { agent_type: "two" })] }),
        of("one", call),
        of("two", call),
      ],
    },
    {
      agent: PARENT,
      agentDefinitions: [named("one", { toolNames: ["glob"] }), named("two", { toolNames: ["glob"] })],
      overrideTools: { glob },
    },
  );
  const turn = at.client.prompt("hi");
  await both;
  const outcome = await turn.cancel();
  expect(outcome.status).toBe("cancelled");
  expect(ended).toBe(2);
  await at.client.close();
  expect(at.backend.runs().map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled"]);
  expect(at.backend.requests({ action: "FINISH" })).toHaveLength(3);
});
