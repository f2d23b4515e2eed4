import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { withTelemetry } from "agentwire/otel";
import { agentStep, ManualClock } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import { until } from "../../examples/support/until.ts";
import { Script } from "../universal/build.ts";
import { eventsIn, sdk } from "./support/sdk.ts";
import { ToldSource } from "./support/told-source.ts";
import { ask, askAndDecide, traced } from "./support/traced.ts";

const shell = { name: "shell", input: { command: "ls" }, output: "a.txt" } as const;

describe("a turn", () => {
  test("is a span `invoke_agent` with the names, the tokens and the cost", async () => {
    const { chat, span } = traced([
      ["Hi.", agentStep.usage({ inputTokens: 12, outputTokens: 3 }), agentStep.cost(2)],
    ]);
    const { id } = chat.send("go");
    await until(chat, ({ busy, messages }) => !busy && messages.length > 1);
    const { kind, status, attributes } = span("invoke_agent mock");
    expect(kind).toBe(SpanKind.CLIENT);
    expect(status.code).toBe(SpanStatusCode.UNSET);
    expect(attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "mock",
      "gen_ai.agent.name": "mock",
      "gen_ai.conversation.id": expect.stringMatching(/^session-/),
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "agentwire.status": "completed",
      "agentwire.turn.prompt_id": id,
      "agentwire.cost.total": 2,
      "agentwire.cost.currency": "credits",
    });
    await chat.close();
  });

  test("of one conversation has one conversation id, and of another one another id", async () => {
    const { source, spans } = traced(["a"]);
    const client = source.client();
    const [first, second] = [client.conversation(), client.conversation()];
    for (const conversation of [first, first, second]) await conversation.prompt("go").outcome;
    await client.close();
    const ids = spans().map(({ attributes }) => attributes["gen_ai.conversation.id"]);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test("of `client.prompt()` is traced like a turn of a conversation", async () => {
    const { source, spans } = traced([["a"], ["b"]]);
    const client = source.client();
    await client.prompt("one").outcome;
    await client.prompt("two").outcome;
    await client.close();
    expect(spans().map(({ name }) => name)).toEqual(["invoke_agent mock", "invoke_agent mock"]);
  });

  test("after a lost connection is traced on the client that has come back", async () => {
    const { chat, spans } = traced([["a", agentStep.lose()], ["b"]]);
    await ask(chat);
    await ask(chat);
    await chat.close();
    expect(spans().map(({ attributes }) => attributes["agentwire.status"])).toEqual(["failed", "completed"]);
    expect(spans()[0]?.attributes["error.type"]).toBe("connection.lost");
  });

  test("that fails has the error's code, and the status of an error without a text", async () => {
    const { chat, span } = traced([["a", agentStep.fail("the disk is full", { kind: "overloaded" })]]);
    await ask(chat);
    const { status, attributes, events } = span("invoke_agent mock");
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
    expect(attributes).toMatchObject({ "agentwire.status": "failed", "error.type": "mock.overloaded" });
    expect(events.map(({ name, attributes: of }) => [name, of])).toEqual([
      ["agentwire.error", { "error.type": "mock.overloaded" }],
    ]);
    await chat.close();
  });

  test("that is cancelled is no error", async () => {
    const { chat, span } = traced([["a", agentStep.hang()]]);
    chat.send("go");
    await until(chat, ({ messages }) => messages.at(-1)?.role === "assistant");
    await chat.cancel();
    const { status, attributes } = span("invoke_agent mock");
    expect(status.code).toBe(SpanStatusCode.UNSET);
    expect(attributes["agentwire.status"]).toBe("cancelled");
    expect(attributes).not.toHaveProperty("error.type");
    await chat.close();
  });

  test("that times out has the error type `timeout`", async () => {
    const clock = new ManualClock();
    const { source, span } = traced([[agentStep.hang()]], { clock });
    const client = source.client();
    const turn = client.prompt("go", { timeout: 1_000 });
    await clock.advance(2_000);
    await turn.outcome;
    expect(span("invoke_agent mock").attributes["error.type"]).toBe("timeout");
    await client.close();
  });

  test("that was never sent has a span with the failure", async () => {
    const { chat, span } = traced(["a"], { refuseConnect: true, reconnect: { maxAttempts: 1 } });
    await ask(chat);
    expect(span("invoke_agent mock").attributes["agentwire.status"]).toBe("failed");
    await chat.close();
  });

  test("that `close()` ends has no open span", async () => {
    const { chat, spans } = traced([
      [
        agentStep.subagent({
          type: "picker",
          steps: [agentStep.tool({ ...shell, during: [agentStep.hang()] })],
        }),
      ],
    ]);
    chat.send("go");
    await until(chat, ({ messages }) => JSON.stringify(messages).includes('"shell"'));
    await chat.close();
    const ended = spans().map(({ name, attributes }) => [name, attributes["agentwire.status"]]);
    expect(new Map(ended.map(([name, status]) => [name, status]))).toEqual(
      new Map([
        ["invoke_agent picker", "abandoned"],
        ["execute_tool shell", "abandoned"],
        ["invoke_agent mock", "cancelled"],
      ]),
    );
  });
});

describe("a tool call", () => {
  test("is a span `execute_tool` inside of the turn", async () => {
    const { chat, span } = traced([[agentStep.tool({ ...shell, kind: "execute", title: "Lists files" })]]);
    await ask(chat);
    const { kind, status, attributes, parentSpanContext, events } = span("execute_tool shell");
    expect(kind).toBe(SpanKind.INTERNAL);
    expect(status.code).toBe(SpanStatusCode.UNSET);
    expect(parentSpanContext).toEqual(span("invoke_agent mock").spanContext());
    expect(attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "shell",
      "gen_ai.tool.call.id": "call_1",
      "agentwire.tool.call_id": "call_1",
      "agentwire.tool.kind": "execute",
      "agentwire.status": "done",
    });
    expect(events.map(({ name }) => name)).toEqual(["agentwire.tool.running"]);
    await chat.close();
  });

  test("that fails has the status of an error", async () => {
    const { chat, span } = traced([[agentStep.tool({ name: "shell", error: "exit 1" })]]);
    await ask(chat);
    const { status, attributes } = span("execute_tool shell");
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
    expect(attributes).toMatchObject({ "agentwire.status": "failed", "error.type": "tool_failed" });
    expect(span("invoke_agent mock").status.code).toBe(SpanStatusCode.UNSET);
    await chat.close();
  });

  test("that waits has an event for the request and one for the decision, and the time between", async () => {
    const { chat, span } = traced([[agentStep.tool({ ...shell, approval: true })]]);
    await askAndDecide(chat, "always");
    const tool = span("execute_tool shell");
    expect(eventsIn(tool)).toEqual([
      "agentwire.approval.requested",
      "agentwire.approval.resolved",
      "agentwire.tool.running",
    ]);
    expect(tool.events.slice(0, 2).map(({ attributes }) => attributes)).toEqual([
      {
        "agentwire.approval.id": "call_1",
        "agentwire.approval.tool": "shell",
        "agentwire.approval.status": "requested",
      },
      {
        "agentwire.approval.id": "call_1",
        "agentwire.approval.tool": "shell",
        "agentwire.approval.status": "accept_for_session",
        "agentwire.approval.reason": "user",
        "agentwire.approval.scope": "session",
      },
    ]);
    expect(tool.attributes["agentwire.approval.wait"]).toBeGreaterThanOrEqual(0);
    await chat.close();
  });

  test("that is denied is no error", async () => {
    const { chat, span } = traced([[agentStep.tool({ ...shell, approval: true })]]);
    await askAndDecide(chat, "reject");
    const { status, attributes, events } = span("execute_tool shell");
    expect(status.code).toBe(SpanStatusCode.UNSET);
    expect(attributes["agentwire.status"]).toBe("denied");
    expect(events[1]?.attributes).toMatchObject({
      "agentwire.approval.status": "reject",
      "agentwire.approval.reason": "user",
    });
    await chat.close();
  });

  test("that is denied has not run: only a call that runs has the event `running`", async () => {
    const { chat, span } = traced(({ text }) => [
      agentStep.tool({ ...shell, name: text, approval: text === "denied", during: [agentStep.wait(text)] }),
    ]);
    await askAndDecide(chat, "reject", "denied");
    expect(eventsIn(span("execute_tool denied"))).toEqual([
      "agentwire.approval.requested",
      "agentwire.approval.resolved",
    ]);
    chat.send("abandoned");
    await until(chat, ({ messages }) => JSON.stringify(messages.at(-1)).includes('"running"'));
    await chat.cancel();
    const abandoned = span("execute_tool abandoned");
    expect(abandoned.attributes["agentwire.status"]).not.toBe("denied");
    expect(eventsIn(abandoned)).toEqual(["agentwire.tool.running"]);
    await chat.close();
  });

  test("has the event `running` with the time at which it began to run", () => {
    const start = Date.now() + 60_000;
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    try {
      const { tracer, span } = sdk();
      const source = new ToldSource();
      withTelemetry(source, { tracer }).client();
      const script = new Script().session().turn("go");
      script.result(script.call("ls"));
      const { events } = script.turnEnded();
      const end = events.findLastIndex(({ type }) => type === "item.completed");
      source.tell(events.slice(0, end));
      vi.setSystemTime(start + 5_000);
      source.tell(events.slice(end));
      const [seconds = 0, nanoseconds = 0] = span("execute_tool ls").events[0]?.time ?? [];
      expect(seconds * 1_000 + nanoseconds / 1e6).toBe(start);
    } finally {
      vi.useRealTimers();
    }
  });

  test("that a cancel abandons ends with the turn, and its approval by the cancel", async () => {
    const { chat, span } = traced([[agentStep.tool({ ...shell, approval: true })]]);
    chat.send("go");
    await until(chat, ({ pending }) => pending.length > 0);
    await chat.cancel();
    const { attributes, events } = span("execute_tool shell");
    expect(attributes["agentwire.status"]).toMatch(/abandoned|denied/);
    expect(events[1]?.attributes?.["agentwire.approval.reason"]).toBe("cancelled");
    await chat.close();
  });

  test("of a sub-agent is a span inside of the sub-agent's span, which is inside of the turn's", async () => {
    const { chat, span } = traced([
      [
        agentStep.subagent({
          type: "picker",
          name: "Picker",
          prompt: "Pick.",
          steps: [agentStep.tool(shell)],
        }),
      ],
    ]);
    await ask(chat);
    const agent = span("invoke_agent picker");
    expect(agent.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "mock",
      "gen_ai.agent.name": "picker",
      "agentwire.status": "completed",
    });
    expect(span("execute_tool shell").parentSpanContext).toEqual(agent.spanContext());
    expect(agent.parentSpanContext).toEqual(span("invoke_agent mock").spanContext());
    await chat.close();
  });

  test("that runs beside another call has a span of its own", async () => {
    const { source, spans } = traced(
      ({ text }) => [agentStep.tool({ name: text, during: [agentStep.wait("both")] })],
      { turnsAtOnce: 2 },
    );
    const agent = source.client();
    const turns = [agent.prompt("one"), agent.prompt("two")];
    const started = turns.map(
      (turn) =>
        new Promise((resolve) => turn.on("toolCall", ({ state }) => state === "running" && resolve(state))),
    );
    await Promise.all(started);
    await agent.close({ force: true });
    await Promise.all(turns.map(({ outcome }) => outcome));
    const tools = spans().filter(({ name }) => name.startsWith("execute_tool"));
    expect(tools.map(({ name }) => name).sort()).toEqual(["execute_tool one", "execute_tool two"]);
    expect(new Set(tools.map((tool) => tool.spanContext().traceId)).size).toBe(2);
  });
});
