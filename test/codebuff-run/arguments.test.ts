import { createChat } from "agentwire/chat";
import {
  aiSdkModel,
  type CodebuffRunEvent,
  type CodebuffRunOptions,
  codebuffRun,
  openAiCompatible,
  toUniversal,
} from "agentwire/codebuff-run";
import { type BackendAnswer, MockCodebuffBackend } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectInvariants } from "../universal/invariants.ts";
import { fakeModel, finish } from "./fake-model.ts";
import { collected } from "./universal/world.ts";
import { AGENT, json, type RunTurn, read, runWorld } from "./world.ts";

// The arguments of a tool call, as they arrive.

const INPUT = { path: "a.ts", content: "let a = 1;\n" };
const write = {
  description: "Writes.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path"],
  },
  execute: () => json("Written."),
};
const writing = (fragments: number) => ({ name: "write", arguments: INPUT, fragments });
const tools = { write };

type Delta = Extract<CodebuffRunEvent, { readonly type: "tool_input_delta" }>;
const deltasIn = (events: readonly CodebuffRunEvent[]): readonly Delta[] =>
  events.flatMap((event) => (event.type === "tool_input_delta" ? [event] : []));
const joined = (deltas: readonly Delta[]) => deltas.map(({ delta }) => delta).join("");

/** The events of a run of these answers. */
async function eventsOf(
  answer: readonly (string | BackendAnswer)[],
  options: CodebuffRunOptions = {},
): Promise<readonly CodebuffRunEvent[]> {
  await using at = await runWorld({ answer }, { tools, ...options });
  return await read(at.client.prompt("hi"));
}

function expectStreamed(events: readonly CodebuffRunEvent[]): void {
  const deltas = deltasIn(events);
  expect(deltas.length).toBeGreaterThan(1);
  expect(JSON.parse(joined(deltas))).toEqual(INPUT);
  const call = events.find(({ type }) => type === "tool_call");
  expect(call).toMatchObject({ toolName: "write", input: INPUT });
  const { toolCallId } = call as { readonly toolCallId: string };
  for (const delta of deltas) expect(delta).toMatchObject({ toolName: "write", toolCallId });
  const last = events.findLastIndex(({ type }) => type === "tool_input_delta");
  expect(events.findIndex(({ type }) => type === "tool_call")).toBeGreaterThan(last);
}

describe("the arguments of a call arrive as `tool_input_delta`, before its `tool_call`,", () => {
  test("from the backend", async () => {
    expectStreamed(await eventsOf([{ text: "I write.", toolCalls: [writing(5)] }, "Done."]));
  });

  test("from a server with OpenAI's API", async () => {
    const answer = [{ toolCalls: [writing(5)] }, "Done."];
    const server = await MockCodebuffBackend.start({ openAiCompatible: true, answer });
    const own = openAiCompatible({ baseUrl: `${server.url}/v1`, apiKey: server.apiKey });
    await using at = await runWorld();
    const client = at.another({ apiKey: undefined as never, providers: [own], tools });
    expectStreamed(await read(client.prompt("hi")));
    await server.stop();
  });

  test("from a model of the AI SDK", async () => {
    const text = JSON.stringify(INPUT);
    const { model } = fakeModel(
      [
        { type: "tool-input-start", id: "c1", toolName: "write" },
        { type: "tool-input-delta", id: "c1", delta: text.slice(0, 5) },
        { type: "tool-input-delta", id: "c1", delta: text.slice(5, 9) },
        { type: "tool-input-delta", id: "c1", delta: text.slice(9) },
        { type: "tool-call", toolCallId: "c1", toolName: "write", input: text },
        finish,
      ],
      [{ type: "text-delta", id: "t", delta: "Done." }, finish],
    );
    await using at = await runWorld();
    const client = at.another({ apiKey: undefined as never, providers: [aiSdkModel(model)], tools });
    expectStreamed(await read(client.prompt("hi")));
  });

  test("of a sub-agent with its id", async () => {
    const reader = { ...AGENT, id: "reader" };
    await using at = await runWorld(
      {
        answer: ({ agentId, call }) =>
          call > 1
            ? "Done."
            : agentId === "reader"
              ? { toolCalls: [writing(3)] }
              : { toolCalls: [{ name: "reader", arguments: { prompt: "Write." }, fragments: 3 }] },
      },
      { agent: { ...AGENT, spawnableAgents: ["reader"] }, agentDefinitions: [reader], tools },
    );
    const deltas = deltasIn(await read(at.client.prompt("hi")));
    expect(JSON.parse(joined(deltas))).toEqual(INPUT); // not of the call that spawns
    for (const delta of deltas)
      expect(delta).toMatchObject({ agentId: expect.any(String), parentAgentId: "main-agent" });
  });
});

test("arguments that arrive in one piece are in `tool_call` alone", async () => {
  expect(deltasIn(await eventsOf([{ toolCalls: [writing(1)] }, "Done."]))).toEqual([]);
});

test("a tool that is not offered has no `tool_input_delta`", async () => {
  const unknown = { name: "unknown", arguments: INPUT, fragments: 3 };
  expect(deltasIn(await eventsOf([{ toolCalls: [unknown] }, "Done."]))).toEqual([]);
});

describe("the last piece says that no call follows, if", () => {
  test.each<[string, BackendAnswer]>([
    ["the arguments are no JSON", { toolCalls: [{ name: "write", rawArguments: '{"path":', fragments: 3 }] }],
    [
      "the arguments do not fit",
      { toolCalls: [{ name: "write", arguments: { content: "x" }, fragments: 3 }] },
    ],
    ["the answer breaks off", { toolCalls: [writing(8)], sse: { cutAfter: 5 } }],
    ["the provider fails", { toolCalls: [writing(8)], sse: { errorAfter: 5 } }],
  ])("%s", async (_, answer) => {
    const events = await eventsOf([answer, "Done."]);
    expect(deltasIn(events).at(-1)).toMatchObject({ delta: "", isCut: true });
    expect(deltasIn(events).filter(({ isCut }) => isCut)).toHaveLength(1);
    expect(events.map(({ type }) => type)).not.toContain("tool_call");
  });
});

describe("in universal events", () => {
  const streamed = async (
    answer: readonly (string | BackendAnswer)[],
    act: (turn: RunTurn) => void = () => {},
  ) => {
    await using at = await runWorld({ answer }, { tools });
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn);
    act(turn);
    const events = await collected(stream);
    expectInvariants(events);
    return events;
  };
  const itemsOf = (events: readonly UniversalEvent[]) =>
    events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.kind === "tool_call" ? [event.data.item] : [],
    );

  test("the item starts with the first piece, grows, and completes with the whole input", async () => {
    const events = await streamed([{ toolCalls: [writing(4)] }, "Done."]);
    const [item] = itemsOf(events);
    const own = events.filter(({ data }) => {
      const { item_id, item: whole } = data as { item_id?: string; item?: { item_id: string } };
      return (whole?.item_id ?? item_id) === item?.item_id;
    });
    expect(own.map(({ type }) => type)).toEqual([
      "item.started",
      ...new Array(3).fill("item.delta"),
      "item.completed",
      "permission.requested",
      "permission.resolved",
    ]);
    expect(own[0]?.data).toMatchObject({
      state: "requested",
      item: { status: "in_progress", content: [{ type: "tool_call", name: "write", arguments: "" }] },
    });
    expect(own[1]?.data).toMatchObject({ part: { type: "tool_arguments" } });
    expect(item).toMatchObject({ status: "completed", content: [{ arguments: JSON.stringify(INPUT) }] });
  });

  test("arguments that were cut end the item as `failed`, with the fragment as a JSON string", async () => {
    const call = { name: "write", rawArguments: '{"path":', fragments: 3 };
    const [item] = itemsOf(await streamed([{ toolCalls: [call] }, "Done."]));
    expect(item).toMatchObject({ status: "failed", content: [{ arguments: JSON.stringify('{"path":') }] });
  });

  test("a cancel while arguments arrive ends the item as `failed`", async () => {
    const answer = { toolCalls: [writing(8)], sse: { stallAfter: 5 } };
    const events = await streamed([answer], (turn) => {
      turn.on("event", ({ type }) => void (type === "tool_input_delta" && turn.cancel()));
    });
    const [item] = itemsOf(events);
    expect(item).toMatchObject({ status: "failed" });
    expect(events.at(-2)?.data).toMatchObject({ metadata: { status: "cancelled" } });
  });

  test("a chat shows the call once, with its input", async () => {
    await using at = await runWorld({ answer: [{ toolCalls: [writing(4)] }, "Done."] });
    const { apiKey, url: baseUrl } = at.backend;
    const chat = createChat(codebuffRun({ apiKey, baseUrl, agent: AGENT, tools }));
    const inputs: unknown[] = [];
    const done = new Promise<void>((resolve) => {
      chat.subscribe(() => {
        const { busy, messages } = chat.getSnapshot();
        for (const part of messages.at(-1)?.parts ?? []) if (part.type === "tool") inputs.push(part.input);
        if (!busy && messages.length > 1) resolve();
      });
    });
    chat.send("hi");
    await done;
    const tool = [...(chat.getSnapshot().messages.at(-1)?.parts ?? [])].filter(({ type }) => type === "tool");
    expect(tool).toMatchObject([{ name: "write", input: INPUT, state: "done" }]);
    expect(inputs.some((input) => typeof input === "string")).toBe(true); // while they arrived
    await chat.close();
  });
});

test("however the arguments arrive, the pieces make the input, and the transcript keeps its rules", async () => {
  const call = fc.record({
    name: fc.constantFrom("write", "write", "unknown"),
    arguments: fc.oneof(fc.record({ path: fc.string(), content: fc.string() }), fc.constant({})),
    fragments: fc.integer({ min: 1, max: 6 }),
  });
  const answers = fc.array(
    fc.record({
      text: fc.string({ maxLength: 3 }),
      toolCalls: fc.array(call, { maxLength: 3 }),
      sse: fc.oneof(fc.constant({}), fc.record({ cutAfter: fc.integer({ min: 1, max: 12 }) })),
    }),
    { maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(answers, async (script) => {
      await using at = await runWorld({ answer: [...script, "Done."] }, { tools });
      const turn = at.client.prompt("hi");
      const events: CodebuffRunEvent[] = [];
      turn.on("event", (event) => void events.push(event));
      expectInvariants(await collected(toUniversal(turn)));
      for (const id of new Set(deltasIn(events).map(({ toolCallId }) => toolCallId))) {
        const deltas = deltasIn(events).filter(({ toolCallId }) => toolCallId === id);
        const called = events.find((event) => event.type === "tool_call" && event.toolCallId === id);
        expect(called !== undefined).toBe(deltas.at(-1)?.isCut !== true);
        if (called?.type === "tool_call") expect(JSON.parse(joined(deltas))).toEqual(called.input);
      }
    }),
    { numRuns: 50 },
  );
});
