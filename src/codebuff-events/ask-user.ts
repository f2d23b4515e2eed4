import { isObject } from "../core/checks.ts";
import type { Question, QuestionItem, ToolCall } from "../core/values.ts";
import type { ToolOutput } from "./print-mode.ts";

/** The tool by which an agent asks the user something, however it is spelt. */
export function isAskUser(name: string): boolean {
  return name.replace(/[-_]/g, "").toLowerCase() === "askuser";
}

/** What the agent wants to know; `undefined` when the input is no question. */
export function questionOf({ id, input, turnId, raw }: ToolCall): Question | undefined {
  const { questions, question } = isObject(input) ? input : {};
  // Earlier agents ask one thing at a time.
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

/** What became of a question, as the result of its tool tells it. */
export type QuestionOutcome =
  /** What was selected or written, per question; an empty list where nothing was. */
  | { readonly status: "answered"; readonly answers: readonly (readonly string[])[] }
  /** The user did not want to answer. */
  | { readonly status: "skipped" }
  /** Nobody could be asked. */
  | { readonly status: "unanswered"; readonly reason: string };

/** How a question was settled; `undefined` when the output does not say. */
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
  const text = response ?? answer; // as programs told it that asked one thing at a time
  return typeof text === "string" ? answered(questions, [{ questionIndex: 0, otherText: text }]) : undefined;
}

/** What is about none of the questions is left out. */
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
