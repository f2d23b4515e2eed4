import type { Gate } from "../core/approvals.ts";
import { isObject } from "../core/client-options.ts";
import { isUsersWord } from "../core/decision.ts";
import type { Answers, Question, QuestionItem } from "../core/question.ts";
import type { ToolOutput } from "./extensions.ts";
import type { CodebuffToolCall } from "./handlers.ts";
import type { Job } from "./task.ts";

/** The tool by which an agent asks the user something, however it is spelt. */
export function isAskUser(name: string): boolean {
  return name.replace(/[-_]/g, "").toLowerCase() === "askuser";
}

/** What the agent wants to know; `undefined` when the input is no question. */
export function questionOf({ id, input, turnId, raw }: CodebuffToolCall): Question | undefined {
  const { questions } = input;
  const items = Array.isArray(questions) ? questions.map(itemOf) : [];
  if (items.length === 0 || !items.every((item) => item !== undefined)) return undefined;
  return { id, questions: items, ...(turnId === undefined ? {} : { turnId }), raw };
}

function itemOf(item: unknown): QuestionItem | undefined {
  if (!isObject(item)) return undefined;
  const { question, header, options, multiSelect } = item;
  const read = options == null ? [] : Array.isArray(options) ? options.map(optionOf) : [undefined];
  if (typeof question !== "string" || !isTextOrNone(header)) return undefined;
  if (multiSelect != null && typeof multiSelect !== "boolean") return undefined;
  if (!read.every((option) => option !== undefined)) return undefined;
  return {
    question,
    ...(header == null ? {} : { header }),
    options: read,
    multiSelect: multiSelect ?? false,
  };
}

function optionOf(option: unknown): QuestionItem["options"][number] | undefined {
  if (!isObject(option)) return undefined;
  const { label, description } = option;
  if (typeof label !== "string" || !isTextOrNone(description)) return undefined;
  return description == null ? { label } : { label, description };
}

function isTextOrNone(value: unknown): value is string | null | undefined {
  return value == null || typeof value === "string";
}

/** Has the user asked: what was answered is the tool's output. */
export function asking(gate: Gate, question: Question): Job<readonly ToolOutput[]>["ask"] {
  return (task, turn) =>
    gate.askQuestion(question, {
      turn,
      answered: ({ answers, by, reason = by }) => {
        // To be told that the user does not want to answer is an answer; that nobody was there is none.
        if (answers || isUsersWord(by)) task.finish(outputOf(question, answers));
        else task.fail(by, `the question was not answered: ${reason}`);
      },
    });
}

/** The answers as `ask_user` gives them. */
function outputOf({ questions }: Question, answers: Answers): readonly ToolOutput[] {
  const value = answers
    ? { answers: questions.map((item, index) => answerTo(item, index, answers[index] ?? [])) }
    : { skipped: true };
  return [{ type: "json", value }];
}

/** Labels of options are selected, anything else is the user's own text. */
function answerTo({ options, multiSelect }: QuestionItem, questionIndex: number, given: readonly string[]) {
  const labels = new Set(options.map(({ label }) => label));
  const selected = given.filter((text) => labels.has(text));
  const other = given.filter((text) => !labels.has(text));
  const [selectedOption] = selected;
  return {
    questionIndex,
    ...(multiSelect || selected.length > 1
      ? { selectedOptions: selected }
      : selectedOption === undefined
        ? {}
        : { selectedOption }),
    ...(other.length === 0 ? {} : { otherText: other.join("\n") }),
  };
}
