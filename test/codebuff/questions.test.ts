import type { Answer, CodebuffClientOptions, Question } from "agentwire/codebuff";
import { type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, type Pair, readyPair } from "../helpers/codebuff.ts";
import { ASK, answers, errorOutput, json, original, statesOf } from "../helpers/codebuff-requests.ts";
import { errorSaying } from "../helpers/errors.ts";

const options = [{ label: "tabs" }, { label: "spaces", description: "two of them" }];
const STYLE = { question: "Tabs or spaces?", header: "Style", options, multiSelect: false };
const FILES = {
  question: "Which files?",
  options: [{ label: "a.ts" }, { label: "b.ts" }],
  multiSelect: true,
};

/** A prompt that asks the user, by the name that the tool has here, and goes on with the answer. */
const ask = (input: Readonly<Record<string, unknown>>, toolName = "ask_user") =>
  function* (): Iterable<Step> {
    yield step.toolCall({ toolName, input, requestId: "q1" });
  };

const asked = (pair: Pair): Promise<Question> => once(pair.client, "question");

/** A client whose `onQuestion` gives `answer`, and what it was asked. */
async function answering(answer: () => Answer | Promise<Answer>, input: Readonly<Record<string, unknown>>) {
  const questions: Question[] = [];
  const onQuestion = (question: Question) => {
    questions.push(question);
    return answer();
  };
  return { questions, pair: await original({ onQuestion }, ask(input)) };
}

describe("a question of the agent", () => {
  test("reaches `onQuestion`, and the answer reaches the agent", async () => {
    const made = await answering(() => "spaces", { questions: [STYLE] });
    await using pair = made.pair;
    const turn = pair.client.prompt("go");
    const states = statesOf(turn);
    await turn.result;
    expect(made.questions).toEqual([
      {
        id: "q1",
        questions: [STYLE],
        turnId: turn.id,
        raw: expect.objectContaining({ toolName: "ask_user" }),
      },
    ]);
    const output = json({ answers: [{ questionIndex: 0, selectedOption: "spaces" }] });
    expect(answers(pair)).toMatchObject([{ requestId: "q1", output, outcome: "taken" }]);
    expect(states).toEqual(["requested", "awaiting", "done"]);
    expect(turn.toolCalls).toMatchObject([{ id: "q1", name: "ask_user", state: "done", output }]);
    expect(pair.client.capabilities.questions).toBe(true);
  });

  const forms: readonly {
    readonly title: string;
    readonly questions: readonly object[];
    readonly answer: Answer;
    readonly value: object;
  }[] = [
    {
      title: "one option",
      questions: [STYLE],
      answer: "tabs",
      value: { answers: [{ questionIndex: 0, selectedOption: "tabs" }] },
    },
    {
      title: "a text of the user",
      questions: [STYLE],
      answer: "whatever you like",
      value: { answers: [{ questionIndex: 0, otherText: "whatever you like" }] },
    },
    {
      title: "several options of a multi-select question",
      questions: [FILES],
      answer: ["a.ts", "b.ts"],
      value: { answers: [{ questionIndex: 0, selectedOptions: ["a.ts", "b.ts"] }] },
    },
    {
      title: "one option of a multi-select question",
      questions: [FILES],
      answer: "b.ts",
      value: { answers: [{ questionIndex: 0, selectedOptions: ["b.ts"] }] },
    },
    {
      title: "options and text",
      questions: [FILES],
      answer: ["a.ts", "and the tests", "all of them"],
      value: {
        answers: [{ questionIndex: 0, selectedOptions: ["a.ts"], otherText: "and the tests\nall of them" }],
      },
    },
    {
      title: "no selected option",
      questions: [FILES],
      answer: [[]],
      value: { answers: [{ questionIndex: 0, selectedOptions: [] }] },
    },
    {
      title: "several options of a single-select question",
      questions: [STYLE],
      answer: ["tabs", "spaces"],
      value: { answers: [{ questionIndex: 0, selectedOptions: ["tabs", "spaces"] }] },
    },
    {
      title: "one answer for each question",
      questions: [STYLE, FILES],
      answer: [["tabs"], ["a.ts", "b.ts"]],
      value: {
        answers: [
          { questionIndex: 0, selectedOption: "tabs" },
          { questionIndex: 1, selectedOptions: ["a.ts", "b.ts"] },
        ],
      },
    },
    {
      title: "one string for each question",
      questions: [STYLE, STYLE],
      answer: ["tabs", "neither"],
      value: {
        answers: [
          { questionIndex: 0, selectedOption: "tabs" },
          { questionIndex: 1, otherText: "neither" },
        ],
      },
    },
    { title: "a skipped question", questions: [STYLE], answer: null, value: { skipped: true } },
  ];

  test.each(forms)("is answered in the tool's own form: $title", async ({ questions, answer, value }) => {
    await using pair = (await answering(() => answer, { questions })).pair;
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(answers(pair)).toMatchObject([{ output: [{ type: "json", value }] }]);
    expect(pair.server.answers[0]?.data).toHaveProperty("output", json(value)); // and nothing besides
    expect(turn.toolCalls).toMatchObject([{ state: "done" }]);
  });

  test.each(["askUser", "AskUser", "ASK-USER", "ask-user", "a_s_k_user"])(
    "is recognised under the tool name %s",
    async (name) => {
      await using pair = await original({ onQuestion: () => "tabs" }, ask({ questions: [STYLE] }, name));
      await pair.client.prompt("go").result;
      expect(answers(pair)).toMatchObject([{ output: json({ answers: [{ selectedOption: "tabs" }] }) }]);
    },
  );

  test("may omit its optional fields", async () => {
    const item = {
      question: "How?",
      header: null,
      multiSelect: null,
      options: [{ label: "x", description: null }],
    };
    const made = await answering(() => null, {
      questions: [
        item,
        { question: "Why?" },
        { question: "Who?", options: null },
        { question: "Which?", options: ["y"] },
      ],
    });
    await using pair = made.pair;
    await pair.client.prompt("go").result;
    expect(made.questions[0]?.questions).toEqual([
      { question: "How?", options: [{ label: "x" }], multiSelect: false },
      { question: "Why?", options: [], multiSelect: false },
      { question: "Who?", options: [], multiSelect: false },
      { question: "Which?", options: [{ label: "y" }], multiSelect: false },
    ]);
  });

  test.each([
    {},
    { questions: [] },
    { questions: {} },
    { questions: "what?" },
    { questions: ["what?"] },
    { questions: [STYLE, {}] },
    { questions: [{ ...STYLE, question: 5 }] },
    { questions: [{ ...STYLE, header: 5 }] },
    { questions: [{ ...STYLE, multiSelect: "yes" }] },
    { questions: [{ ...STYLE, options: "tabs" }] },
    { questions: [{ ...STYLE, options: [5] }] },
    { questions: [{ ...STYLE, options: [{ label: 5 }] }] },
    { questions: [{ ...STYLE, options: [{ label: "tabs", description: 5 }] }] },
  ])("that is invalid is answered with an error, and the callback is not called: %j", async (input) => {
    const made = await answering(() => "tabs", input);
    await using pair = made.pair;
    const turn = pair.client.prompt("go");
    await turn.result;
    expect(made.questions).toEqual([]);
    expect(answers(pair)).toMatchObject([{ requestId: "q1", output: errorOutput(/is no question/) }]);
    expect(turn.toolCalls).toMatchObject([
      { state: "failed", error: expect.stringMatching(/is no question/) },
    ]);
  });

  test("needs no approval and runs no handler", async () => {
    const others: string[] = [];
    const client: Partial<CodebuffClientOptions> = {
      toolPolicy: ASK,
      onToolApproval: ({ name }) => others.push(name) > 0,
      tools: { ask_user: () => json(others.push("ask_user")), "*": ({ name }) => json(others.push(name)) },
      onQuestion: () => "tabs",
    };
    await using pair = await original(client, ask({ questions: [STYLE] }));
    const approvals: string[] = [];
    pair.client.on("approval", ({ id }) => approvals.push(id));
    await pair.client.prompt("go").result;
    expect([others, approvals]).toEqual([[], []]);
    expect(answers(pair)).toMatchObject([{ output: json({ answers: [{ selectedOption: "tabs" }] }) }]);
  });

  test("of a cancelled prompt is not asked", async () => {
    let asked = 0;
    await using pair = await original({ onQuestion: () => String(++asked) }, () => [step.hang()]);
    const turn = pair.client.prompt("go");
    await pair.server.waitFor(({ prompts }) => prompts.length === 1);
    await turn.cancel();
    const data = { type: "tool-call-request", userInputId: turn.id, requestId: "q1", toolName: "ask_user" };
    pair.server.connections[0]?.send(
      JSON.stringify({ type: "action", data: { ...data, input: { questions: [STYLE] } } }),
    );
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect([asked, answers(pair)]).toMatchObject([0, [{ output: errorOutput(/cancelled/) }]]);
  });

  test("is not recognised in an MCP server's tool of that name", async () => {
    const run: string[] = [];
    await using pair = await original(
      { onQuestion: () => json(run.push("question")) as never, onMcpToolCall: () => json(run.push("mcp")) },
      function* () {
        yield step.toolCall({ toolName: "ask_user", input: {}, mcpConfig: { command: "npx" } });
      },
    );
    await pair.client.prompt("go").result;
    expect(run).toEqual(["mcp"]);
  });
});

describe("without `onQuestion`", () => {
  test.each([
    ["ask_user", "ask_user"],
    ["ask-user", "ask_user"],
    ["askUser", "ASK_USER"],
  ])("the tool %s is run by the handler named %s", async (toolName, registered) => {
    const run: string[] = [];
    const tools = { [registered]: () => json(run.push("own")), "*": () => json(run.push("any")) };
    await using pair = await original({ tools }, ask({ anything: 1 }, toolName));
    await pair.client.prompt("go").result;
    expect(run).toEqual(["own"]);
  });

  test("a handler with the exact name comes first", async () => {
    const run: string[] = [];
    const tools = { ask_user: () => json(run.push("ask_user")), askUser: () => json(run.push("askUser")) };
    await using pair = await original({ tools }, ask({}, "askUser"));
    await pair.client.prompt("go").result;
    expect(run).toEqual(["askUser"]);
  });

  test("a question without a handler is refused, and the warning names `onQuestion`", async () => {
    await using pair = await original({}, ask({ questions: [STYLE] }));
    const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "unhandled-request");
    await pair.client.prompt("go").result;
    expect((await warning).message).toMatch(/ask_user.*`onQuestion`/);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/no handler is registered/) }]);
  });
});

describe("a question that waits for the user", () => {
  const manual = { onQuestion: "manual" } as const;
  const waiting = (timeout = 5_000) =>
    function* (): Iterable<Step> {
      yield step.toolCall({
        toolName: "ask_user",
        input: { questions: [STYLE] },
        requestId: "q1",
        timeout,
        wait: false,
      });
      yield step.hang();
    };

  test("reaches listeners, is pending, and is answered once", async () => {
    await using pair = await original(manual, ask({ questions: [STYLE] }));
    const told: unknown[] = [];
    pair.client.on("question", (question, turn) => told.push([question.id, turn]));
    const turn = pair.client.prompt("go");
    turn.on("question", ({ id }) => told.push(id));
    await asked(pair);
    expect(told).toEqual(["q1", ["q1", turn]]);
    expect(turn.pending).toMatchObject([{ type: "question", id: "q1", question: { questions: [STYLE] } }]);
    const late: unknown[] = [];
    pair.client.on("question", (question, itsTurn) => late.push([question.id, itsTurn]));
    pair.client.on("approval", ({ id }) => late.push(id));
    await asked(pair);
    expect(late).toEqual([["q1", turn]]);
    const first = pair.client.answer("q1", "tabs");
    expect(first).toEqual({ answers: [["tabs"]], by: "reply" });
    expect(pair.client.answer("q1", "spaces")).toBe(first);
    await turn.result;
    expect(pair.client.answer("q1", null)).toBe(first);
    expect([turn.pending, pair.server.answers.length]).toEqual([[], 1]);
  });

  test("stays open after an answer that does not fit it", async () => {
    await using pair = await original(manual, ask({ questions: [STYLE, STYLE] }));
    const turn = pair.client.prompt("go");
    await asked(pair);
    expect(() => pair.client.answer("q1", "tabs")).toThrow(errorSaying("invalid-input", /2 questions/));
    expect(turn.pending).toHaveLength(1);
    pair.client.answer("q1", null);
    await turn.result;
    expect(answers(pair)).toMatchObject([{ output: json({ skipped: true }) }]);
  });

  test("is answered independently of an open approval", async () => {
    await using pair = await original(
      { ...manual, toolPolicy: ASK, onToolApproval: "manual", tools: { act: () => json(1) } },
      function* () {
        const act = yield* step.toolCall({ toolName: "act", input: {}, requestId: "r1", wait: false });
        yield step.toolCall({ toolName: "ask_user", input: { questions: [STYLE] }, requestId: "q1" });
        yield step.answerTo(act);
      },
    );
    const turn = pair.client.prompt("go");
    await asked(pair);
    expect(turn.pending.map(({ type, id }) => [type, id])).toEqual([
      ["approval", "r1"],
      ["question", "q1"],
    ]);
    pair.client.answer("q1", "tabs");
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    pair.client.decide("r1", true);
    await turn.result;
    expect(answers(pair)).toMatchObject([{ requestId: "q1" }, { requestId: "r1", output: json(1) }]);
  });

  test("fails if nobody answers within `approvalTimeout`", async () => {
    await using pair = await original({ ...manual, approvalTimeout: 2_000 }, ask({ questions: [STYLE] }));
    const turn = pair.client.prompt("go");
    await asked(pair);
    await pair.clock.advance(2_000);
    await turn.result;
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/not answered: .* 2000 ms/) }]);
    expect(turn.toolCalls).toMatchObject([{ state: "failed", error: expect.stringMatching(/2000 ms/) }]);
  });

  test("fails if its callback throws, and the agent does not see the thrown error", async () => {
    const onQuestion = () => {
      throw new Error("no window for token-1234");
    };
    await using pair = await original({ onQuestion }, ask({ questions: [STYLE] }));
    const warning = once(pair.client, "protocolWarning", ({ kind }) => kind === "approval-failed");
    const turn = pair.client.prompt("go");
    await turn.result;
    expect((await warning).message).toMatch(/`onQuestion` failed: .*no window for \[redacted\]/);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/not answered: `onQuestion` failed$/) }]);
    expect(turn.toolCalls).toMatchObject([{ state: "failed" }]);
  });

  test("fails at the server's time limit, and pauses the idle timeout until then", async () => {
    const aborted = gate();
    await using pair = await original(
      {
        onQuestion: (_question, { signal }) => {
          signal.addEventListener("abort", () => aborted.open());
          return new Promise<never>(() => {});
        },
      },
      waiting(),
    );
    const turn = pair.client.prompt("go", { idleTimeout: 1_000 });
    await asked(pair);
    await pair.clock.advance(8_999);
    expect([turn.status, turn.pending.length]).toEqual(["streaming", 1]);
    await pair.clock.advance(1);
    await aborted.passed;
    expect(turn.pending).toEqual([]);
    expect(turn.toolCalls).toMatchObject([{ state: "failed", error: expect.stringMatching(/9000 ms/) }]);
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/9000 ms/) }]);
    expect(pair.client.answer("q1", "tabs")).toMatchObject({ by: "timeout" });
  });

  test("that is answered while its turn is cancelling is abandoned", async () => {
    await using pair = await original(manual, waiting());
    const turn = pair.client.prompt("go");
    turn.on("status", (status) => {
      if (status === "cancelling") pair.client.answer("q1", "tabs");
    });
    await asked(pair);
    await turn.cancel();
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/the prompt was cancelled/) }]);
  });

  test("is withdrawn when its turn is cancelled, and a late answer is dropped", async () => {
    const late = gate();
    await using pair = await original(
      {
        onQuestion: async () => {
          await late.passed;
          return "tabs";
        },
      },
      waiting(),
    );
    const turn = pair.client.prompt("go");
    await asked(pair);
    await turn.cancel();
    late.open();
    await pair.server.waitFor(({ answers }) => answers.length === 1);
    await pair.client.subscribe(["a"]);
    expect(answers(pair)).toMatchObject([{ output: errorOutput(/cancelled/) }]);
    expect(answers(pair)).toHaveLength(1);
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect(pair.client.answer("q1", "tabs")).toMatchObject({ by: "cancelled" });
  });

  test.each(["proxy", "codebuff"] as const)("is withdrawn when the link is lost: %s", async (profile) => {
    await using pair = await readyPair({
      mock: { profile, answer: waiting(), idRelease: { idle: 0, midPrompt: 0 } },
      client: { keepalive: false, ...manual },
    });
    const turn = pair.client.prompt("go");
    await asked(pair);
    const back = once(pair.client, "reconnected");
    pair.server.dropAll();
    expect(await turn.outcome).toMatchObject({ error: { code: "connection-lost" } });
    await back;
    expect(turn.pending).toEqual([]);
    expect(pair.client.answer("q1", "tabs")).toMatchObject({ by: "disconnected" });
    await pair.client.subscribe(["a"]);
    expect(pair.server.frames.filter(({ raw }) => raw.includes("tool-call-response"))).toEqual([]);
  });
});
