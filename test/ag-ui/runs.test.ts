import type { AgUiEvent } from "agentwire/ag-ui";
import { agentStep } from "agentwire/testing/agent";
import { describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { approve, Bench, inputOf, interruptsOf, resumeOf, textOf } from "./support/client.ts";
import { collect, ofType, told } from "./support/judge.ts";

const removal = { name: "rm", input: { path: "a" }, approval: true, output: "gone" };

/** Asks for an approval and says the outcome. */
function* asking() {
  yield "Wait. ";
  const { state } = yield* agentStep.tool(removal);
  yield `It is ${state}.`;
}

const last = (events: readonly AgUiEvent[]) => told(events).at(-1);

describe("a run", () => {
  test("sends the user's last message with its images, and gives the answer", async () => {
    await using bench = new Bench({ script: ["Hello Ada."] });
    const content = [
      { type: "text" as const, text: "I am Ada." },
      { type: "image" as const, source: { type: "data" as const, value: "AAAA", mimeType: "image/png" } },
    ];
    const events = await bench.run(inputOf(["old"], { messages: [{ id: "m9", role: "user", content }] }));
    expect(textOf(events)).toBe("Hello Ada.");
    expect(last(events)).toBe("RUN_FINISHED success");
    expect(bench.mock.prompts).toMatchObject([{ text: "I am Ada.", images: [{ mediaType: "image/png" }] }]);
  });

  test("gives each turn of a thread as a run", async () => {
    await using bench = new Bench();
    const first = await bench.run(inputOf(["one"]));
    const second = await bench.run(inputOf(["one", "two"]));
    expect(textOf(first)).toContain("one");
    expect(textOf(second)).toContain("two");
    expect(bench.mock.prompts.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  test("ends with RUN_ERROR in words when the turn fails", async () => {
    await using bench = new Bench({ script: ["Hm.", agentStep.fail("no luck")].map((step) => [step]) });
    await bench.run(inputOf(["one"]));
    const events = await bench.run(inputOf(["one", "two"]));
    expect(ofType(events, "RUN_ERROR")[0]).toMatchObject({
      code: expect.any(String),
      message: expect.stringContaining("no luck"),
    });
  });

  test("ends with RUN_ERROR when the prompt cannot be sent", async () => {
    await using bench = new Bench({ refuseConnect: true, reconnect: false });
    const events = await bench.run(inputOf(["one"]));
    expect(told(events)).toEqual(["RUN_STARTED", expect.stringContaining("RUN_ERROR ")]);
  });

  test("sends nothing before its first event is asked for", async () => {
    await using bench = new Bench();
    const events = bench.agent.run(inputOf(["one"]));
    expect(bench.chat.getSnapshot().messages.length).toBe(0);
    await collect(events);
    expect(bench.mock.prompts).toHaveLength(1);
  });
});

describe("an approval", () => {
  test("ends the run with an interrupt that says what it is about, and the turn stays open", async () => {
    const preview = [{ path: "a", diff: "@@", by: "tool" as const }];
    await using bench = new Bench({
      script: [agentStep.tool({ ...removal, grant: "deletions of a", preview })].map((step) => [step]),
    });
    const events = await bench.run(inputOf(["go"]));
    const [interrupt] = interruptsOf(events);
    expect(interrupt).toMatchObject({
      reason: "tool_call",
      message: "Allow rm?",
      toolCallId: ofType(events, "TOOL_CALL_START")[0]?.toolCallId,
      responseSchema: { required: ["approved"] },
      metadata: { agentwire: { tool: "rm", input: { path: "a" }, grant: "deletions of a", preview } },
    });
    expect(bench.isBusy).toBe(true);
  });

  test.each([
    { payload: { approved: true }, state: "done" },
    { payload: { approved: true, scope: "session" }, state: "done" },
    { payload: { approved: false, reason: "no" }, state: "denied" },
    { payload: undefined, state: "denied" },
  ])("is decided by the next run: $payload gives $state", async ({ payload, state }) => {
    await using bench = new Bench({ script: asking });
    const first = await bench.run(inputOf(["go"]));
    const [interrupt] = interruptsOf(first);
    const entry = {
      interruptId: interrupt?.id ?? "",
      ...(payload ? { status: "resolved" as const, payload } : { status: "cancelled" as const }),
    };
    const rest = await bench.run(inputOf(["go"], resumeOf(entry)));
    expect(textOf(first) + textOf(rest)).toBe(`Wait. It is ${state}.`);
    expect(ofType(rest, "TOOL_CALL_START")).toEqual([]);
    expect(ofType(rest, "TOOL_CALL_RESULT")[0]).toMatchObject({ metadata: { agentwire: { state } } });
    expect(last(rest)).toBe("RUN_FINISHED success");
    expect(bench.mock.decisions).toHaveLength(1);
  });

  test("beside others is one of several interrupts, and what is not answered is asked again", async () => {
    await using bench = new Bench({
      script: () => [
        agentStep.subagent({ type: "a", name: "A", steps: [agentStep.tool({ ...removal, id: "one" })] }),
        agentStep.tool({ ...removal, id: "two" }),
      ],
    });
    const seen: string[] = [];
    let events = await bench.run(inputOf(["go"]));
    for (let runs = 0; last(events) === "RUN_FINISHED interrupt" && runs < 3; runs++) {
      const [interrupt] = interruptsOf(events);
      seen.push(interrupt?.id ?? "");
      events = await bench.run(inputOf(["go"], resumeOf(approve(interrupt?.id ?? ""))));
    }
    expect(new Set(seen).size).toBe(2);
    expect(last(events)).toBe("RUN_FINISHED success");
  });
});

describe("a question", () => {
  const script = function* () {
    const answers = yield* agentStep.question({
      questions: [
        { question: "Which?", options: ["a", "b"] },
        { question: "Why?", options: ["c"] },
      ],
    });
    yield `${JSON.stringify(answers ?? null)}`;
  };

  test.each([
    { payload: { answers: [["b"], ["because"]] }, text: '[["b"],["because"]]' },
    { payload: undefined, text: "null" },
  ])("is answered by the next run: $text", async ({ payload, text }) => {
    await using bench = new Bench({ script });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    expect(interrupt).toMatchObject({
      reason: "input_required",
      message: "Which?\nWhy?",
      metadata: { agentwire: { questions: [{ question: "Which?" }, { question: "Why?" }] } },
    });
    const entry = {
      interruptId: interrupt?.id ?? "",
      ...(payload ? { status: "resolved" as const, payload } : { status: "cancelled" as const }),
    };
    expect(textOf(await bench.run(inputOf(["go"], resumeOf(entry))))).toBe(text);
  });

  test("with an answer that does not fit stays open", async () => {
    await using bench = new Bench({ script });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const id = interrupt?.id ?? "";
    for (const payload of [{ answers: [["b"]] }, { answers: "b" }, { answer: [] }, null, undefined]) {
      const entry = { interruptId: id, status: "resolved" as const, payload };
      expect(last(await bench.run(inputOf(["go"], resumeOf(entry))))).toBe("RUN_ERROR invalid-input");
    }
    expect(bench.chat.getSnapshot().pending.map((pending) => pending.id)).toEqual([id]);
  });
});

describe("resume", () => {
  test("for an approval that another viewer decided gives the rest of the turn", async () => {
    await using bench = new Bench({ script: asking });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const id = interrupt?.id ?? "";
    bench.chat.decide(id, "reject");
    await until(bench.chat, ({ busy }) => !busy);
    const rest = await bench.run(inputOf(["go"], resumeOf(approve(id))));
    expect(textOf(rest)).toBe("It is denied.");
    expect(bench.mock.decisions).toHaveLength(1);
  });

  test("with an unknown id says so, and names the open interrupts", async () => {
    await using bench = new Bench({ script: asking });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const refusal = async (interruptId: string) => {
      const [event] = await bench.run(inputOf(["go"], resumeOf(approve(interruptId))));
      return event?.type === "RUN_ERROR" ? `${event.code}: ${event.message}` : "none";
    };
    const id = interrupt?.id ?? "";
    expect(await refusal("odd")).toMatch(/^interrupt-over: .*"odd"\. Open interrupts: /);
    expect(await refusal("odd")).toContain(JSON.stringify(id));
    expect((await refusal("x".repeat(100_000))).length).toBeLessThan(500);
    expect(bench.chat.getSnapshot().pending).toHaveLength(1);
    await bench.run(inputOf(["go"], resumeOf(approve(id))));
    expect(await refusal("odd")).toMatch(/"odd"\. No interrupt is open: send a new message/);
    expect(await refusal(id)).toContain("These interrupts are over, and so is their turn");
  });

  test("for an approval whose turn was written to its end is RUN_ERROR", async () => {
    await using bench = new Bench({ script: asking });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const entry = resumeOf(approve(interrupt?.id ?? ""));
    await bench.run(inputOf(["go"], entry));
    expect(told(await bench.run(inputOf(["go"], entry)))).toEqual(["RUN_ERROR interrupt-over"]);
  });

  test("twice for one approval does nothing to the next approval of the turn", async () => {
    await using bench = new Bench({ script: () => [agentStep.tool(removal), agentStep.tool(removal)] });
    const [first] = interruptsOf(await bench.run(inputOf(["go"])));
    const entry = resumeOf(approve(first?.id ?? ""));
    const [second] = interruptsOf(await bench.run(inputOf(["go"], entry)));
    const [again] = interruptsOf(await bench.run(inputOf(["go"], entry)));
    expect(second?.id).not.toBe(first?.id);
    expect(again?.id).toBe(second?.id);
    expect(bench.mock.decisions).toHaveLength(1);
  });

  test("with two answers to one approval counts the first", async () => {
    await using bench = new Bench({ script: asking });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const id = interrupt?.id ?? "";
    const rest = await bench.run(inputOf(["go"], resumeOf(approve(id, false), approve(id))));
    expect(textOf(rest)).toBe("It is denied.");
  });

  test("does not approve a call that no run has shown", async () => {
    await using bench = new Bench({ script: asking });
    const sent = bench.chat.send("from another viewer");
    expect(sent.ok).toBe(true);
    await until(bench.chat, ({ pending }) => pending.length > 0);
    const id = bench.chat.getSnapshot().pending[0]?.id ?? "";
    expect(told(await bench.run(inputOf([], resumeOf(approve(id)))))).toEqual(["RUN_ERROR interrupt-over"]);
    expect(bench.chat.getSnapshot().pending).toHaveLength(1);
  });

  test("with edited arguments says what to do instead", async () => {
    await using bench = new Bench({ script: asking });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const payload = { approved: true, editedArgs: { path: "b" } };
    const entry = { interruptId: interrupt?.id ?? "", status: "resolved" as const, payload };
    const events = await bench.run(inputOf(["go"], resumeOf(entry)));
    expect(ofType(events, "RUN_ERROR")[0]?.message).toMatch(/`editedArgs`.*deny it and say in `reason`/);
  });

  test.each([
    { payload: true },
    { payload: {} },
    { payload: { approved: "yes" } },
    { payload: { approved: true, editedArgs: { path: "b" } } },
    { payload: { approved: true, scope: "ever" } },
    { payload: { approved: true, tool: true } },
  ])("with a payload that does not fit decides nothing: $payload", async ({ payload }) => {
    await using bench = new Bench({ script: asking });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const entry = { interruptId: interrupt?.id ?? "", status: "resolved" as const, payload };
    expect(last(await bench.run(inputOf(["go"], resumeOf(entry))))).toBe("RUN_ERROR invalid-input");
    expect(bench.mock.decisions).toEqual([]);
    expect(bench.chat.getSnapshot().pending).toHaveLength(1);
  });
});

const typeless = ({ source: { value } }: { readonly source: { readonly value: string } }) => ({
  type: "image",
  source: { type: "data", value },
});

describe("a message while the turn waits", () => {
  test.each(["none", "cancelled", "approved"] as const)(
    "cancels the turn and is sent, with the answers: %s",
    async (answers) => {
      await using bench = new Bench({
        *script({ text }) {
          if (text === "go") yield* asking();
          else yield "As you like.";
        },
      });
      const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
      const id = interrupt?.id ?? "";
      const resume =
        answers === "none"
          ? {}
          : resumeOf(answers === "cancelled" ? { interruptId: id, status: "cancelled" } : approve(id));
      const events = await bench.run(inputOf(["go", "stop"], resume));
      expect(textOf(events)).toBe("As you like.");
      expect(bench.mock.decisions.filter(({ decision }) => decision !== "reject")).toEqual([]);
      expect(bench.chat.getSnapshot().messages.map(({ status }) => status)).toContain("cancelled");
    },
  );

  const userSays = (content: unknown) =>
    inputOf([], { messages: [{ id: "m2", role: "user", content } as never] });
  const image = { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" } };

  test.each([
    ["a blank text", "invalid-input", userSays(" \n")],
    ["no text", "invalid-input", userSays("")],
    ["no parts", "invalid-input", userSays([])],
    ["an image without a text", "invalid-input", userSays([image])],
    ["an image without a type", "invalid-input", userSays([{ type: "text", text: "go" }, typeless(image)])],
    ["content of another form", "invalid-input", userSays({})],
    ["a document", "unsupported", userSays([{ type: "document" }])],
    ["a resume of another form", "invalid-input", { ...inputOf(["go", "more"]), resume: [{}] as never }],
    ["another thread", "unknown-thread", { ...inputOf(["go", "more"]), threadId: "other" }],
  ])("that is refused cancels nothing: %s", async (_, code, input) => {
    await using bench = new Bench({ script: asking });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    expect(told(await bench.run(input))).toEqual([`RUN_ERROR ${code}`]);
    expect(bench.chat.getSnapshot()).toMatchObject({ busy: true, pending: [{ id: interrupt?.id }] });
    expect(bench.mock).toMatchObject({ cancels: [], decisions: [], prompts: [{ text: "go" }] });
    const rest = await bench.run(inputOf(["go"], resumeOf(approve(interrupt?.id ?? ""))));
    expect(textOf(rest)).toBe("It is done.");
  });

  test("that is blank is refused in words for whoever wrote the page", async () => {
    await using bench = new Bench();
    expect(await bench.run(userSays(" "))).toMatchObject([
      { type: "RUN_ERROR", message: expect.stringMatching(/^the last message of the user has no text/) },
    ]);
  });

  test("that is the old one gives the interrupts again", async () => {
    await using bench = new Bench({ script: asking });
    const before = interruptsOf(await bench.run(inputOf(["go"])));
    expect(interruptsOf(await bench.run(inputOf(["go"])))).toEqual(before);
    expect(bench.mock.prompts).toHaveLength(1);
  });
});

describe("a message that was sent before", () => {
  test("is answered anew, as a branch where the backend has branches", async () => {
    await using bench = new Bench({ script: ["One.", "Two.", "Three.", "Four."] });
    await bench.run(inputOf(["a"]));
    await bench.run(inputOf(["a", "b"]));
    const again = await bench.run(inputOf(["a"]));
    expect(textOf(again)).toBe("Three.");
    expect(bench.chat.getSnapshot().messages.length).toBe(2);
    expect(bench.chat.getSnapshot().messages.at(1)?.branches?.of).toBe(2);
    const edited = await bench.run(inputOf(["A"]));
    expect(textOf(edited)).toBe("Four.");
    expect(bench.mock.prompts.at(-1)?.text).toBe("A");
  });

  test("is sent as a new prompt where the backend keeps the conversation", async () => {
    await using bench = new Bench({ script: ["One.", "Two."], capabilities: { branches: false } });
    await bench.run(inputOf(["a"]));
    expect(textOf(await bench.run(inputOf(["a"])))).toBe("Two.");
    expect(bench.chat.getSnapshot().messages.length).toBe(4);
  });
});
