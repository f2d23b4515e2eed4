import { withTelemetry } from "agentwire/otel";
import { agentStep, type MockAgentStep } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { Script } from "../universal/build.ts";
import { eventsIn, sdk, textOf } from "./support/sdk.ts";
import { ToldSource } from "./support/told-source.ts";
import { ask, askAndDecide, traced } from "./support/traced.ts";

/** The span of the turn that has these steps, and all that was exported. */
async function turnOf(...steps: readonly MockAgentStep[]) {
  const { chat, span, spans } = traced([steps]);
  await ask(chat);
  await chat.close();
  return { span: span("invoke_agent mock"), text: textOf(spans()) };
}

/** What is exported of a script of universal events. */
function told(script: Script) {
  const { tracer, meter, ...out } = sdk();
  const source = new ToldSource();
  withTelemetry(source, { tracer, meter }).client();
  source.tell(script.events);
  return out;
}

describe("a word of the universal events", () => {
  test("branch: the message that a turn answers anew is an attribute of the span", () => {
    const script = new Script().session().turn("go", { branch_of: "msg_1" }).turnEnded();
    expect(told(script).span("invoke_agent fake").attributes["agentwire.turn.branch_of"]).toBe("msg_1");
  });

  test("plan: each plan is an event with the numbers of its entries, without their texts", async () => {
    const { span, text } = await turnOf(
      agentStep.plan([
        { content: "secret one", status: "completed" },
        { content: "secret two", status: "pending" },
      ]),
    );
    expect(span.events).toMatchObject([
      { name: "agentwire.plan", attributes: { "agentwire.plan.entries": 2, "agentwire.plan.completed": 1 } },
    ]);
    expect(text).not.toContain("secret");
  });

  test("context: the tokens of the context and the window are attributes of the span", () => {
    const usage = { context_tokens: 900, context_window: 1_000 };
    const script = new Script().session().turn("go").turnEnded({ usage });
    expect(told(script).span("invoke_agent fake").attributes).toMatchObject({
      "agentwire.context.tokens": 900,
      "agentwire.context.window": 1_000,
    });
  });

  test("context between turns: a status is left out", async () => {
    expect(eventsIn((await turnOf(agentStep.context({ used: 5, size: 10 }))).span)).toEqual([]);
  });

  test("notice: an event with the severity, without the text", async () => {
    const { span, text } = await turnOf(agentStep.notice("secret", "warning"));
    expect(span.events).toMatchObject([
      { name: "agentwire.notice", attributes: { "agentwire.notice.severity": "warning" } },
    ]);
    expect(text).not.toContain("secret");
  });

  test("compaction: two events with the state, without the summary", async () => {
    const { span, text } = await turnOf(
      agentStep.compaction("started"),
      agentStep.compaction("completed", "secret"),
    );
    expect(span.events).toMatchObject([
      { name: "agentwire.compaction", attributes: { "agentwire.compaction.state": "started" } },
      { name: "agentwire.compaction", attributes: { "agentwire.compaction.state": "completed" } },
    ]);
    expect(text).not.toContain("secret");
  });

  test("model: the session's model is the requested model of its next turns", () => {
    const script = new Script().session({ model: "small" }).turn("go").turnEnded({ model: "small-1" });
    script.status("model", "large", { current: "large", available: [] });
    script.turn("go").turnEnded();
    const models = told(script)
      .spans()
      .map(({ attributes }) => [attributes["gen_ai.request.model"], attributes["gen_ai.response.model"]]);
    expect(models).toEqual([
      ["small", "small-1"],
      ["large", undefined],
    ]);
  });

  test("mode, commands: left out", async () => {
    const { span } = await turnOf(
      agentStep.mode({ current: "plan", available: [{ id: "plan", name: "Plan" }] }),
      agentStep.commands([{ name: "init", description: "secret" }]),
    );
    expect(eventsIn(span)).toEqual([]);
  });

  test("tool facts: the kind is an attribute; the title and the locations are left out", async () => {
    const { chat, span, spans } = traced([
      [agentStep.tool({ name: "edit", kind: "edit", title: "secret", locations: [{ path: "/secret" }] })],
    ]);
    await ask(chat);
    await chat.close();
    expect(span("execute_tool edit").attributes["agentwire.tool.kind"]).toBe("edit");
    expect(textOf(spans())).not.toContain("secret");
  });

  test("call state: the last state of a call is an attribute of its span, and `running` is an event", async () => {
    const { chat, span } = traced([[agentStep.tool({ name: "ls", output: "a" })]]);
    await ask(chat);
    await chat.close();
    expect(span("execute_tool ls").attributes["agentwire.status"]).toBe("done");
    expect(eventsIn(span("execute_tool ls"))).toEqual(["agentwire.tool.running"]);
  });

  test("preview: left out", async () => {
    const preview = [{ path: "/secret", diff: "+secret", by: "tool" }] as const;
    const { chat, spans } = traced([[agentStep.tool({ name: "edit", approval: true, preview })]]);
    await askAndDecide(chat, "once");
    await chat.close();
    expect(textOf(spans())).not.toContain("secret");
  });

  test("scope: an attribute of the decision", async () => {
    const { chat, span } = traced([[agentStep.tool({ name: "ls", approval: true })]]);
    await askAndDecide(chat, "once");
    await chat.close();
    expect(span("execute_tool ls").events[1]?.attributes?.["agentwire.approval.scope"]).toBe("once");
  });

  test("streamed arguments: the call's span begins when the arguments are whole; a cut call has none", () => {
    const script = new Script().session().turn("go");
    const content = [{ type: "tool_call", name: "ls", arguments: '"{"', call_id: "c1" }] as const;
    const cut = script.start({ kind: "tool_call", content });
    script.delta(cut, "{", "tool_arguments").complete(cut, { status: "failed" });
    script.call("cat", {});
    script.turnEnded();
    expect(
      told(script)
        .spans()
        .map(({ name }) => name),
    ).toEqual(["execute_tool cat", "invoke_agent fake"]);
  });

  test("sub-agent: a span `invoke_agent` with the type of the agent", async () => {
    const { chat, span, spans } = traced([
      [agentStep.subagent({ type: "picker", name: "secret", prompt: "secret", steps: ["secret"] })],
    ]);
    await ask(chat);
    await chat.close();
    expect(span("invoke_agent picker").attributes["gen_ai.agent.name"]).toBe("picker");
    expect(textOf(spans())).not.toContain("secret");
  });

  test("citation: left out", () => {
    const script = new Script().session().turn("go");
    script.item({ content: [{ type: "text", text: "a", annotations: [{ url: "https://secret.example" }] }] });
    expect(textOf(told(script.turnEnded()).spans())).not.toContain("secret");
  });

  test("prompt id: an attribute of the span", () => {
    const script = new Script().session().turn("go", { prompt_id: "msg_2" }).turnEnded();
    expect(told(script).span("invoke_agent fake").attributes["agentwire.turn.prompt_id"]).toBe("msg_2");
  });
});

describe("an event without a word of its own", () => {
  test("question: two events, without the words of the question and the answer", async () => {
    const { chat, spans } = traced([[agentStep.question("secret?")]]);
    const asked = ask(chat);
    const off = chat.subscribe(() => {
      for (const { id, type } of chat.getSnapshot().pending)
        if (type === "question") chat.answer(id, "a secret");
    });
    await asked;
    off();
    await chat.close();
    const events = spans().flatMap(({ events: all }) => all);
    expect(events.map(({ attributes }) => attributes?.["agentwire.question.status"])).toEqual([
      "requested",
      "answered",
    ]);
    expect(textOf(spans())).not.toContain("secret");
  });

  test("error: an event with the code, without the message", async () => {
    const { span, text } = await turnOf(agentStep.error("secret", "mock.odd"), "a");
    expect(span.events).toMatchObject([
      { name: "agentwire.error", attributes: { "error.type": "mock.odd" } },
    ]);
    expect(span.attributes).not.toHaveProperty("error.type");
    expect(text).not.toContain("secret");
  });

  test("loss: the statuses of a connection in a turn that goes on are events", async () => {
    const { span } = await turnOf("a", agentStep.lose({ recovers: true }), "b");
    expect(eventsIn(span)).toEqual(
      expect.arrayContaining([
        "agentwire.recovering",
        "agentwire.connection.lost",
        "agentwire.connection.restored",
      ]),
    );
    expect(span.attributes["agentwire.status"]).toBe("completed");
  });

  test("connection: only the known statuses are events, so that names are few and no texts", () => {
    const script = new Script().session().turn("go");
    const known = ["lost", "retrying", "restored", "reconnect_requested", "auth"].map(
      (word) => `connection.${word}`,
    );
    for (const label of [...known, "connection.", "connection.odd-1", "connection.lost to host", "lost"])
      script.status(label);
    const span = told(script.turnEnded()).span("invoke_agent fake");
    expect(eventsIn(span)).toEqual(known.map((label) => `agentwire.${label}`));
  });

  test("unparsed: an event with the location", () => {
    const script = new Script().session().turn("go");
    script.add("agent.unparsed", { error: "secret", location: "mock/frame", raw_hash: null });
    expect(told(script.turnEnded()).span("invoke_agent fake").events).toMatchObject([
      { name: "agentwire.unparsed", attributes: { "agentwire.unparsed.location": "mock/frame" } },
    ]);
  });

  test("file, image, data, other status: left out", async () => {
    const { span } = await turnOf(
      agentStep.file("/secret"),
      agentStep.image("/secret"),
      agentStep.data({ secret: 1 }),
      agentStep.status("thinking", "secret"),
    );
    expect(span.events).toEqual([]);
  });
});
