import { agentStep, ManualClock, MockAgent, type MockAgentStep } from "agentwire/testing";
import type { UniversalEvent, UniversalStream } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { thrown } from "../helpers/turns.ts";

/** The events of a stream, as they come. */
function collect(stream: UniversalStream): readonly UniversalEvent[] {
  const events: UniversalEvent[] = [];
  stream.on("event", (event) => events.push(event));
  return events;
}

/** What an event says, in one line. */
function words(event: UniversalEvent): string {
  switch (event.type) {
    case "item.started":
    case "item.completed": {
      const { item } = event.data;
      return `${event.type} ${item.item_id} ${item.kind} ${item.status} ${JSON.stringify(item.content)}`;
    }
    case "item.delta":
      return `${event.type} ${event.data.item_id} ${event.data.part?.type} ${event.data.delta}`;
    case "turn.ended":
      return `${event.type} ${event.data.metadata.status}`;
    case "permission.requested":
    case "permission.resolved":
      return `${event.type} ${event.data.action} ${event.data.status} ${event.data.reason ?? ""}`.trim();
    case "question.requested":
    case "question.resolved":
      return `${event.type} ${event.data.prompt} ${event.data.response} ${event.data.status}`;
    case "error":
      return `${event.type} ${event.data.code} ${event.data.message}`;
    case "session.ended":
      return `${event.type} ${event.data.reason}`;
    case "session.started":
    case "turn.started":
    case "agent.unparsed":
      return event.type;
    default:
      return event satisfies never;
  }
}

/** The words of one turn, without those of the session, of the prompt and of the starts of items. */
async function said(
  steps: readonly MockAgentStep[],
  answers?: (agent: MockAgent) => void,
): Promise<readonly string[]> {
  const agent = new MockAgent({ deltas: "whole" }).script([steps]);
  const client = agent.client();
  const turn = client.prompt("hello");
  const events = collect(agent.toUniversal(turn));
  client.on("approval", ({ id }) => client.decide(id, "once"));
  client.on("question", ({ id }) => client.answer(id, "a"));
  answers?.(agent);
  await turn.outcome;
  const all = events.map(words);
  expect(all[0]).toBe("session.started");
  expect(all[1]).toBe("turn.started");
  return all.slice(4).filter((word) => !word.startsWith("item.started"));
}

describe("the universal events of a MockAgent", () => {
  test("are numbered without gaps, use the agent's clock, and join to the text", async () => {
    const clock = new ManualClock({ epoch: Date.parse("2026-02-10T09:00:00.000Z") });
    const agent = new MockAgent({ clock, name: "dummy" });
    const turn = agent.client().prompt("hello");
    const events = collect(agent.toUniversal(turn));
    const { text } = await turn.result;
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({
      type: "session.started",
      time: "2026-02-10T09:00:00.000Z",
      source: "agent",
      data: { metadata: { protocol: "dummy", capabilities: { textDeltas: true } } },
    });
    const deltas = events.flatMap((event) => (event.type === "item.delta" ? [event.data.delta] : []));
    expect(deltas.join("")).toBe(text);
  });

  test("cover each step", async () => {
    const steps = [
      agentStep.reasoning("hm"),
      "text",
      agentStep.status("searching", "the web"),
      agentStep.file("a.txt", { diff: "@@" }),
      agentStep.image("data:image/png;base64,AA==", "image/png"),
      agentStep.data({ any: 1 }),
      agentStep.error("a hiccup"),
    ];
    expect(await said(steps)).toEqual([
      "item.delta itm_2 reasoning hm",
      'item.completed itm_2 message completed [{"type":"reasoning","text":"hm","visibility":"public"}]',
      "item.delta itm_3 text text",
      'item.completed itm_3 message completed [{"type":"text","text":"text"}]',
      'item.completed itm_4 status completed [{"type":"status","label":"searching","detail":"the web"}]',
      'item.completed itm_5 message completed [{"type":"file_ref","path":"a.txt","action":"write","diff":"@@"}]',
      'item.completed itm_6 message completed [{"type":"image","path":"data:image/png;base64,AA==","mime":"image/png"}]',
      'item.completed itm_7 unknown completed [{"type":"json","json":{"any":1}}]',
      "error mock.error a hiccup",
      "turn.ended completed",
    ]);
  });

  test("show a tool with its approval and its streamed output", async () => {
    const tool = agentStep.tool({ name: "ls", approval: true, streams: ["a\n", "b\n"] });
    expect(await said(["Look: ", tool, "done"])).toEqual([
      "item.delta itm_2 text Look: ",
      'item.completed itm_2 message completed [{"type":"text","text":"Look: "}]',
      'item.completed itm_3 tool_call completed [{"type":"tool_call","name":"ls","arguments":"{}","call_id":"call_1"}]',
      "permission.requested ls requested",
      "permission.resolved ls accept user",
      "item.delta itm_4 tool_output a\n",
      "item.delta itm_4 tool_output b\n",
      'item.completed itm_4 tool_result completed [{"type":"tool_result","call_id":"call_1","output":"a\\nb\\n"}]',
      "item.delta itm_5 text done",
      'item.completed itm_5 message completed [{"type":"text","text":"done"}]',
      "turn.ended completed",
    ]);
  });

  test("show a question and its answer", async () => {
    const question = agentStep.question({ questions: [{ question: "Which one?", options: ["a", "b"] }] });
    expect(await said(["Well. ", question, "Right."])).toEqual([
      "item.delta itm_2 text Well. ",
      'item.completed itm_2 message completed [{"type":"text","text":"Well. "}]',
      "question.requested Which one? null requested",
      "question.resolved Which one? a answered",
      "item.delta itm_3 text Right.",
      'item.completed itm_3 message completed [{"type":"text","text":"Right."}]',
      "turn.ended completed",
    ]);
  });

  test("show a sub-agent's text and tools as its children", async () => {
    const agent = new MockAgent().script([
      [
        agentStep.subagent({
          type: "picker",
          prompt: "Find it.",
          steps: ["found", agentStep.tool({ name: "ls" })],
        }),
        "Done.",
      ],
    ]);
    const turn = agent.client().prompt("hello");
    const events = collect(agent.toUniversal(turn));
    await turn.outcome;
    const items = events.flatMap((event) => (event.type === "item.completed" ? [event.data.item] : []));
    const subagent = items.find(({ content: [part] }) => part?.type === "status");
    expect(subagent).toMatchObject({
      content: [
        { label: "subagent:picker", detail: "picker" },
        { json: { agent_type: "picker", name: "picker", prompt: "Find it." } },
      ],
      parent_id: null,
    });
    const children = items.filter(({ parent_id }) => parent_id === subagent?.item_id);
    expect(children.map(({ kind }) => kind)).toEqual(["message", "tool_call"]);
  });

  test("report usage and cost at the end, and the message of a failure", async () => {
    const agent = new MockAgent().script([
      [agentStep.usage({ inputTokens: 1, outputTokens: 2 }), agentStep.cost(3, "USD")],
      ["part", agentStep.fail("too busy", { kind: "overloaded", status: 529, retryable: true })],
    ]);
    const client = agent.client();
    const events = collect(agent.toUniversal(client));
    await client.prompt("one").outcome;
    await client.prompt("two").outcome;
    const ends = events.flatMap((event) => (event.type === "turn.ended" ? [event.data.metadata] : []));
    expect(ends).toEqual([
      {
        status: "completed",
        usage: { input_tokens: 1, output_tokens: 2 },
        cost: { total: 3, currency: "USD" },
      },
      { status: "failed" },
    ]);
    expect(events.find(({ type }) => type === "error")?.data).toMatchObject({
      message: "too busy",
      code: "mock.overloaded",
      details: { status: 529 },
      retryable: true,
    });
  });

  test("report a cancel, and nothing after it", async () => {
    const agent = new MockAgent({ answersAfterCancel: true }).script([
      ["part", agentStep.wait("go"), "late"],
    ]);
    const turn = agent.client().prompt("hello");
    const stream = agent.toUniversal(turn);
    const events = collect(stream);
    await new Promise<void>((resolve) => void turn.on("event", () => resolve()));
    await turn.cancel();
    agent.release("go");
    expect(events.map(words).at(-1)).toBe("turn.ended cancelled");
    expect(stream.ended).toBe(true);
  });

  test("report a loss, the reconnect, and the recovered answer", async () => {
    const agent = new MockAgent({ deltas: "whole" });
    const client = agent.client();
    const talk = client.conversation();
    const events = collect(agent.toUniversal(talk));
    await client.connect();
    const lose = agentStep.lose({ recovers: true, message: "the tunnel" });
    agent.script([["before ", lose, "behind"], [agentStep.lose()]]);
    expect((await talk.prompt("one").result).text).toBe("before behind");
    const back = new Promise<void>((resolve) => void client.on("reconnected", resolve));
    await talk.prompt("two").outcome;
    await back;
    const labels = events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.content[0]?.type === "status"
        ? [event.data.item.content[0].label]
        : [],
    );
    const around = ["connection.lost", "connection.retrying", "connection.restored"];
    expect(labels.filter((label) => label.startsWith("connection."))).toEqual([...around, ...around]);
    expect(events.filter(({ type }) => type === "turn.ended").map(words)).toEqual([
      "turn.ended completed",
      "turn.ended failed",
    ]);
    expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1);
  });

  test("end their session when the backend has forgotten it, and mark the next session", async () => {
    const agent = new MockAgent().script(["hi", [agentStep.forget()], "new"]);
    const client = agent.client();
    const talk = client.conversation();
    const events = collect(agent.toUniversal(client));
    await talk.prompt("one").outcome;
    await talk.prompt("two").outcome;
    await client.conversation().prompt("three").outcome;
    const sessions = events.filter(({ type }) => type.startsWith("session."));
    expect(sessions.map(words)).toEqual(["session.started", "session.ended error", "session.started"]);
    expect(sessions[2]?.data).toMatchObject({
      metadata: { previous_session_id: sessions[0]?.session_id, context_lost: true },
    });
  });

  test("end with the client", async () => {
    const agent = new MockAgent();
    const client = agent.client();
    const stream = agent.toUniversal(client);
    const events = collect(stream);
    await client.conversation().prompt("hello").outcome;
    await client.close();
    expect(events.map(words).at(-1)).toBe("session.ended terminated");
    expect(stream.ended).toBe(true);
  });

  test("contain the backend's messages only with `includeRaw`", async () => {
    const agent = new MockAgent().script(["hi"]);
    const turns = [agent.client().prompt("a"), agent.client().prompt("b")] as const;
    const without = collect(agent.toUniversal(turns[0]));
    const withRaw = collect(agent.toUniversal(turns[1], { includeRaw: true }));
    await Promise.all(turns.map(({ outcome }) => outcome));
    expect(without.every(({ raw }) => raw === null)).toBe(true);
    expect(withRaw.map(({ raw }) => raw)).toContainEqual({ type: "text", text: "hi" });
  });

  test("exist only for the agent's own clients, turns and conversations", () => {
    const agent = new MockAgent();
    for (const of of [{}, null, "turn", new MockAgent().client(), new MockAgent().client().conversation()])
      expect(thrown(() => agent.toUniversal(of as never))).toMatchObject({ code: "invalid-input" });
  });
});
