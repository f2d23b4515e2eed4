import { describe, expect, test } from "vitest";
import { readJsonl } from "../../src/universal/jsonl/jsonl.ts";
import { fold } from "../../src/universal/transcript/reduce.ts";
import { describeErrorData } from "../../src/universal/words/describe-error-data.ts";
import { Script, START } from "./build.ts";
import { TRANSCRIPT } from "./support/events.ts";
import { last, messagesOf, partsOf, turn } from "./support/messages-of.ts";

describe("the messages of a turn", () => {
  test("are the prompt and one answer, which exists before its first text", () => {
    const script = turn();
    expect(messagesOf(script.events)).toEqual([
      {
        id: "ses_1/itm_1",
        role: "user",
        turnId: "trn_1",
        status: "sent",
        startedAt: START + 2,
        parts: expect.anything(),
      },
      {
        id: "ses_1/trn_1",
        role: "assistant",
        turnId: "trn_1",
        status: "open",
        startedAt: START + 1,
        parts: expect.anything(),
      },
    ]);
    script.message(["Hel", "lo"]);
    script.turnEnded({
      usage: { output_tokens: 2 },
      cost: { total: 3, currency: "credits" },
      model: "m1",
    });
    const [prompt, answer, ...others] = messagesOf(script.events);
    expect(others).toEqual([]);
    expect(prompt?.parts.toArray()).toEqual([{ type: "text", id: "itm_1", text: "go", open: false }]);
    expect(answer?.parts.toArray()).toEqual([{ type: "text", id: "itm_2", text: "Hello", open: false }]);
    expect(answer).toMatchObject({
      status: "completed",
      usage: { output_tokens: 2 },
      cost: { total: 3, currency: "credits" },
      model: "m1",
      endedAt: START + 8,
    });
    expect(answer).not.toHaveProperty("error");
  });

  test("are only an answer if the backend worked without a prompt", () => {
    const script = new Script().session().turn(undefined, { unsolicited: true });
    expect(messagesOf(script.events)).toEqual([]);
    script.message(["by the way"]);
    expect(messagesOf(script.turnEnded().events)).toMatchObject([
      { id: "ses_1/trn_1", role: "assistant", status: "completed", startedAt: START + 1 },
    ]);
  });

  test("show that a prompt was never sent, and why", () => {
    const script = new Script().session().turn();
    script.item({ role: "user", content: [{ type: "text", text: "go" }] }, "failed");
    script.error("no link", { code: "connection.lost" }).turnEnded({ status: "failed" });
    expect(messagesOf(script.events)).toMatchObject([
      { role: "user", status: "failed" },
      { role: "assistant", status: "failed", error: { detail: "no link", code: "connection.lost" } },
    ]);
  });

  test("have unique ids, also across the sessions of a restored chat", () => {
    const one = new Script("ses_1").session().turn("a").turnEnded();
    const two = new Script("ses_2").session().turn("b").turnEnded();
    expect(messagesOf([...one.events, ...two.events]).map(({ id }) => id)).toEqual([
      "ses_1/itm_1",
      "ses_1/trn_1",
      "ses_2/itm_1",
      "ses_2/trn_1",
    ]);
  });
});

describe("an error", () => {
  test("that ends its turn is described on the message, and is no part", () => {
    const script = turn();
    script.message(["so far"]);
    script.error("it broke", { code: "mock.broke", turn_id: "trn_1" }).turnEnded({ status: "failed" });
    expect(last(script)).toMatchObject({
      status: "failed",
      error: { title: "Oh", detail: "it broke", retry: "ask", code: "mock.broke" },
      endedAt: START + 8,
    });
    expect(partsOf(script).map(({ type }) => type)).toEqual(["text"]);
  });

  test("in a turn that goes on is a part", () => {
    const script = turn().error("no such tool", { code: "mock.tool", turn_id: "trn_1" });
    script.message(["well"]);
    script.turnEnded();
    expect(partsOf(script)).toEqual([
      { type: "error", id: "evt_5", message: "no such tool", code: "mock.tool" },
      { type: "text", id: "itm_2", text: "well", open: false },
    ]);
    expect(last(script)).not.toHaveProperty("error");
  });

  test("in a cancelled turn stays a part", () => {
    const script = turn().error("odd").turnEnded({ status: "cancelled" });
    expect(last(script)).toMatchObject({ status: "cancelled", parts: { length: 1 } });
    expect(last(script)).not.toHaveProperty("error");
  });

  test("is added to a turn that failed without one", () => {
    expect(last(turn().turnEnded({ status: "failed" }))).toMatchObject({
      status: "failed",
      error: { title: "Oh", code: "none" },
    });
  });

  test("between turns, or of an ended turn, is a system message", () => {
    const script = turn().turnEnded().error("later", { code: "mock.later", turn_id: "trn_1" });
    script.turn("again").error("of the turn before", { turn_id: "trn_1" });
    const system = messagesOf(script.events).filter(({ role }) => role === "system");
    expect(system).toMatchObject([
      { id: "ses_1/evt_6", status: "failed", error: { detail: "later" }, parts: { length: 0 } },
      { id: "ses_1/evt_10", status: "failed", error: { detail: "of the turn before" } },
    ]);
  });

  test("has the texts of this library by default", () => {
    const { events } = turn()
      .error("it broke", { retryable: true, turn_id: "trn_1" })
      .turnEnded({ status: "failed" });
    const data = { message: "it broke", code: null, details: null, retryable: true, turn_id: "trn_1" };
    expect(fold(events).messages.at(-1)?.error).toEqual(describeErrorData(data));
  });
});

describe("between turns", () => {
  test("a system text makes a system message", () => {
    const script = new Script().session();
    script.item({ kind: "system", content: [{ type: "text", text: "welcome" }] });
    expect(messagesOf(script.events)).toMatchObject([
      { id: "ses_1/itm_1", role: "system", status: "completed", startedAt: START + 1 },
    ]);
    expect(partsOf(script)).toEqual([{ type: "text", id: "itm_1", text: "welcome", open: false }]);
  });

  test("a status makes no message", () => {
    const script = new Script().session();
    for (const label of [
      "connection.lost",
      "connection.retrying",
      "connection.restored",
      "connection.auth",
    ]) {
      script.status(label);
    }
    expect(messagesOf(script.events)).toEqual([]);
  });

  test("late audio is added to the answer it belongs to", () => {
    const script = turn();
    const reply = script.message(["hello"]);
    script.turnEnded();
    script.item({
      parent_id: reply,
      content: [{ type: "file_ref", path: "data:audio/wav,", action: "read", diff: null }],
    });
    expect(messagesOf(script.events)).toHaveLength(2);
    expect(partsOf(script)).toMatchObject([{ text: "hello" }, { type: "file", mediaType: "audio/wav" }]);
  });

  test("an answer without a turn is a separate message", () => {
    const script = new Script().session();
    script.message(["hello"]);
    expect(messagesOf(script.events)).toMatchObject([
      { id: "ses_1/itm_1", role: "assistant", status: "completed", parts: { length: 1 } },
    ]);
  });
});

describe("an answer whose connection is lost", () => {
  test.each(["recovering", "connection.lost", "connection.retrying"])(
    "is `recovering` after `%s` until its next text",
    (label) => {
      const script = turn();
      script.status(label, "1006");
      expect(last(script)).toMatchObject({ status: "recovering", parts: { length: 0 } });
      script.status("connection.restored");
      expect(last(script).status).toBe("recovering");
      script.message(["found"]);
      expect(last(script)).toMatchObject({ status: "open", parts: { length: 1 } });
    },
  );
});

describe("incomplete events", () => {
  test("the end of a turn ends all its open parts, also in sub-agents", () => {
    const script = turn();
    script.delta(script.start(), "cut");
    const agent = script.subagent("x");
    script.call("run", {}, { parent: agent });
    script.question("requested");
    script.permission("requested", { call_id: script.call().call });
    const done = script.tool();
    script.turnEnded({ status: "cancelled" });
    expect(partsOf(script)).toMatchObject([
      { type: "text", text: "cut", open: false },
      { type: "subagent", state: "failed", parts: [{ type: "tool", state: "abandoned" }] },
      { type: "question", status: "rejected" },
      { type: "tool", state: "abandoned" },
      { type: "tool", id: done, state: "done" },
    ]);
  });

  test("the end of a turn rejects its open requests", () => {
    const script = turn();
    script.permission("requested", { call_id: script.call().call });
    script.question("requested");
    script.turnEnded({ status: "failed" });
    expect(partsOf(script)).toMatchObject([
      { type: "tool", state: "abandoned", approval: { status: "reject", reason: "disconnected" } },
      { type: "question", status: "rejected", reason: "disconnected" },
    ]);
  });

  test("a delta after the end of a call does not change the call's arguments", () => {
    const script = turn();
    const { item } = script.call("run", { command: "ls" });
    script.delta(item, "rm", "tool_arguments");
    expect(partsOf(script)).toMatchObject([{ type: "tool", input: { command: "ls" } }]);
  });

  test("the end of a session releases what is remembered of its items", () => {
    const script = turn();
    script.call();
    script.turnEnded().sessionEnded();
    expect(fold(script.events).book?.places.size).toBe(0);
  });

  test.each([
    ["the next turn", (script: Script) => script.skip(1).turn("again"), "failed"],
    ["the end of the session", (script: Script) => script.skip(1).sessionEnded(), "failed"],
    [
      "the end of a closed session",
      (script: Script) => script.sessionEnded({ reason: "terminated", terminated_by: "daemon" }),
      "cancelled",
    ],
  ] as const)("%s ends a turn whose own end was lost", (_, next, status) => {
    const script = turn();
    script.message(["a"]);
    next(script);
    expect(messagesOf(script.events)[1]).toMatchObject({ status, endedAt: expect.any(Number) });
  });

  test("a turn that is known only by its failure has a message with the error", () => {
    const script = turn().turnEnded().skip(2);
    script.add("turn.ended", { phase: "ended", turn_id: "trn_9", metadata: { status: "failed" } });
    expect(last(script)).toMatchObject({ id: "ses_1/trn_9", role: "assistant", status: "failed" });
  });
});

test("a transcript with every type of event becomes a prompt and its answer", () => {
  const { events } = readJsonl(TRANSCRIPT);
  const [prompt, answer, ...others] = messagesOf(events);
  expect(others).toEqual([]);
  expect(prompt?.parts.toArray()).toMatchObject([{ type: "text", text: "run the tests" }]);
  expect(answer).toMatchObject({ status: "completed", cost: { total: 3, currency: "credits" } });
  expect(answer?.parts.toArray()).toMatchObject([
    { type: "text", text: "On it." },
    {
      type: "tool",
      name: "run_terminal_command",
      state: "done",
      approval: { id: "ses_1.1", status: "accept" },
    },
    {
      type: "question",
      id: "ses_1.2",
      status: "answered",
      answers: [{ question_index: 0, selected: ["No"] }],
    },
    { type: "error", code: "codebuff.error" },
  ]);
});
