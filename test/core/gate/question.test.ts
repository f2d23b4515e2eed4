import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { readAnswer } from "../../../src/core/gate/decision.ts";
import type { ApprovalOptions } from "../../../src/core/gate/options.ts";
import type { Answer, Answers, Reply } from "../../../src/core/values.ts";
import { gateRig, item, NOTHING_OPEN, question } from "../support/gate.ts";
import { settle, thrownBy, unhandledDuring } from "../support/promises.ts";
import { IDLE, turnRig } from "../support/turns.ts";

const asking = (count: number) => question({ questions: Array.from({ length: count }, () => item()) });

describe("`readAnswer()`", () => {
  test.each<{ questions: number; answer: Answer; read: Answers }>([
    { questions: 1, answer: "left", read: [["left"]] },
    { questions: 1, answer: "neither of them", read: [["neither of them"]] },
    { questions: 1, answer: "", read: [[""]] },
    { questions: 1, answer: ["left"], read: [["left"]] },
    { questions: 1, answer: ["left", "right"], read: [["left", "right"]] },
    { questions: 1, answer: [], read: [[]] },
    { questions: 1, answer: [["left", "right"]], read: [["left", "right"]] },
    { questions: 1, answer: [[]], read: [[]] },
    { questions: 2, answer: ["left", "right"], read: [["left"], ["right"]] },
    { questions: 2, answer: [["left", "right"], []], read: [["left", "right"], []] },
    { questions: 0, answer: [], read: [] },
    { questions: 1, answer: null, read: undefined },
    { questions: 2, answer: null, read: undefined },
  ])("reads $answer to $questions question(s) as $read", ({ questions, answer, read }) => {
    expect(readAnswer(asking(questions), answer)).toEqual(read);
  });

  test.each<{ questions: number; answer: unknown; says: string }>([
    { questions: 1, answer: undefined, says: "1 question." },
    { questions: 1, answer: true, says: "1 question." },
    { questions: 1, answer: 1, says: "1 question." },
    { questions: 1, answer: {}, says: "1 question." },
    { questions: 1, answer: [1], says: "1 question." },
    { questions: 1, answer: ["left", 1], says: "1 question." },
    { questions: 1, answer: [["left"], ["right"]], says: "1 question." },
    { questions: 1, answer: [["left"], "right"], says: "1 question." },
    { questions: 1, answer: [[["left"]]], says: "1 question." },
    { questions: 1, answer: [null], says: "1 question." },
    { questions: 1, answer: new Array(1), says: "1 question." },
    { questions: 1, answer: [new Array(1)], says: "1 question." },
    { questions: 2, answer: "left", says: "2 questions." },
    { questions: 2, answer: ["left"], says: "2 questions." },
    { questions: 2, answer: ["left", "right", "left"], says: "2 questions." },
    { questions: 2, answer: [], says: "2 questions." },
    { questions: 2, answer: [["left"]], says: "2 questions." },
    { questions: 2, answer: [["left"], 7], says: "2 questions." },
    { questions: 2, answer: new Array(2), says: "2 questions." },
    { questions: 0, answer: "left", says: "0 questions." },
  ])("refuses $answer to $questions question(s) with `invalid-input`", ({ questions, answer, says }) => {
    const error = thrownBy(() => readAnswer(asking(questions), answer));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).toContain(`the answer does not fit ${says} Pass a list of strings`);
  });

  test.each<{ form: string; questions: number; given: string[] | string[][] }>([
    { form: "a list", questions: 1, given: ["left"] },
    { form: "lists", questions: 2, given: [["left"], ["right"]] },
  ])("copies an answer given as $form, so later changes have no effect", ({ questions, given }) => {
    const read = readAnswer(asking(questions), given);
    const before = structuredClone(read);
    const [first] = given;
    if (Array.isArray(first)) first.push("right");
    given.length = 0;
    expect(read).toEqual(before);
  });
});

describe("a question", () => {
  test.each<{ by: string; onQuestion: ApprovalOptions["onQuestion"] }>([
    { by: "callback", onQuestion: () => ["left"] },
    {
      by: "callback",
      onQuestion: async ({ questions }) => questions.map(({ options }) => options[0]?.label ?? ""),
    },
    { by: "reply", onQuestion: "manual" },
  ])("is answered once, by $by", async ({ by, onQuestion }) => {
    const { askQuestion, gate, told, leftovers } = gateRig({ ...(onQuestion && { onQuestion }) });
    const { replies } = askQuestion();
    expect(told.opened).toEqual([{ type: "question", id: "question-1", question: question() }]);
    if (by === "reply") gate.answer("question-1", "left");
    await settle();
    expect([replies, leftovers()]).toEqual([[{ answers: [["left"]], by }], NOTHING_OPEN]);
    expect(gate.answer("question-1", "right")).toEqual({ answers: [["left"]], by });
    expect(gate.answer("question-1", 7)).toEqual({ answers: [["left"]], by });
  });

  test("may be declined by the user with `null`", () => {
    const { askQuestion, gate } = gateRig({ onQuestion: "manual" });
    const { replies } = askQuestion();
    expect(gate.answer("question-1", null)).toEqual({ answers: undefined, by: "reply" });
    expect(replies).toHaveLength(1);
  });

  test("stays open after an invalid reply, which throws", () => {
    const { askQuestion, gate } = gateRig({ onQuestion: "manual" });
    const { replies } = askQuestion();
    expect(thrownBy(() => gate.answer("question-1", true))).toBeInstanceOf(InvalidInputError);
    expect([replies, gate.isOpen("question-1")]).toEqual([[], true]);
  });

  test.each<{ how: string; onQuestion: () => unknown }>([
    { how: "returns a number", onQuestion: () => 7 },
    { how: "returns undefined", onQuestion: () => {} },
    { how: "rejects", onQuestion: () => Promise.reject(new Error("mine")) },
    {
      how: "throws",
      onQuestion: () => {
        throw new Error("mine");
      },
    },
  ])("is declined with a warning if the callback $how", async ({ onQuestion }) => {
    const { askQuestion, told, leftovers } = gateRig({ onQuestion } as ApprovalOptions);
    const { replies } = askQuestion();
    expect(await unhandledDuring(settle)).toEqual([]);
    expect(replies).toEqual([{ answers: undefined, by: "error", reason: "`onQuestion` failed" }]);
    expect(told.warnings).toMatchObject([
      { kind: "approval-failed", message: expect.stringMatching(/^`onQuestion` failed: /) },
    ]);
    expect(leftovers()).toEqual(NOTHING_OPEN);
  });

  test.each<{ what: string; options: object }>([
    { what: "no option is given", options: {} },
    { what: "only tools are approved", options: { onToolApproval: "manual" } },
    { what: "null is given", options: { onQuestion: null } },
  ])("is declined at once, with one warning, if `onQuestion` is missing: $what", ({ options }) => {
    const { askQuestion, gate, told, leftovers } = gateRig(options);
    const refused: Reply = { answers: undefined, by: "policy", reason: "nobody is there to answer it" };
    expect(gate.answersQuestions).toBe(false);
    expect(askQuestion().replies).toEqual([refused]);
    expect(askQuestion({ id: "question-2" }).replies).toEqual([refused]);
    expect(told.warnings).toEqual([
      { kind: "question-refused", message: expect.stringContaining("`onQuestion`") },
    ]);
    expect([told.opened, leftovers()]).toEqual([[], NOTHING_OPEN]);
  });

  test.each(["manual", () => null] as const)("can be answered if `onQuestion` is %o", (onQuestion) => {
    expect(gateRig({ onQuestion }).gate.answersQuestions).toBe(true);
  });

  test("is not decided by rules or by `always`", () => {
    const { askQuestion, ask, gate } = gateRig({ onToolApproval: "manual", onQuestion: "manual" });
    ask({ name: "question-1" });
    gate.decide("call-1", "always");
    expect([askQuestion().replies, gate.isOpen("question-1")]).toEqual([[], true]);
  });

  test("is declined after `approvalTimeout`, and leaves no timer", async () => {
    const { askQuestion, clock, leftovers } = gateRig({ onQuestion: "manual", approvalTimeout: 1_000 });
    const { replies } = askQuestion();
    await clock.advance(1_000);
    expect(replies).toEqual([{ answers: undefined, by: "timeout", reason: "nobody decided within 1000 ms" }]);
    expect(leftovers()).toEqual(NOTHING_OPEN);
  });

  test("that is withdrawn aborts its callback and is settled once", async () => {
    let signal: AbortSignal | undefined;
    const { askQuestion, gate } = gateRig({
      onQuestion: (_, context) => {
        signal = context.signal;
        return new Promise<Answer>(() => {});
      },
    });
    const { replies, withdraw } = askQuestion();
    withdraw("disconnected", "the link is lost");
    const lost: Reply = { answers: undefined, by: "disconnected", reason: "the link is lost" };
    expect([replies, signal?.reason]).toEqual([[lost], new Error("the link is lost")]);
    expect(gate.answer("question-1", "left")).toEqual(lost);
    expect(replies).toHaveLength(1);
  });

  test("of a turn pauses the turn's idle timer, and leaves `pending` once answered", async () => {
    const { turn, clock } = turnRig();
    turn.active();
    const { askQuestion, gate } = gateRig({ onQuestion: "manual" });
    const heard: string[] = [];
    turn.on("question", ({ id }) => heard.push(id));
    askQuestion({}, turn);
    await clock.advance(IDLE * 3);
    expect([turn.status, heard, turn.pending.map(({ id }) => id)]).toEqual([
      "queued",
      ["question-1"],
      ["question-1"],
    ]);
    gate.answer("question-1", "left");
    expect(turn.pending).toEqual([]);
    await clock.advance(IDLE);
    expect(turn.status).toBe("cancelling");
  });

  test("of a cancelled turn is declined and never opens", () => {
    const { turn } = turnRig();
    void turn.cancel();
    const { askQuestion, told } = gateRig({ onQuestion: "manual" });
    expect(askQuestion({}, turn).replies).toEqual([
      { answers: undefined, by: "cancelled", reason: "its turn is over" },
    ]);
    expect(told.opened).toEqual([]);
  });
});
