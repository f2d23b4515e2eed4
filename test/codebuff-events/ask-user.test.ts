import { describe, expect, test } from "vitest";
import { type QuestionOutcome, questionOf, questionOutcome } from "../../src/codebuff-events/ask-user.ts";
import type { Question, ToolCall } from "../../src/core/values.ts";

const item = { question: "Which?", options: [{ label: "Red" }, { label: "Blue" }], multiSelect: true };
const one: Question = { id: "q", questions: [item], raw: {} };
const two: Question = { id: "q", questions: [item, item], raw: {} };
const answered = (...answers: string[][]): QuestionOutcome => ({ status: "answered", answers });

describe("the outcome of a question", () => {
  test.each<[string, Question, unknown, QuestionOutcome | undefined]>([
    ["one option", one, { answers: [{ questionIndex: 0, selectedOption: "Red" }] }, answered(["Red"])],
    [
      "several options",
      one,
      { answers: [{ questionIndex: 0, selectedOptions: ["Red", "Blue"] }] },
      answered(["Red", "Blue"]),
    ],
    ["a text of the user", one, { answers: [{ questionIndex: 0, otherText: "Green" }] }, answered(["Green"])],
    [
      "options and a text",
      one,
      { answers: [{ questionIndex: 0, selectedOptions: ["Red"], otherText: "and Green" }] },
      answered(["Red", "and Green"]),
    ],
    [
      "answers in another order, with one missing",
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
      "a selection that is not a string",
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
      "an error message",
      one,
      { errorMessage: "no terminal" },
      { status: "unanswered", reason: "no terminal" },
    ],
    ["something else", one, { result: "Red" }, undefined],
    ["an invalid refusal", one, { skipped: "no" }, undefined],
    ["a response that is not a string", one, { response: 5 }, undefined],
    ["a number", one, 5, undefined],
    ["nothing", one, null, undefined],
  ])("%s", (_, question, value, outcome) => {
    expect(questionOutcome(question, [{ type: "json", value }])).toEqual(outcome);
  });

  test("is missing if the output is media, unknown or empty", () => {
    expect(questionOutcome(one, [{ type: "media", data: "", mediaType: "image/png" }])).toBeUndefined();
    expect(questionOutcome(one, [{ type: "unknown" }])).toBeUndefined();
    expect(questionOutcome(one, [])).toBeUndefined();
  });
});

describe("a question is recognised", () => {
  const asked = (input: unknown) =>
    questionOf({ id: "q", name: "ask_user", input, raw: {} } as ToolCall)?.questions;
  const which = { question: "Which?", options: [{ label: "Red" }, { label: "Blue" }], multiSelect: false };

  test.each<[string, unknown, unknown]>([
    ["in a list", { questions: [which, which] }, [which, which]],
    [
      "with options that are strings",
      { questions: [{ question: "Which?", options: ["Red", "Blue"] }] },
      [which],
    ],
    ["alone", { question: "Which?", options: ["Red", { label: "Blue" }] }, [which]],
    ["alone, beside a null list", { ...which, questions: null }, [which]],
    [
      "alone, without options",
      { question: "Name?" },
      [{ question: "Name?", options: [], multiSelect: false }],
    ],
    ["not if its text is a number", { question: 7 }, undefined],
    ["not if its options are a string", { question: "Which?", options: "Red" }, undefined],
    ["not if an option is a number", { questions: [{ question: "Which?", options: ["Red", 7] }] }, undefined],
    ["not in an empty list", { question: "Which?", questions: [] }, undefined],
    ["not if the input is a string", "Which?", undefined],
  ])("%s", (_, input, questions) => {
    expect(asked(input)).toEqual(questions);
  });
});
