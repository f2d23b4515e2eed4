import { describe, expect, test } from "vitest";
import { type PrintedEvent, readEvent, readLine } from "../../src/codebuff-cli/messages.ts";
import {
  type CliTurnStep,
  costOf,
  newCliTurnState,
  stepCliTurn,
  textOfEvent,
} from "../../src/codebuff-cli/turn.ts";

/** The steps of a stream of lines, each given as the value of its JSON. */
function play(...lines: readonly unknown[]) {
  const state = newCliTurnState(1_000_000);
  const steps = lines.map((value): CliTurnStep => {
    const line = readLine(JSON.stringify(value));
    if (line.kind !== "event") throw new Error(`${JSON.stringify(value)} is no event`);
    return stepCliTurn(state, line.event, line.raw);
  });
  return { state, steps, text: steps.map(({ event }) => textOfEvent(event)).join("") };
}

const text = (words: string, agentId?: string) => ({
  type: "text",
  text: words,
  ...(agentId ? { agentId } : {}),
});
const sub = (type: "start" | "finish", agentId: string, agentType = "reviewer") => ({
  type: `subagent_${type}`,
  agentId,
  agentType,
  displayName: "Reviewer",
  onlyChild: true,
});
const call = (toolCallId: string, fields: object = {}) => ({
  type: "tool_call",
  toolCallId,
  toolName: "read_files",
  input: { paths: ["a.txt"] },
  ...fields,
});
const result = (toolCallId: string, value: unknown = "ok") => ({
  type: "tool_result",
  toolCallId,
  output: [{ type: "json", value }],
});

describe("the text of a turn", () => {
  test.each([
    ["only in blocks", [text("I look. "), text("Done.")], "I look. Done."],
    ["only in chunks", ["I ", "look."], "I look."],
    ["in chunks, and again as a block", ["I ", "look.", text("I look.")], "I look."],
    ["of which the block repeats the end", ["I look. ", "Done.", text("Done.")], "I look. Done."],
    ["of which the block has more", ["I ", text("I look.")], "I look."],
    ["in a block that is another", ["I look.", text(" Done.")], "I look. Done."],
    ["in a block like an earlier one", [text("ha"), text("ha")], "haha"],
    ["in chunks behind a block", ["a", text("a"), "b", text("b")], "ab"],
    [
      "of the root, by its other name",
      [text("a", "main-agent"), { type: "start", agentId: "base2" }, text("b", "base2")],
      "ab",
    ],
    [
      "of a sub-agent whose name is that of the agent before does not count",
      [{ type: "start", agentId: "reviewer" }, sub("start", "reviewer"), text("sub", "reviewer"), text("a")],
      "a",
    ],
    [
      "of one with the name of the agent before, which is no sub-agent any more,",
      [{ type: "start", agentId: "s1" }, sub("start", "s1"), sub("finish", "s1"), text("a", "s1")],
      "a",
    ],
    ["of a sub-agent does not count", ["a", text("sub", "s1"), text("a")], "a"],
    [
      "of a sub-agent in chunks does not count",
      [{ type: "subagent_chunk", agentId: "s1", agentType: "r", chunk: "x" }, text("a")],
      "a",
    ],
    [
      "that is thought does not count",
      [{ type: "reasoning_chunk", agentId: "a", ancestorRunIds: [], chunk: "x" }, text("a")],
      "a",
    ],
  ])("%s is told once", (_, lines, whole) => {
    expect(play(...lines).text).toBe(whole);
  });

  test("every event comes with what of it is the answer itself", () => {
    const { steps } = play("I ", text("I look.", "main-agent"), text("fine", "s1"));
    expect(steps.map(({ event }) => event)).toEqual([
      { type: "chunk", delta: "I " },
      { type: "text", text: "I look.", agentId: "main-agent", delta: "look." },
      { type: "text", text: "fine", agentId: "s1", delta: "" },
    ]);
  });

  test("what is remembered of chunks stops growing where the text of the turn does", () => {
    const state = newCliTurnState(10);
    for (let count = 0; count < 1_000; count++) stepCliTurn(state, { type: "chunk", text: "12345" }, "12345");
    expect(state.chunked).toBe("1234512345");
  });
});

describe("tool calls", () => {
  test("run, tell their output, and are done", () => {
    const { steps, state } = play(
      call("t1", { agentId: "main-agent" }),
      { type: "tool_progress", toolCallId: "t1", output: "1/2" },
      { type: "tool_progress", toolCallId: "t1", output: " 2/2" },
      result("t1", { path: "a.txt" }),
    );
    expect(steps.map((step) => [step.call?.state, step.call?.output])).toEqual([
      ["running", undefined],
      ["running", "1/2"],
      ["running", "1/2 2/2"],
      ["done", [{ type: "json", value: { path: "a.txt" } }]],
    ]);
    expect(state.calls.get("t1")).toMatchObject({ name: "read_files", agentId: "main-agent" });
  });

  test.each([
    ["an errorMessage", { errorMessage: "no such file" }, "failed", "no such file"],
    ["an error that is text", { error: "denied" }, "failed", "denied"],
    ["an error that is an object", { error: { code: 1 } }, "failed", '{"code":1}'],
    ["an error that is null", { error: null }, "done", undefined],
    ["another exit code than 0", { exitCode: 1, stdout: "" }, "done", undefined],
    ["no object", "words", "done", undefined],
  ])("with %s end as that", (_, value, state, error) => {
    const last = play(call("t1"), result("t1", value)).steps.at(-1);
    expect({ state: last?.call?.state, error: last?.call?.error }).toEqual({ state, error });
  });

  test("with an error that is nested too deeply to be written has failed all the same", () => {
    const state = newCliTurnState(1_000);
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const printed = (value: unknown): PrintedEvent => {
      const line = readEvent({ type: "tool_result", toolCallId: "t1", output: [{ type: "json", value }] });
      if (line.kind !== "event") throw new Error("it is no event");
      return line.event;
    };
    stepCliTurn(state, { type: "tool_call", toolCallId: "t1", toolName: "read_files", input: {} }, {});
    expect(stepCliTurn(state, printed({ error: deep }), {}).call).toMatchObject({
      state: "failed",
      error: expect.stringContaining("too deeply"),
    });
  });

  test("keep no more of what they put out than a turn keeps of its text", () => {
    const state = newCliTurnState(10);
    stepCliTurn(state, { type: "tool_call", toolCallId: "t1", toolName: "read_files", input: {} }, {});
    const outputs = Array.from({ length: 4 }, () => {
      const { call: known } = stepCliTurn(
        state,
        { type: "tool_progress", toolCallId: "t1", output: "12345678" },
        {},
      );
      return known?.output;
    });
    expect(outputs).toEqual(["12345678", "1234567812345678", "1234567812345678", "1234567812345678"]);
  });

  test("that have ended keep what they gave back, however late progress comes", () => {
    const late = { type: "tool_progress", toolCallId: "t1", output: "1/2" };
    for (const [value, state] of [
      ["ok", "done"],
      [{ errorMessage: "no" }, "failed"],
    ]) {
      const { steps, state: known } = play(call("t1"), result("t1", value), late);
      expect(steps.at(-1)).toEqual({ event: late });
      expect(known.calls.get("t1")).toMatchObject({ state, output: [{ type: "json", value }] });
    }
  });

  test("with a part of a type that nobody knows are done, also where that part has an error", () => {
    const output = [{ type: "video", error: "no" }];
    const { steps } = play(call("t1"), { type: "tool_result", toolCallId: "t1", output });
    expect(steps.at(-1)?.call).toMatchObject({
      state: "done",
      output: [{ type: "unknown", part: { type: "video", error: "no" } }],
    });
  });

  test("a result, or progress, without a call is an event and nothing else", () => {
    const { steps, state } = play(result("t9"), { type: "tool_progress", toolCallId: "t9", output: "x" });
    expect(steps.map(({ event, call: known }) => [event.type, known])).toEqual([
      ["tool_result", undefined],
      ["tool_progress", undefined],
    ]);
    expect(state.calls.size).toBe(0);
  });

  test("a second call of the same id takes the place of the first", () => {
    const { state } = play(call("t1"), call("t1", { toolName: "b" }), result("t1"));
    expect([...state.calls.values()].map(({ name, state: at }) => [name, at])).toEqual([["b", "done"]]);
  });
});

describe("questions", () => {
  const input = { questions: [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }] };
  const ask = (toolName: string, of: object = input) => call("q1", { toolName, input: of });

  test.each(["ask_user", "askUser", "ASK-USER", "Ask_User"])(
    "a call of %s asks, under its own id",
    (name) => {
      const [step] = play(ask(name)).steps;
      expect(step?.asked).toMatchObject({
        id: "q1",
        questions: [{ question: "Which?", multiSelect: false }],
      });
      expect(step?.call?.name).toBe(name);
    },
  );

  test.each([
    ["its old shape", { question: "Which?", options: ["A", "B"] }],
    ["a mix of the old shape and the new", { questions: [{ question: "Which?", options: ["A", "B"] }] }],
  ])("in %s, with options that are texts, asks the same", (_, of) => {
    const [step] = play(ask("ask_user", of)).steps;
    expect(step?.asked?.questions).toEqual([
      { question: "Which?", options: [{ label: "A" }, { label: "B" }], multiSelect: false },
    ]);
  });

  test("in its old shape without options asks for words", () => {
    const [step] = play(ask("ask_user", { question: "Name?" })).steps;
    expect(step?.asked?.questions).toEqual([{ question: "Name?", options: [], multiSelect: false }]);
  });

  test.each([
    {},
    { questions: [] },
    { question: "a", options: "b" },
    { question: "a", options: [7] },
    { questions: [{ options: [] }] },
    { question: 7, options: [] },
  ])("a call of ask_user with %j is a call, and asks nothing", (odd) => {
    const [step] = play(ask("ask_user", odd)).steps;
    expect(step?.asked).toBeUndefined();
    expect(step?.call?.state).toBe("running");
  });

  test.each([
    ["what was selected", { answers: [{ questionIndex: 0, selectedOption: "A" }] }, "done"],
    ["several that were", { answers: [{ questionIndex: 0, selectedOptions: ["A", "B"] }] }, "done"],
    ["other words", { answers: [{ questionIndex: 0, otherText: "C" }] }, "done"],
    ["a refusal", { skipped: true }, "done"],
    ["a text alone", "A", "done"],
    ["a response", { response: "A" }, "done"],
    ["an answer", { answer: "A" }, "done"],
    ["nobody who could answer", { errorMessage: "nobody is there" }, "failed"],
  ])("are over with %s", (what, value, state) => {
    const last = play(ask("ask_user"), result("q1", value)).steps.at(-1);
    const isAnswered = !["a refusal", "nobody who could answer"].includes(what);
    expect(last).toMatchObject({ answered: { id: "q1", isAnswered }, call: { state } });
  });

  test("are over once", () => {
    const steps = play(ask("ask_user"), result("q1"), result("q1")).steps;
    expect(steps.map(({ answered }) => answered?.id)).toEqual([undefined, "q1", undefined]);
  });
});

describe("the end of a turn", () => {
  test("is the first finish, with its cost", () => {
    const { state, steps } = play({ type: "finish", totalCost: 3 }, { type: "finish", totalCost: 9 });
    expect(steps.map(({ finished = false }) => finished)).toEqual([true, false]);
    expect(costOf(state)).toEqual({ amount: 3, unit: "credits" });
  });

  test("has no cost that was not told, and one of 0 that was", () => {
    expect(costOf(play({ type: "finish" }).state)).toBeUndefined();
    expect(costOf(play({ type: "finish", totalCost: 0 }).state)).toEqual({ amount: 0, unit: "credits" });
    expect(costOf(play(text("a")).state)).toBeUndefined();
  });

  test.each([
    ["the id", "s1"],
    ["the type", "reviewer"],
  ])("is not a finish that names an open sub-agent by %s", (_, agentId) => {
    const { state, steps } = play(sub("start", "s1"), { type: "finish", agentId, totalCost: 1 });
    expect(steps.at(-1)?.finished).toBeUndefined();
    expect(state.finish).toBeUndefined();
  });

  test("is a finish that names one which has ended, or none at all", () => {
    const ended = play(sub("start", "s1"), sub("finish", "s1"), { type: "finish", agentId: "reviewer" });
    expect(ended.steps.at(-1)?.finished).toBe(true);
    expect(play(sub("start", "s1"), { type: "finish", agentId: "base2" }).steps.at(-1)?.finished).toBe(true);
  });

  test("a sub-agent that ends without having begun, a second start, and events behind the end are events", () => {
    const lines = [
      sub("finish", "s1"),
      { type: "start" },
      { type: "start" },
      { type: "finish" },
      text("more"),
    ];
    expect(play(...lines).steps.map(({ event }) => event.type)).toEqual([
      "subagent_finish",
      "start",
      "start",
      "finish",
      "text",
    ]);
    expect(play(...lines).text).toBe("more");
  });

  test("the last error that does not mend itself is remembered", () => {
    const { state } = play(
      { type: "error", message: "first" },
      { type: "error", message: "second" },
      { type: "error", message: "cut", source: "stream-interrupted" },
      { type: "error", message: "long", source: "output-limit" },
    );
    expect(state.lastError).toBe("second");
  });
});

describe("the session", () => {
  test.each(["session_id", "sessionId", "conversationId", "conversation_id", "chatId"])(
    "is told by `%s`, on any event",
    (key) => {
      expect(play({ type: "start" }, { type: "dance", [key]: "abc" }).state.sessionId).toBe("abc");
      expect(play({ type: "finish", [key]: "abc" }).state.sessionId).toBe("abc");
    },
  );

  test("is the first one that is told", () => {
    expect(
      play({ type: "start", chatId: "b", session_id: "a" }, { type: "x", session_id: "c" }).state.sessionId,
    ).toBe("a");
  });

  test.each([
    { session_id: "" },
    { session_id: 7 },
    { session_id: "--max" },
    { session_id: "a b" },
    { session_id: "../x" },
    { session_id: "a".repeat(129) },
    { agentId: "base2" },
  ])("is not told by %j", (fields) => {
    expect(play({ type: "start", ...fields }).state.sessionId).toBeUndefined();
  });
});
