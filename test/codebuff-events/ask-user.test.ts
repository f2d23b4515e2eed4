import { describe, expect, test } from "vitest";
import { type QuestionOutcome, questionOf, questionOutcome } from "../../src/codebuff-events/ask-user.ts";
import type { Question, ToolCall } from "../../src/core/values.ts";

const item = { question: "Which?", options: [{ label: "Red" }, { label: "Blue" }], multiSelect: true };
const one: Question = { id: "q", questions: [item], raw: {} };
const two: Question = { id: "q", questions: [item, item], raw: {} };
const answered = (...answers: string[][]): QuestionOutcome => ({ status: "answered", answers });

describe("what became of a question", () => {
  test.each<[string, Question, unknown, QuestionOutcome | undefined]>([
    ["one option", one, { answers: [{ questionIndex: 0, selectedOption: "Red" }] }, answered(["Red"])],
    [
      "several",
      one,
      { answers: [{ questionIndex: 0, selectedOptions: ["Red", "Blue"] }] },
      answered(["Red", "Blue"]),
    ],
    [
      "the user's own words",
      one,
      { answers: [{ questionIndex: 0, otherText: "Green" }] },
      answered(["Green"]),
    ],
    [
      "options and words",
      one,
      { answers: [{ questionIndex: 0, selectedOptions: ["Red"], otherText: "and Green" }] },
      answered(["Red", "and Green"]),
    ],
    [
      "answers in another order, and none to one",
      { ...two, questions: [item, item, item] },
      {
        answers: [
          { questionIndex: 2, selectedOption: "Blue" },
          { questionIndex: 0, selectedOption: "Red" },
        ],
      },
      answered(["Red"], [], ["Blue"]),
    ],
    [
      "answers to questions that were not asked",
      one,
      { answers: [{ questionIndex: 7, selectedOption: "Red" }, { selectedOption: "Red" }, "Red", null] },
      answered([]),
    ],
    [
      "a selection that is no text",
      one,
      { answers: [{ questionIndex: 0, selectedOption: 5, selectedOptions: ["Red", null], otherText: {} }] },
      answered(["Red"]),
    ],
    ["no answers", two, { answers: [] }, answered([], [])],
    ["a refusal", one, { skipped: true }, { status: "skipped" }],
    ["a text", one, "Red", answered(["Red"])],
    ["a text, to two questions", two, "Red", answered(["Red"], [])],
    ["a response", one, { response: "Red" }, answered(["Red"])],
    ["an answer", one, { answer: "Red" }, answered(["Red"])],
    [
      "nobody to answer",
      one,
      { errorMessage: "no terminal" },
      { status: "unanswered", reason: "no terminal" },
    ],
    ["something else", one, { result: "Red" }, undefined],
    ["a refusal that is none", one, { skipped: "no" }, undefined],
    ["a response that is no text", one, { response: 5 }, undefined],
    ["a number", one, 5, undefined],
    ["nothing", one, null, undefined],
  ])("%s", (_, question, value, outcome) => {
    expect(questionOutcome(question, [{ type: "json", value }])).toEqual(outcome);
  });

  test("is not in a picture, nor in no output at all", () => {
    expect(questionOutcome(one, [{ type: "media", data: "", mediaType: "image/png" }])).toBeUndefined();
    expect(questionOutcome(one, [{ type: "unknown" }])).toBeUndefined();
    expect(questionOutcome(one, [])).toBeUndefined();
  });
});

describe("a question is asked", () => {
  const asked = (input: unknown) =>
    questionOf({ id: "q", name: "ask_user", input, raw: {} } as ToolCall)?.questions;
  const which = { question: "Which?", options: [{ label: "Red" }, { label: "Blue" }], multiSelect: false };

  test.each<[string, unknown, unknown]>([
    ["in a list", { questions: [which, which] }, [which, which]],
    [
      "with options that are texts",
      { questions: [{ question: "Which?", options: ["Red", "Blue"] }] },
      [which],
    ],
    ["alone", { question: "Which?", options: ["Red", { label: "Blue" }] }, [which]],
    ["alone, beside a list that is none", { ...which, questions: null }, [which]],
    ["alone, for words", { question: "Name?" }, [{ question: "Name?", options: [], multiSelect: false }]],
    ["not with words that are none", { question: 7 }, undefined],
    ["not with options that are none", { question: "Which?", options: "Red" }, undefined],
    [
      "not with an option that is none",
      { questions: [{ question: "Which?", options: ["Red", 7] }] },
      undefined,
    ],
    ["not in an empty list", { question: "Which?", questions: [] }, undefined],
    ["not by a text", "Which?", undefined],
  ])("%s", (_, input, questions) => {
    expect(asked(input)).toEqual(questions);
  });
});
