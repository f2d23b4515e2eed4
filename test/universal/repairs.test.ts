import { CodebuffCli, toUniversal as ofCli } from "agentwire/codebuff-cli";
import { agentStep, FakeCodebuffCli, MockAgent, type MockAgentStep } from "agentwire/testing";
import {
  checkTranscript,
  type DataOf,
  type UniversalEvent,
  type UniversalEventType,
} from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { allOf } from "./all-of.ts";

// The weaknesses of the schema of February 2026, each with the rule that repairs it (D1 to D10).

/** What a turn says that a script plays. `whole`: of a conversation, until its client is closed. */
async function played(steps: readonly MockAgentStep[], whole = false): Promise<readonly UniversalEvent[]> {
  const agent = new MockAgent({ script: () => steps });
  const client = agent.client();
  client.on("approval", ({ id }) => client.decide(id, { decision: "reject", reason: "no" }));
  client.on("question", ({ id }) => client.answer(id, [["Yes"], ["a", "my own"]]));
  const chat = client.conversation();
  const turn = whole ? chat.prompt("go", { read: false }) : client.prompt("go", { read: false });
  const stream = agent.toUniversal(whole ? chat : turn);
  await turn.outcome;
  if (whole) await client.connect();
  await client.close();
  const events = await allOf(stream);
  expect(checkTranscript(events)).toEqual([]);
  return events;
}

function dataOf<Type extends UniversalEventType>(
  events: readonly UniversalEvent[],
  type: Type,
): DataOf<Type>[] {
  return events.flatMap((event) => (event.type === type ? [event.data as DataOf<Type>] : []));
}

const deltas = (events: readonly UniversalEvent[]) =>
  dataOf(events, "item.delta").map(({ item_id, part, delta }) => [item_id, part?.type, delta]);

const completed = (events: readonly UniversalEvent[]) =>
  dataOf(events, "item.completed").map(({ item }) => item);

describe("the repairs of the schema", () => {
  test("D1: reasoning, text and tool output are separate items, and each delta names its kind", async () => {
    const events = await played([
      agentStep.reasoning("Hm."),
      agentStep.text("Yes.", { deltas: "whole" }),
      ...agentStep.tool({ name: "ls", streams: ["a\n"] }),
    ]);
    expect(deltas(events)).toEqual([
      ["itm_2", "reasoning", "Hm."],
      ["itm_3", "text", "Yes."],
      ["itm_5", "tool_output", "a\n"],
    ]);
  });

  test("D2: a growing item begins empty, so its text appears once", async () => {
    const events = await played([agentStep.text("one two", { deltas: "words" })]);
    const [, started] = dataOf(events, "item.started");
    expect(started?.item.content).toEqual([]);
    const said = dataOf(events, "item.delta")
      .map(({ delta }) => delta)
      .join("");
    expect(said).toBe("one two");
    expect(completed(events).at(-1)?.content).toEqual([{ type: "text", text: "one two" }]);
    const [user] = dataOf(events, "item.started");
    expect(user?.item.content).toEqual([{ type: "text", text: "go" }]); // and a prompt is whole from the start
  });

  test("D3: a failure completes open items, and keeps their text", async () => {
    const events = await played(["half an ans", agentStep.fail("out of luck")]);
    expect(completed(events).at(-1)).toMatchObject({
      status: "failed",
      content: [{ type: "text", text: "half an ans" }],
    });
    expect(events.slice(-3).map(({ type }) => type)).toEqual(["item.completed", "error", "turn.ended"]);
  });

  test("D4: the second of two questions has its answer too", async () => {
    const questions = [
      { question: "Sure?", options: ["Yes", "No"] },
      { question: "Which?", options: ["a", "b"], multiSelect: true },
    ];
    const [resolved] = dataOf(await played([...agentStep.question({ questions })]), "question.resolved");
    expect(resolved).toMatchObject({
      prompt: "Sure?",
      options: ["Yes", "No"],
      response: "Yes",
      status: "answered",
    });
    expect(resolved?.answers).toEqual([
      { question_index: 0, selected: ["Yes"] },
      { question_index: 1, selected: ["a"], other_text: "my own" },
    ]);
  });

  test("D5: an error says whether it is fatal, whether a retry may help, and which turn it belongs to", async () => {
    const [survived] = dataOf(await played([agentStep.error("a tool is missing", "mock.problem")]), "error");
    expect(survived).toMatchObject({ fatal: false, turn_id: "trn_1" });
    const [failed] = dataOf(await played([agentStep.fail("busy", { retryable: true })]), "error");
    expect(failed).toMatchObject({ fatal: false, retryable: true, turn_id: "trn_1" });
  });

  test("D6: the end of a turn has its status, usage and cost", async () => {
    const steps = [agentStep.usage({ inputTokens: 2, outputTokens: 3 }), agentStep.cost(5, "credits")];
    const [ended] = dataOf(await played(steps), "turn.ended");
    expect(ended?.metadata).toMatchObject({
      status: "completed",
      usage: { input_tokens: 2, output_tokens: 3 },
      cost: { total: 5, currency: "credits" },
    });
  });

  test("D7: the end of a CLI session has the cost of the run", async () => {
    await using cli = await FakeCodebuffCli.start({
      events: [{ type: "start", messageHistoryLength: 0 }, "Done.", { type: "finish", totalCost: 3 }],
    });
    const { command, args, env } = cli;
    const client = new CodebuffCli({
      command,
      args,
      env: { ...env, CODEBUFF_API_KEY: "" },
      homeDir: import.meta.dirname,
    });
    const events = await allOf(ofCli(client.prompt("go", { read: false })));
    expect(dataOf(events, "session.ended")).toMatchObject([
      { reason: "completed", metadata: { total_cost: 3 } },
    ]);
    await client.close();
  });

  test("D8: a permission names its call's item, and a rejection its reason", async () => {
    const events = await played([...agentStep.tool({ name: "rm", id: "call_1", approval: true })]);
    const call = completed(events).find(({ kind }) => kind === "tool_call");
    const of = { item_id: call?.item_id, call_id: "call_1" };
    expect(dataOf(events, "permission.requested")).toMatchObject([of]);
    expect(dataOf(events, "permission.resolved")).toMatchObject([
      { ...of, status: "reject", reason: "user" },
    ]);
  });

  test("D9: status items report a lost, retried and restored connection", async () => {
    const events = await played([agentStep.lose()], true);
    const labels = completed(events).flatMap(({ content }) =>
      content.flatMap((part) => (part.type === "status" ? [part.label] : [])),
    );
    expect(labels).toEqual(["connection.lost", "connection.retrying", "connection.restored"]);
  });

  test("D10: a tool's output grows the result item, which follows the call", async () => {
    const events = await played([...agentStep.tool({ name: "ls", streams: ["a", "b"] })]);
    const [call, result] = completed(events).slice(-2);
    expect([call?.kind, result?.kind]).toEqual(["tool_call", "tool_result"]);
    expect(deltas(events).map(([id]) => id)).toEqual([result?.item_id, result?.item_id]);
  });
});
