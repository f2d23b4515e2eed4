import { agentStep, MockAgent } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { eventsOf, failureOf, thrown } from "../helpers/turns.ts";
import { END, played } from "./mock-agent-support.ts";

describe("a step", () => {
  test("of text is split by word, by characters or not at all, never within a character", async () => {
    const text = "one  two\u{1f389} three";
    const cut = async (deltas: "words" | "whole" | number) => {
      const events = await played([agentStep.text(text, { deltas })]);
      return events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    };
    expect(await cut("words")).toEqual(["one  ", "two\u{1f389} ", "three"]);
    expect(await cut(4)).toEqual(["one ", " two", "\u{1f389} th", "ree"]);
    expect(await cut("whole")).toEqual([text]);
    expect(await played([""])).toEqual([END]);
  });

  test("of reasoning, status, a file, an image and data emits one event each", async () => {
    const events = await played([
      agentStep.reasoning("hm"),
      agentStep.status("searching", "the web"),
      agentStep.file("a.txt", { action: "patch", diff: "@@" }),
      agentStep.image("https://example.com/a.png", "image/png"),
      agentStep.data({ any: 1 }),
      agentStep.error("a hiccup", "mock.hiccup"),
    ]);
    expect(events).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "status", label: "searching", detail: "the web" },
      { type: "file", path: "a.txt", action: "patch", diff: "@@" },
      { type: "image", path: "https://example.com/a.png", mime: "image/png" },
      { type: "data", data: { any: 1 } },
      { type: "problem", message: "a hiccup", code: "mock.hiccup" },
      END,
    ]);
  });

  test("of usage and cost is in the result, and in the partial result of a failed turn", async () => {
    const steps = [agentStep.usage({ inputTokens: 3, outputTokens: 4 }), agentStep.cost(2, "USD")];
    const reported = { usage: { inputTokens: 3, outputTokens: 4 }, cost: { amount: 2, unit: "USD" } };
    const agent = new MockAgent().script([
      ["a", ...steps],
      [...steps, agentStep.fail("broke")],
    ]);
    const client = agent.client();
    expect(await client.prompt("a").result).toEqual({ text: "a", ...reported });
    expect(await client.prompt("b").outcome).toMatchObject({ status: "failed", partial: reported });
  });

  test("of failure ends the turn with its fields, and no event follows", async () => {
    const failure = { kind: "overloaded", retryable: true, status: 529, retryAfter: 1_000, balance: 0 };
    const turn = new MockAgent()
      .script([["part", agentStep.fail("too busy", failure), "never"]])
      .client()
      .prompt("a");
    const error = await failureOf(turn);
    expect(error).toMatchObject({ code: "turn-failed", serverMessage: "too busy", ...failure });
    expect(String(error)).toBe("TurnError [turn-failed]: too busy");
    expect(turn.text).toBe("part");
  });

  test("of a tool goes through its states and streams its output", async () => {
    const tool = agentStep.tool({ name: "ls", input: { path: "." }, streams: ["a\n", "b\n"], during: ["…"] });
    const turn = new MockAgent()
      .script([[tool]])
      .client()
      .prompt("hello");
    const states: unknown[] = [];
    turn.on("toolCall", ({ state, output }) => states.push([state, output]));
    const events = eventsOf(turn);
    await turn.outcome;
    expect(states).toEqual([
      ["requested", undefined],
      ["running", undefined],
      ["running", "a\n"],
      ["running", "a\nb\n"],
      ["done", "a\nb\n"],
    ]);
    const told = events.flatMap((event) =>
      event.type === "tool" ? [[event.call.state, event.call.output]] : [],
    );
    expect(told).toEqual(states);
    expect(turn.toolCalls).toMatchObject([{ id: "call_1", name: "ls", input: { path: "." }, state: "done" }]);
    expect(turn.text).toBe("…");
  });

  test("of a failing tool keeps its output and the error", async () => {
    const tool = agentStep.tool({ name: "ls", streams: ["a"], error: "no such folder" });
    const turn = new MockAgent()
      .script([[tool]])
      .client()
      .prompt("hello");
    await turn.outcome;
    expect(turn.toolCalls).toMatchObject([{ state: "failed", output: "a", error: "no such folder" }]);
  });

  test("of a sub-agent has its own steps, which add nothing to the answer", async () => {
    const inner = agentStep.subagent({ type: "reader", steps: ["deep"], fails: true });
    const tool = agentStep.tool({ name: "ls" });
    const outer = agentStep.subagent({
      type: "file-picker",
      name: "Fletcher",
      steps: ["found", tool, inner],
    });
    const agent = new MockAgent().script([["Let me see. ", outer, "Done."]]);
    const turn = agent.client().prompt("hello");
    const events = eventsOf(turn);
    expect((await turn.result).text).toBe("Let me see. Done.");
    const picker = { type: "subagent", id: "agent_1", agentType: "file-picker", name: "Fletcher" };
    const reader = {
      type: "subagent",
      id: "agent_2",
      agentType: "reader",
      name: "reader",
      agentId: "agent_1",
    };
    expect(events.filter(({ type }) => type === "subagent")).toEqual([
      { ...picker, state: "running" },
      { ...reader, state: "running" },
      { ...reader, state: "failed" },
      { ...picker, state: "done" },
    ]);
    expect(events).toContainEqual({ type: "text", text: "found", agentId: "agent_1" });
    expect(events).toContainEqual({ type: "text", text: "deep", agentId: "agent_2" });
    expect(turn.toolCalls).toMatchObject([{ name: "ls", agentId: "agent_1" }]);
  });

  test("with an unknown field is refused, with a suggestion", () => {
    expect(thrown(() => agentStep.tool({ name: "ls", aproval: true } as never))).toMatchObject({
      code: "invalid-input",
      hint: "Did you mean `approval`?",
    });
  });

  test.each<readonly [says: string, make: () => unknown]>([
    [
      "agentStep.tool: field `streams` is true. It must be an array of strings.",
      () => agentStep.tool({ name: "ls", streams: true } as never),
    ],
    [
      "agentStep.tool: field `streams` is a string. It must be an array of strings.",
      () => agentStep.tool({ name: "ls", streams: "abc" } as never),
    ],
    ["agentStep.tool: field `name` is missing. It must be a string.", () => agentStep.tool({} as never)],
    [
      "agentStep.tool: the fields are a string. These exist: name, input,",
      () => agentStep.tool("ls" as never),
    ],
    [
      "agentStep.tool: field `denied` is an array. It must be a function.",
      () => agentStep.tool({ name: "ls", denied: ["No"] } as never),
    ],
    [
      "agentStep.tool: field `during` is a string. It must be an array.",
      () => agentStep.tool({ name: "ls", during: "x" } as never),
    ],
    [
      "agentStep.question: field `questions` is a string. It must be an array.",
      () => agentStep.question({ questions: "Which?" } as never),
    ],
    [
      "agentStep.question: field `options` is a string.",
      () => agentStep.question({ questions: [{ question: "Which?", options: "ab" }] } as never),
    ],
    [
      "agentStep.question: `then` is an array. It must be a function.",
      () => agentStep.question("Which?", ["a"] as never),
    ],
    ["agentStep.subagent: field `steps` is missing.", () => agentStep.subagent({ type: "a" } as never)],
    [
      "agentStep.subagent: field `steps` is a string.",
      () => agentStep.subagent({ type: "a", steps: "word" } as never),
    ],
    [
      "agentStep.text: field `deltas` is a string.",
      () => agentStep.text("a", { deltas: "letters" } as never),
    ],
    ["agentStep.reasoning: `text` is 1. It must be a string.", () => agentStep.reasoning(1 as never)],
    ["agentStep.status: `detail` is 1.", () => agentStep.status("a", 1 as never)],
    [
      "agentStep.usage: field `inputTokens` is a string. It must be a number.",
      () => agentStep.usage({ inputTokens: "3" } as never),
    ],
    ["agentStep.cost: `amount` is a string. It must be a number.", () => agentStep.cost("3" as never)],
    ["agentStep.error: `message` is an object.", () => agentStep.error(new Error("a") as never)],
    [
      "agentStep.fail: field `retryable` is 1. It must be true or false.",
      () => agentStep.fail("a", { retryable: 1 } as never),
    ],
    ["agentStep.file: field `action` is a string.", () => agentStep.file("a", { action: "delete" } as never)],
    ["agentStep.image: `path` is an object.", () => agentStep.image(new Uint8Array() as never)],
    ["agentStep.wait: `gate` is 5.", () => agentStep.wait(5 as never)],
    [
      "agentStep.delay: `ms` is a string. It must be a number of milliseconds",
      () => agentStep.delay("5" as never),
    ],
    [
      "field of the loss `back` is a string. It must be true or false.",
      () => agentStep.lose({ back: "x" } as never),
    ],
    [
      "field of the loss `back` is 2000. It must be true or false.",
      () => new MockAgent().disconnect({ back: 2_000 } as never),
    ],
    ["the loss is 2000. These exist: message, back,", () => new MockAgent().disconnect(2_000 as never)],
    ["field of the loss `message` is 5. It must be a string.", () => agentStep.forget(5 as never)],
  ])("is refused when it is called: %s", (says, make) => {
    const error = thrown(make);
    expect(error).toMatchObject({ code: "invalid-input" });
    expect((error as Error).message).toContain(says);
  });
});
