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
    ["in chunks whose end a block repeats", ["I look. ", "Done.", text("Done.")], "I look. Done."],
    ["in a chunk that a longer block repeats", ["I ", text("I look.")], "I look."],
    ["in a chunk and a different block", ["I look.", text(" Done.")], "I look. Done."],
    ["in two equal blocks", [text("ha"), text("ha")], "haha"],
    ["in chunks before and after a block", ["a", text("a"), "b", text("b")], "ab"],
    [
      "of the root agent under its two ids",
      [text("a", "main-agent"), { type: "start", agentId: "base2" }, text("b", "base2")],
      "ab",
    ],
    [
      "without that of a sub-agent with the root agent's id",
      [{ type: "start", agentId: "reviewer" }, sub("start", "reviewer"), text("sub", "reviewer"), text("a")],
      "a",
    ],
    [
      "of the root agent after a sub-agent with the same id has ended",
      [{ type: "start", agentId: "s1" }, sub("start", "s1"), sub("finish", "s1"), text("a", "s1")],
      "a",
    ],
    ["without that of a sub-agent", ["a", text("sub", "s1"), text("a")], "a"],
    [
      "without chunks of a sub-agent",
      [{ type: "subagent_chunk", agentId: "s1", agentType: "r", chunk: "x" }, text("a")],
      "a",
    ],
    [
      "without reasoning",
      [{ type: "reasoning_chunk", agentId: "a", ancestorRunIds: [], chunk: "x" }, text("a")],
      "a",
    ],
  ])("%s is counted once", (_, lines, whole) => {
    expect(play(...lines).text).toBe(whole);
  });

  test("each event's `delta` is its part of the answer", () => {
    const { steps } = play("I ", text("I look.", "main-agent"), text("fine", "s1"));
    expect(steps.map(({ event }) => event)).toEqual([
      { type: "chunk", delta: "I " },
      { type: "text", text: "I look.", agentId: "main-agent", delta: "look." },
      { type: "text", text: "fine", agentId: "s1", delta: "" },
    ]);
  });

  test("remembered chunks stop growing at the limit of the turn's text", () => {
    const state = newCliTurnState(10);
    for (let count = 0; count < 1_000; count++) stepCliTurn(state, { type: "chunk", text: "12345" }, "12345");
    expect(state.chunked).toBe("1234512345");
  });
});

describe("tool calls", () => {
  test("run, collect their output, and are done", () => {
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
    ["an errorMessage: failed", { errorMessage: "no such file" }, "failed", "no such file"],
    ["a string as error: failed", { error: "denied" }, "failed", "denied"],
    ["an object as error: failed", { error: { code: 1 } }, "failed", '{"code":1}'],
    ["null as error: done", { error: null }, "done", undefined],
    ["an exit code other than 0: done", { exitCode: 1, stdout: "" }, "done", undefined],
    ["a string as value: done", "words", "done", undefined],
  ])("end by their result: with %s", (_, value, state, error) => {
    const last = play(call("t1"), result("t1", value)).steps.at(-1);
    expect({ state: last?.call?.state, error: last?.call?.error }).toEqual({ state, error });
  });

  test("fail even if their error is nested too deeply to print", () => {
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

  test("keep at most as much output as a turn keeps text", () => {
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

  test("keep their result if progress arrives later", () => {
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

  test("are done if a result part has an unknown type, even with an error inside", () => {
    const output = [{ type: "video", error: "no" }];
    const { steps } = play(call("t1"), { type: "tool_result", toolCallId: "t1", output });
    expect(steps.at(-1)?.call).toMatchObject({
      state: "done",
      output: [{ type: "unknown", part: { type: "video", error: "no" } }],
    });
  });

  test("are not created by a result or progress alone", () => {
    const { steps, state } = play(result("t9"), { type: "tool_progress", toolCallId: "t9", output: "x" });
    expect(steps.map(({ event, call: known }) => [event.type, known])).toEqual([
      ["tool_result", undefined],
      ["tool_progress", undefined],
    ]);
    expect(state.calls.size).toBe(0);
  });

  test("are replaced by a second call with the same id", () => {
    const { state } = play(call("t1"), call("t1", { toolName: "b" }), result("t1"));
    expect([...state.calls.values()].map(({ name, state: at }) => [name, at])).toEqual([["b", "done"]]);
  });
});

describe("questions", () => {
  const input = { questions: [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }] };
  const ask = (toolName: string, of: object = input) => call("q1", { toolName, input: of });

  test.each(["ask_user", "askUser", "ASK-USER", "Ask_User"])(
    "are asked by a call of %s, under the call's id",
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
  ])("in %s, with string options, are read the same", (_, of) => {
    const [step] = play(ask("ask_user", of)).steps;
    expect(step?.asked?.questions).toEqual([
      { question: "Which?", options: [{ label: "A" }, { label: "B" }], multiSelect: false },
    ]);
  });

  test("in the old format without options ask for free text", () => {
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
  ])("are not asked by a call of `ask_user` with %j", (odd) => {
    const [step] = play(ask("ask_user", odd)).steps;
    expect(step?.asked).toBeUndefined();
    expect(step?.call?.state).toBe("running");
  });

  test.each([
    ["a selected option", { answers: [{ questionIndex: 0, selectedOption: "A" }] }, "done"],
    ["several selected options", { answers: [{ questionIndex: 0, selectedOptions: ["A", "B"] }] }, "done"],
    ["a free text", { answers: [{ questionIndex: 0, otherText: "C" }] }, "done"],
    ["a refusal", { skipped: true }, "done"],
    ["a text alone", "A", "done"],
    ["a response", { response: "A" }, "done"],
    ["an answer", { answer: "A" }, "done"],
    ["nobody who could answer", { errorMessage: "nobody is there" }, "failed"],
  ])("end with %s", (what, value, state) => {
    const last = play(ask("ask_user"), result("q1", value)).steps.at(-1);
    const isAnswered = !["a refusal", "nobody who could answer"].includes(what);
    expect(last).toMatchObject({ answered: { id: "q1", isAnswered }, call: { state } });
  });

  test("end once", () => {
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

  test("has no cost if none was reported, and keeps a cost of 0", () => {
    expect(costOf(play({ type: "finish" }).state)).toBeUndefined();
    expect(costOf(play({ type: "finish", totalCost: 0 }).state)).toEqual({ amount: 0, unit: "credits" });
    expect(costOf(play(text("a")).state)).toBeUndefined();
  });

  test.each([
    ["the id", "s1"],
    ["the type", "reviewer"],
  ])("is not a `finish` with %s of an open sub-agent", (_, agentId) => {
    const { state, steps } = play(sub("start", "s1"), { type: "finish", agentId, totalCost: 1 });
    expect(steps.at(-1)?.finished).toBeUndefined();
    expect(state.finish).toBeUndefined();
  });

  test("is a `finish` with the name of an ended sub-agent, or of no sub-agent", () => {
    const ended = play(sub("start", "s1"), sub("finish", "s1"), { type: "finish", agentId: "reviewer" });
    expect(ended.steps.at(-1)?.finished).toBe(true);
    expect(play(sub("start", "s1"), { type: "finish", agentId: "base2" }).steps.at(-1)?.finished).toBe(true);
  });

  test("does not drop later events, nor events in an unexpected order", () => {
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

  test("keeps the last error that the program does not recover from", () => {
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
    "is read from `%s` on any event",
    (key) => {
      expect(play({ type: "start" }, { type: "dance", [key]: "abc" }).state.sessionId).toBe("abc");
      expect(play({ type: "finish", [key]: "abc" }).state.sessionId).toBe("abc");
    },
  );

  test("is the first one that the program names", () => {
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
  ])("is not read from %j", (fields) => {
    expect(play({ type: "start", ...fields }).state.sessionId).toBeUndefined();
  });
});
