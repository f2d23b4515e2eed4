// The tool `ask_user` of Codebuff's agents: reads its questions, writes and reads its answers.
import { fieldsOf, isObject } from "../core/checks.ts";
import type { Answers, Question, QuestionItem, ToolCall } from "../core/values.ts";
import type { ToolOutput } from "./print-mode.ts";

/** Whether the tool asks the user a question. The tool's name has several spellings. */
export function isAskUser(name: string): boolean {
  return name.replace(/[-_]/g, "").toLowerCase() === "askuser";
}

/** The questions in a tool's input; `undefined` for any other input. */
export function questionOf({ id, input, turnId, raw }: ToolCall): Question | undefined {
  const { questions, question } = fieldsOf(input);
  // Older agents ask one question per call.
  const asked = typeof question === "string" && questions == null ? [input] : questions;
  const items = Array.isArray(asked) ? asked.map(itemOf) : [];
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
  if (typeof option === "string") return { label: option };
  if (!isObject(option)) return undefined;
  const { label, description } = option;
  if (typeof label !== "string" || !isTextOrNone(description)) return undefined;
  return description == null ? { label } : { label, description };
}

function isTextOrNone(value: unknown): value is string | null | undefined {
  return value == null || typeof value === "string";
}

/** How a question ended. */
export type QuestionOutcome =
  /** The selected labels and texts per question; an empty list for no answer. */
  | { readonly status: "answered"; readonly answers: readonly (readonly string[])[] }
  /** The user refused to answer. */
  | { readonly status: "skipped" }
  /** The agent could not ask the user. */
  | { readonly status: "unanswered"; readonly reason: string };

/** Reads the outcome from a tool's output; `undefined` if the output has none. */
export function questionOutcome(
  { questions }: Question,
  output: readonly (ToolOutput | { readonly type: "unknown" })[],
): QuestionOutcome | undefined {
  const [part] = output;
  if (part?.type !== "json") return undefined;
  const { value } = part;
  if (typeof value === "string") return answered(questions, [{ questionIndex: 0, otherText: value }]);
  if (!isObject(value)) return undefined;
  const { errorMessage, skipped, answers, response, answer } = value;
  if (typeof errorMessage === "string") return { status: "unanswered", reason: errorMessage };
  if (skipped === true) return { status: "skipped" };
  if (Array.isArray(answers)) return answered(questions, answers);
  const text = response ?? answer; // older agents: one question per call
  return typeof text === "string" ? answered(questions, [{ questionIndex: 0, otherText: text }]) : undefined;
}

/** Groups the answers by question. Drops answers that name no known question. */
function answered(questions: Question["questions"], given: readonly unknown[]): QuestionOutcome {
  const answers = questions.map((_, index) =>
    given.flatMap((each) => (isObject(each) && each["questionIndex"] === index ? selectedIn(each) : [])),
  );
  return { status: "answered", answers };
}

function selectedIn({
  selectedOption,
  selectedOptions,
  otherText,
}: Readonly<Record<string, unknown>>): string[] {
  const several: readonly unknown[] = Array.isArray(selectedOptions) ? selectedOptions : [];
  return [selectedOption, ...several, otherText].filter((text) => typeof text === "string");
}

export function answerOutput({ questions }: Question, answers: Answers): readonly ToolOutput[] {
  const value = answers
    ? { answers: questions.map((item, index) => answerTo(item, index, answers[index] ?? [])) }
    : { skipped: true };
  return [{ type: "json", value }];
}

/** Texts that match an option's label become selected options. Other texts become `otherText`. */
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
