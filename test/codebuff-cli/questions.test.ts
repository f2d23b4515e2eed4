import type { Question } from "agentwire/codebuff-cli";
import type { FakeCodebuffStep } from "agentwire/testing";
import { expect } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { thrown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

/** Resolves with the next question of the client. */
const asked = (client: { on(name: "question", listener: (question: Question) => void): unknown }) =>
  new Promise<Question>((resolve) => client.on("question", resolve));

type Asking = Awaited<ReturnType<typeof cliWorld>>;
type Chat = ReturnType<Asking["client"]["conversation"]>;

const OPEN = { askUser: { result: null }, exit: { never: true } } as const;

describe("a question of the agent", () => {
  test("2.7 question: is emitted under its call's id, and is pending only if it can be answered", async () => {
    await using at = await cliWorld({
      askUser: { result: null },
      events: [{ type: "start" }, { type: "finish" }],
      exit: { never: true },
    });
    const turn = at.client.prompt("hi");
    const ofTurn: Question[] = [];
    turn.on("question", (question) => ofTurn.push(question));
    const question = await asked(at.client);

    expect(question).toMatchObject({
      id: "ask_1",
      questions: [
        { question: "Which colour?", header: "Colour", options: [{ label: "Red" }, { label: "Blue" }] },
      ],
    });
    expect(ofTurn).toEqual([question]);
    expect([turn.pending, at.client.pending]).toEqual([[], []]);
    const cancelled = turn.cancel();
    expect(turn.toolCalls).toEqual([expect.objectContaining({ id: "ask_1", state: "abandoned" })]);
    await cancelled;
  });

  test.each(["is closed", "has completed the turn"])(
    "is no longer pending when the client %s",
    async (how) => {
      await using at = await cliWorld({
        askUser: { result: null },
        ...(how === "is closed" ? { exit: { never: true } } : {}),
      });
      const turn = at.client.prompt("hi");
      await asked(at.client);
      if (how === "is closed") await at.client.close();
      else await turn.result;
      expect(turn.pending).toEqual([]);
      expect(turn.toolCalls[0]?.state).toBe("abandoned");
    },
  );

  test.each([
    [
      "one option",
      { answers: [{ questionIndex: 0, selectedOption: "Red" }] },
      { status: "answered", answers: [["Red"]] },
      "done",
    ],
    [
      "several options",
      { answers: [{ questionIndex: 0, selectedOptions: ["Red", "Blue"] }] },
      { status: "answered", answers: [["Red", "Blue"]] },
      "done",
    ],
    [
      "other words",
      { answers: [{ questionIndex: 0, otherText: "Green" }] },
      { status: "answered", answers: [["Green"]] },
      "done",
    ],
    ["a refusal", { skipped: true }, { status: "skipped" }, "done"],
    ["a text", "Red", { status: "answered", answers: [["Red"]] }, "done"],
    ["a response", { response: "Red" }, { status: "answered", answers: [["Red"]] }, "done"],
    ["an answer", { answer: "Red" }, { status: "answered", answers: [["Red"]] }, "done"],
    [
      "nobody could answer",
      { errorMessage: "nobody could answer" },
      { status: "unanswered", reason: "nobody could answer" },
      "failed",
    ],
    ["none of these", { colour: "Red" }, undefined, "done"],
  ])(
    "2.7 result %s: settles it with the event's `answer`, and the turn goes on",
    async (_, result, answer, state) => {
      await using at = await cliWorld({ askUser: { result } });
      const turn = at.client.prompt("hi");
      const told: unknown[] = [];
      turn.on("event", (event) => event.type === "tool_result" && told.push(event.answer));
      const question = asked(at.client);
      const { toolCalls } = await turn.result;
      await question;
      expect(told).toEqual([answer]);
      expect(turn.pending).toEqual([]);
      expect(toolCalls).toEqual([expect.objectContaining({ id: "ask_1", name: "ask_user", state })]);
    },
  );

  test("2.7 answering throws: cannot be answered, and the error suggests `answerByContinue`", async () => {
    await using at = await cliWorld(OPEN);
    void at.client.prompt("hi");
    const { id } = await asked(at.client);
    expect(thrown(() => at.client.answer(id, "Red"))).toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining("answerByContinue"),
    });
    expect(thrown(() => at.client.answer("never asked", "Red"))).toMatchObject({ code: "invalid-input" });
  });
});

describe("answerByContinue", () => {
  const options = { answerByContinue: true } as const;
  const SCENARIO = {
    sessionKey: "session_id",
    sessionId: "s-1",
    askUser: { result: { errorMessage: "nobody could answer" } },
  } as const;

  test("2.7 answerByContinue: sends an answer once, as the next prompt of the conversation", async () => {
    await using at = await cliWorld(SCENARIO, options);
    const conversation = at.client.conversation();
    const question = asked(at.client);
    await conversation.prompt("paint it").result;
    at.cli.set({ askUser: undefined });
    const { id } = await question;
    const next = new Promise<void>((resolve) => {
      at.client.on("event", (event) => event.type === "finish" && resolve());
    });

    expect(at.client.pending).toEqual([{ type: "question", id, question: await question }]);
    const settled: unknown[] = [];
    at.client.on("settled", (request) => settled.push(request));
    const reply = at.client.answer(id, "Red");
    expect(reply).toEqual({ answers: [["Red"]], by: "reply" });
    expect(at.client.answer(id, "Blue")).toBe(reply);
    expect([at.client.pending, settled]).toEqual([
      [],
      [{ type: "question", id, question: await question, reply }],
    ]);
    await next;
    await at.client.close({ drainTimeout: 1_000_000 });
    expect(at.cli.runs().map(({ prompt, options: { "--continue": session } }) => [prompt, session])).toEqual([
      ["paint it", undefined],
      ["Red", "s-1"],
    ]);
  });

  test("answers from a listener that was added while the turn was queued", async () => {
    await using at = await cliWorld(SCENARIO, options);
    const conversation = at.client.conversation();
    void conversation.prompt("look around");
    const second = conversation.prompt("paint it");
    const replied = new Promise((resolve) => {
      second.on("question", ({ id }) => resolve(at.client.answer(id, "Red")));
    });
    expect(await replied).toEqual({ answers: [["Red"]], by: "reply" });
    await at.client.close();
  });

  test("is off by default, so `answer()` throws in a conversation too", async () => {
    await using at = await cliWorld(SCENARIO);
    const question = asked(at.client);
    await at.client.conversation().prompt("paint it").result;
    const { id } = await question;
    expect(thrown(() => at.client.answer(id, "Red"))).toMatchObject({ code: "unsupported" });
  });

  test("puts each answer behind its question if there are several", async () => {
    const input = { questions: [{ question: "Which colour?" }, { question: "How much?" }] };
    await using at = await cliWorld({ ...SCENARIO, askUser: { input, result: { skipped: true } } }, options);
    const question = asked(at.client);
    await at.client.conversation().prompt("paint it").result;
    at.cli.set({ askUser: undefined });
    const { id } = await question;
    at.client.answer(id, [["Red"], ["all", "of it"]]);
    await at.client.close({ drainTimeout: 1_000_000 });
    expect(at.cli.runs()[1]?.prompt).toBe("Which colour? Red\nHow much? all, of it");
  });

  test("continues the session that the program named, not that of the question's prompt", async () => {
    await using at = await cliWorld(SCENARIO, options);
    const conversation = at.client.conversation();
    const question = asked(at.client);
    const controller = new AbortController();
    await conversation.prompt("paint it", { sessionId: "old", mode: "max", signal: controller.signal })
      .result;
    controller.abort();
    at.cli.set({ askUser: undefined });
    at.client.answer((await question).id, "Red");
    await at.cli.waitFor((cli) => cli.runs()[1]);
    await at.client.close({ drainTimeout: 1_000_000 });
    expect(at.cli.runs()[1]?.argv).toEqual(["--stream-json", "--max", "--continue", "s-1", "--", "Red"]);
  });

  test("sends each answer to the right conversation, even if the program reuses question ids", async () => {
    await using at = await cliWorld(SCENARIO, options);
    const questions: Question[] = [];
    at.client.on("question", (question) => questions.push(question));
    const [shed, boat] = [at.client.conversation(), at.client.conversation()];
    await shed.prompt("paint the shed").result;
    await boat.prompt("paint the boat").result;
    at.cli.set({ askUser: undefined });
    const [first, second] = questions.map(({ id }) => id);
    expect(first).toBe("ask_1");
    expect(second).not.toBe(first);
    at.client.answer(second ?? "", "Blue");
    at.client.answer(first ?? "", "Red");
    await at.client.close({ drainTimeout: 1_000_000 });
    expect([shed, boat].map(({ messages }) => messages.at(-2)?.content)).toEqual(["Red", "Blue"]);
  });

  test.each([
    ["the conversation goes on", (_: Asking, conversation: Chat) => void conversation.prompt("never mind")],
    ["the client is closed", ({ client }: Asking) => void client.close()],
  ])("ends the question when %s", async (_, ends) => {
    await using at = await cliWorld(SCENARIO, options);
    const conversation = at.client.conversation();
    const question = asked(at.client);
    await conversation.prompt("paint it").result;
    const { id } = await question;
    expect(at.client.pending).toHaveLength(1);
    const settled: unknown[] = [];
    at.client.on("settled", (request) => settled.push(request));
    ends(at, conversation);
    expect(at.client.pending).toEqual([]);
    expect(settled).toMatchObject([{ id, reply: { answers: undefined, by: "ended" } }]);
    expect(at.client.answer(id, "Red")).toMatchObject({ by: "ended" });
    await at.client.close();
  });

  /** A program that asks `ids` and then waits, or ends. */
  const asks = (ids: readonly string[], rest: readonly FakeCodebuffStep[] = [{ type: "finish" }]) => ({
    events: [
      { type: "start" },
      ...ids.map((toolCallId) => ({
        type: "tool_call",
        toolCallId,
        toolName: "ask_user",
        input: { question: `Which ${toolCallId}?` },
      })),
      ...rest,
    ],
  });
  const idsOf = (pending: readonly { readonly id: string }[]) => pending.map(({ id }) => id);

  test("takes a turn's answers in any order, and keeps a question pending after a refused answer", async () => {
    await using at = await cliWorld(asks(["q1", "q2"]), options);
    const conversation = at.client.conversation();
    await conversation.prompt("paint it").result;
    expect(thrown(() => at.client.answer("q1", "/ralph on"))).toMatchObject({ code: "invalid-input" });
    expect(idsOf(at.client.pending)).toEqual(["q1", "q2"]);
    expect(at.client.answer("q2", "Blue")).toMatchObject({ by: "reply" });
    expect(at.client.answer("q1", "Red")).toMatchObject({ by: "reply" });
    await at.client.close();
  });

  test("settles a question during its turn, and removes it from the turn's `pending`", async () => {
    await using at = await cliWorld(asks(["q1"], [{ hold: "for ever" }]), options);
    const told: unknown[] = [];
    at.client.on("settled", (_, turn) => told.push(turn));
    const question = new Promise<unknown>((resolve) => at.client.on("question", (_, turn) => resolve(turn)));
    const turn = at.client.conversation().prompt("paint it");
    expect(await question).toBe(turn);
    expect(idsOf(turn.pending)).toEqual(["q1"]);
    at.client.answer("q1", "Red");
    expect([turn.pending, at.client.pending, told]).toEqual([[], [], [turn]]);
    await at.client.close();
  });

  test("keeps a question pending until the next prompt begins, even if that was already queued", async () => {
    await using at = await cliWorld(SCENARIO, options);
    const conversation = at.client.conversation();
    const question = asked(at.client);
    const [first, second] = [conversation.prompt("one"), conversation.prompt("two")];
    await first.result;
    const { id } = await question;
    at.cli.set({ askUser: undefined });
    await second.result;
    expect(idsOf(at.client.pending)).toEqual([]);
    expect(at.client.answer(id, "Red")).toMatchObject({ by: "ended" });
  });

  test("keeps a question pending if a queued prompt is cancelled before it begins", async () => {
    await using at = await cliWorld(asks(["q1"], [{ hold: "for ever" }]), options);
    const conversation = at.client.conversation();
    const question = asked(at.client);
    void conversation.prompt("one");
    await question;
    await conversation.prompt("two").cancel();
    expect(idsOf(at.client.pending)).toEqual(["q1"]);
    await at.client.close();
  });

  test("keeps no question pending in a client that is closing", async () => {
    await using at = await cliWorld(
      { events: [{ type: "start" }, { hold: "go" }, ...asks(["q1"]).events.slice(1)] },
      options,
    );
    const started = new Promise<void>((resolve) => {
      at.client.on("event", ({ type }) => type === "start" && resolve());
    });
    const question = asked(at.client);
    const turn = at.client.conversation().prompt("paint it");
    await started;
    const closed = at.client.close({ drainTimeout: 1_000_000 });
    at.cli.release("go");
    await question;
    expect([turn.pending, at.client.pending]).toEqual([[], []]);
    await closed;
  });

  test("finds the question's conversation after many other prompts and questions", async () => {
    await using at = await cliWorld(asks(["q1"]), { ...options, maxQueuedTurns: 1_000 });
    const conversation = at.client.conversation();
    const first = conversation.prompt("one");
    const others = Array.from({ length: 300 }, () => at.client.conversation().prompt("other"));
    for (const other of others) void other.cancel();
    await first.result;
    at.cli.set({ ...asks(Array.from({ length: 257 }, (_, at) => `o${at}`)) });
    await at.client.prompt("alone").result;
    expect(idsOf(at.client.pending)).toEqual(["q1"]);
    expect(at.client.answer("q1", "Red")).toMatchObject({ by: "reply" });
    await at.client.close();
  });

  test("never uses an id twice, however many questions there are", async () => {
    await using at = await cliWorld(asks(Array.from({ length: 400 }, (_, n) => `q${n}`)), options);
    const seen: string[] = [];
    at.client.on("question", ({ id }) => seen.push(id));
    for (let n = 0; n < 3; n++) await at.client.prompt("paint it").result;
    expect(new Set(seen).size).toBe(1_200);
    expect(() => at.client.answer("q0", "Red")).toThrow(/nothing was asked with the id "q0"/);
    await at.client.close();
  });

  test("keeps at most 256 questions pending, and ends the oldest", async () => {
    const events = Array.from({ length: 257 }, (_, at) => ({
      type: "tool_call",
      toolCallId: `q${at}`,
      toolName: "ask_user",
      input: { questions: [{ question: "Which colour?" }] },
    }));
    await using at = await cliWorld({ events: [...events, { type: "finish" }] }, options);
    await at.client.conversation().prompt("paint it").result;
    const ids = at.client.pending.map(({ id }) => id);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([256, "q1", "q256"]);
    expect(at.client.answer("q0", "Red")).toMatchObject({ answers: undefined, by: "ended" });
    await at.client.close();
    expect(at.client.pending).toEqual([]);
  });

  test("refuses `decide()`, which is for tool calls only", async () => {
    await using at = await cliWorld(SCENARIO, options);
    const question = asked(at.client);
    await at.client.conversation().prompt("paint it").result;
    const { id } = await question;
    expect(thrown(() => at.client.decide(id, true))).toMatchObject({
      code: "invalid-input",
      hint: expect.stringContaining("client.answer"),
    });
    expect(thrown(() => at.client.decide("never", true))).toMatchObject({ code: "invalid-input" });
  });

  test("emits a question on its turn even if the report already holds the result", async () => {
    const input = { questions: [{ question: "Which colour?", options: [{ label: "Red" }] }] };
    const traces = [
      { type: "tool_call", toolName: "ask_user", input },
      { type: "tool_result", toolName: "ask_user" },
    ];
    await using at = await cliWorld(
      { profile: "fork", jsonObject: { success: true, output: "Painted.", traces } },
      { ...options, profile: "json" },
    );
    const turn = at.client.conversation().prompt("paint it");
    const told: unknown[] = [];
    turn.on("question", ({ id }) => told.push(["turn", id]));
    at.client.on("question", ({ id }) => told.push(["client", id]));
    await turn.result;
    expect(told).toEqual([
      ["turn", "call_1"],
      ["client", "call_1"],
    ]);
    expect(at.client.pending).toMatchObject([{ id: "call_1" }]);
  });

  test("does not work for a prompt outside a conversation", async () => {
    await using at = await cliWorld(SCENARIO, options);
    const question = asked(at.client);
    await at.client.prompt("paint it").result;
    const { id } = await question;
    expect(thrown(() => at.client.answer(id, "Red"))).toMatchObject({ code: "unsupported" });
  });

  test.each([
    ["two answers to one question", [["a"], ["b"]], "invalid-input"],
    ["a decision", true, "invalid-input"],
    ["a command of the program", "/ralph on", "invalid-input"],
  ])("refuses %s, and still takes a valid answer", async (_, answer, code) => {
    await using at = await cliWorld(SCENARIO, options);
    const question = asked(at.client);
    await at.client.conversation().prompt("paint it").result;
    const { id } = await question;
    expect(thrown(() => at.client.answer(id, answer as string))).toMatchObject({ code });
    expect(at.client.answer(id, null)).toEqual({ answers: undefined, by: "reply" });
    await at.client.close();
  });
});
