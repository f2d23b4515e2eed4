import { AcpClient, type AcpEvent, toUniversal } from "agentwire/acp";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { END, ScriptedAgent, world } from "./support/agent.ts";

// Fields that are missing, of another type, or of a later version: each counts as absent, and the rest is read.

const text = (content: unknown) => ({ sessionUpdate: "agent_message_chunk", content });

/** The events of a turn with these updates, without what calls show. */
async function eventsOf(...updates: readonly object[]): Promise<readonly AcpEvent[]> {
  await using w = world(({ update }) => {
    for (const each of updates) update(each);
    return END;
  });
  const events: AcpEvent[] = [];
  for await (const event of w.client.prompt("go")) events.push(event);
  expect(w.agent.odd).toEqual([]);
  return events;
}

describe("an update", () => {
  test.each([
    ["a chunk without content", { sessionUpdate: "agent_message_chunk" }],
    ["a mode without an id", { sessionUpdate: "current_mode_update", currentModeId: 1 }],
    ["a notice without a title", { sessionUpdate: "notice", severity: "error" }],
    ["a call without an id", { sessionUpdate: "tool_call", title: "x" }],
    ["a summary that is no text", { sessionUpdate: "compaction_summary_chunk", content: { type: "image" } }],
    ["no type", { text: "?" }],
    ["another type", { sessionUpdate: "of_tomorrow" }],
  ])("with %s is an unknown event, and the turn goes on", async (_, update) => {
    const events = await eventsOf(update, text({ type: "text", text: "on" }));
    expect(events).toEqual([
      { type: "unknown", update },
      { type: "text", delta: "on" },
    ]);
  });

  test.each([
    [
      { type: "image", data: "QQ==", mimeType: "image/png", uri: "file:///a" },
      { type: "image", data: "QQ==", mimeType: "image/png", uri: "file:///a" },
    ],
    [
      { type: "audio", data: "QQ==", mimeType: "audio/wav", uri: "x" },
      { type: "audio", data: "QQ==", mimeType: "audio/wav" },
    ],
    [
      { type: "image", data: 1 },
      { type: "unknown", block: { type: "image", data: 1 } },
    ],
    [
      { type: "resource_link", uri: "file:///a" },
      { type: "resource_link", uri: "file:///a", name: "file:///a" },
    ],
    [{ type: "resource_link" }, { type: "unknown", block: { type: "resource_link" } }],
    [
      { type: "resource", resource: { uri: "file:///a", text: "t", blob: 1 } },
      { type: "resource", resource: { uri: "file:///a", text: "t" } },
    ],
    [{ type: "resource" }, { type: "unknown", block: { type: "resource" } }],
    [{ type: "text" }, { type: "unknown", block: { type: "text" } }],
    [{ type: "of_tomorrow" }, { type: "unknown", block: { type: "of_tomorrow" } }],
  ])("with the block %j has %j", async (block, read) => {
    expect(await eventsOf(text(block))).toEqual([{ type: "content", block: read }]);
  });

  test("a picture in a thought is a part of the thought", async () => {
    const content = { type: "image", data: "QQ==", mimeType: "image/png" };
    expect(await eventsOf({ sessionUpdate: "agent_thought_chunk", content })).toEqual([
      { type: "content", block: content, isThought: true },
    ]);
  });

  test.each([
    [{ severity: "warning" }, "warning"],
    [{ severity: "error" }, "error"],
    [{ severity: "of_tomorrow" }, "info"],
    [{}, "info"],
  ])("a notice with %j is %s", async (fields, severity) => {
    const notice = { sessionUpdate: "notice", title: "t", description: "d", ...fields };
    expect(await eventsOf(notice)).toEqual([{ type: "notice", severity, title: "t", description: "d" }]);
  });

  test("a compaction is told by its update, and its summary by the update or in pieces", async () => {
    const compaction = (status: string, more: object = {}) => ({
      sessionUpdate: "compaction_update",
      compactionId: "c",
      status,
      ...more,
    });
    const piece = (words: string) => ({
      sessionUpdate: "compaction_summary_chunk",
      content: { type: "text", text: words },
    });
    const events = await eventsOf(
      compaction("in_progress"),
      piece("one "),
      piece("two"),
      compaction("completed"),
      compaction("failed"),
      compaction("cancelled", { summary: "none" }),
    );
    expect(events).toEqual([
      { type: "compaction", state: "started" },
      { type: "compaction", state: "completed", summary: "one two" },
      { type: "compaction", state: "completed" },
      { type: "compaction", state: "completed", summary: "none" },
    ]);
  });

  test("a plan has the entries that can be read", async () => {
    const entries = [
      { content: "a", status: "completed", priority: "high" },
      { content: "b", status: "in_progress", priority: "low" },
      { content: "c", status: "later", priority: "medium" },
      { content: "d", priority: "none" },
      { status: "pending" },
      "e",
    ];
    expect(await eventsOf({ sessionUpdate: "plan", entries }, { sessionUpdate: "plan" })).toEqual([
      {
        type: "plan",
        entries: [
          { content: "a", status: "completed", priority: "high" },
          { content: "b", status: "in_progress", priority: "low" },
          { content: "c", status: "pending", priority: "medium" },
          { content: "d", status: "pending" },
        ],
      },
      { type: "plan", entries: [] },
    ]);
  });
});

test("a call has the fields that can be read, its content by its kinds", async () => {
  await using w = world(({ update }) => {
    update({
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: 1,
      kind: "of_tomorrow",
      status: "odd",
      locations: [{ path: "/a", line: 2 }, { path: "" }, {}, null],
      rawInput: null,
      rawOutput: null,
      content: [
        { type: "diff", path: "/a", newText: "n" },
        { type: "diff", path: "/a" },
        { type: "terminal", terminalId: "t" },
        { type: "content", content: { type: "text", text: "out" } },
        { type: "content" },
        1,
      ],
      _meta: { any: { toolName: "" }, terminal_output_delta: { data: 1 } },
    });
    update({ sessionUpdate: "tool_call_update", toolCallId: "c", kind: "switch_mode", status: "completed" });
    return END;
  });
  const { toolCalls } = await w.client.prompt("go").result;
  expect(toolCalls).toMatchObject([
    {
      name: "switch_mode",
      state: "done",
      output: "out",
      raw: {
        locations: [{ path: "/a", line: 2 }],
        content: [
          { type: "diff", path: "/a", oldText: null, newText: "n" },
          { type: "content", content: { type: "unknown" } },
          { type: "terminal", terminalId: "t" },
          { type: "content", content: { type: "text", text: "out" } },
          { type: "content", content: { type: "unknown" } },
        ],
      },
    },
  ]);
});

test("a call without text has its raw output as output", async () => {
  const outputs = ["plain", { exit: 0 }, 7];
  await using w = world(({ update }) => {
    outputs.forEach((rawOutput, at) => {
      update({ sessionUpdate: "tool_call", toolCallId: `c${at}`, status: "completed", rawOutput });
    });
    return END;
  });
  const { toolCalls } = await w.client.prompt("go").result;
  expect(toolCalls.map(({ output }) => output)).toEqual(["plain", '{"exit":0}', "7"]);
});

test("tokens are read in the words of each agent, and wrong ones are left out", async () => {
  const answers = [
    { usage: { inputTokens: 3, outputTokens: Number.NaN, cachedReadTokens: "x" } },
    { usage: 1, _meta: { quota: { token_count: { input_tokens: 4, output_tokens: 5 } } } },
    { _meta: { quota: { token_count: { input_tokens: 6 } } } },
    { usage: {} },
    {},
  ];
  await using w = world(({ text: words }) => ({ ...END, ...answers[Number(words)] }));
  const told: unknown[] = [];
  for (const at of answers.keys()) told.push((await w.client.prompt(String(at)).result).usage);
  expect(told).toEqual([
    { inputTokens: 3 },
    { inputTokens: 4, outputTokens: 5 },
    { inputTokens: 6 },
    undefined,
    undefined,
  ]);
});

test("tokens in chunks (Qwen) are summed up", async () => {
  const chunk = (usage: object) => ({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "" },
    _meta: { usage },
  });
  await using w = world(({ update }) => {
    update(chunk({ promptTokens: 10, completionTokens: 2 }));
    update(chunk({ promptTokens: 5 }));
    update(chunk({ completionTokens: 1 }));
    return END;
  });
  expect((await w.client.prompt("go").result).usage).toEqual({ inputTokens: 15, outputTokens: 3 });
});

describe("a session", () => {
  test("has the modes, models, options and commands that can be read", async () => {
    const session = {
      modes: {
        currentModeId: "default",
        availableModes: [{ id: "default", name: "Default", description: "d" }, { id: "x" }, { name: "y" }, 1],
      },
      models: { currentModelId: 1, availableModels: [] },
      configOptions: [
        {
          id: "model",
          type: "select",
          category: "model",
          currentValue: "a",
          options: [{ value: "a", name: "A" }],
        },
        {
          id: "level",
          name: "Level",
          type: "select",
          currentValue: "low",
          options: [
            { group: "g", options: [{ value: "low" }, {}] },
            { value: "high", name: "High" },
          ],
        },
        { id: "fast", name: "Fast", type: "boolean", currentValue: true, description: "d" },
        { id: "broken", type: "boolean", currentValue: "yes" },
        { id: "none", type: "select" },
        { type: "select", currentValue: "a" },
        1,
      ],
    };
    const commands = [
      { name: "init", description: "Begins.", input: { hint: "what" } },
      { name: "odd", input: null },
      { description: "x" },
    ];
    const agent = new ScriptedAgent({
      session,
      script: ({ update }) => {
        update({ sessionUpdate: "available_commands_update", availableCommands: commands });
        update({ sessionUpdate: "session_info_update", title: "T", updatedAt: 1 });
        update({ sessionUpdate: "session_info_update" });
        update({ sessionUpdate: "usage_update", used: 5, size: "x", cost: { amount: "1", currency: "USD" } });
        update({ sessionUpdate: "usage_update", cost: { amount: 1, currency: "USD" } });
        return END;
      },
    });
    const client = new AcpClient({ createStream: agent.createStream });
    const talk = client.conversation();
    await talk.prompt("go").result;
    expect(talk.session).toMatchObject({
      title: "T",
      modes: {
        current: "default",
        available: [
          { id: "default", name: "Default", description: "d" },
          { id: "x", name: "x" },
        ],
      },
      models: { current: "a", available: [{ id: "a", name: "A" }] },
      options: [
        { id: "model", name: "model", category: "model" },
        {
          id: "level",
          available: [
            { id: "low", name: "low" },
            { id: "high", name: "High" },
          ],
        },
        { id: "fast", type: "boolean", current: true, description: "d" },
      ],
      commands: [
        { name: "init", description: "Begins.", hint: "what" },
        { name: "odd", description: "" },
      ],
      context: { used: 5 },
    });
    await client.close();
  });

  test("tells its changes between turns, and at the end of a turn, as universal events", async () => {
    await using w = world(({ update, text: words, agent, sessionId }) => {
      update({ sessionUpdate: "usage_update", used: 1, size: 10, cost: { amount: 1, currency: "USD" } });
      if (words === "go")
        setImmediate(() => {
          for (const each of [
            { sessionUpdate: "current_mode_update", currentModeId: "plan" },
            { sessionUpdate: "session_info_update", title: "T" },
            { sessionUpdate: "available_commands_update", availableCommands: [] },
            { sessionUpdate: "usage_update", used: 2, size: 10 },
            {
              sessionUpdate: "config_option_update",
              configOptions: [
                { id: "m", type: "select", category: "model", currentValue: "b", options: [{ value: "b" }] },
              ],
            },
          ])
            agent.update(sessionId, each);
        });
      return END;
    });
    const talk = w.client.conversation();
    const stream = toUniversal(talk);
    const events: UniversalEvent[] = [];
    stream.on("event", (event) => events.push(event));
    const changed = new Promise<void>((resolve) => {
      w.client.on("session", (_, part) => part === "models" && resolve());
    });
    const { cost } = await talk.prompt("go").result;
    await changed;
    await talk.prompt("again").result;
    await w.client.close();
    expect(cost).toEqual({ amount: 1, unit: "USD" });
    const labels = events.flatMap(({ type, data }) =>
      type === "item.completed" && data.item.kind === "status"
        ? data.item.content.flatMap((part) => (part.type === "status" ? [part.label] : []))
        : [],
    );
    expect(labels).toEqual(expect.arrayContaining(["mode", "title", "commands", "context", "model"]));
    const [end] = events.filter(({ type }) => type === "turn.ended");
    expect(end?.data).toMatchObject({ metadata: { usage: { context_tokens: 1, context_window: 10 } } });
    expect(checkTranscript(events)).toEqual([]);
  });
});

test("universal events have every kind of content, of messages and of calls", async () => {
  const blocks = [
    { type: "image", data: "QQ==", mimeType: "image/png" },
    { type: "audio", data: "QQ==", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a", name: "a" },
    { type: "resource", resource: { uri: "file:///a", text: "t" } },
    { type: "of_tomorrow" },
  ];
  await using w = world(({ update }) => {
    for (const block of blocks) update(text(block));
    update({
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "t",
      kind: "fetch",
      status: "completed",
      locations: [{ path: "/a" }],
      content: [
        ...blocks.map((content) => ({ type: "content", content })),
        { type: "diff", path: "/a", newText: "n" },
        { type: "terminal", terminalId: "t" },
      ],
    });
    update({ sessionUpdate: "notice", title: "alone" });
    update({ sessionUpdate: "of_tomorrow" });
    return END;
  });
  const events: UniversalEvent[] = [];
  const stream = toUniversal(w.client.prompt("go"), { includeRaw: true });
  for await (const event of stream) events.push(event);
  expect(checkTranscript(events)).toEqual([]);
  const contents = events.flatMap(({ type, data }) =>
    type === "item.completed" && data.item.role !== "user"
      ? [data.item.content.map((part) => part.type)]
      : [],
  );
  expect(contents).toEqual(
    expect.arrayContaining([
      ["image"],
      ["json"],
      ["file_ref"],
      ["tool_result", "image", "json", "file_ref", "json", "json", "json", "file_ref"],
    ]),
  );
});
