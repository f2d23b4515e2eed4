import { isObject } from "./client-options.ts";
import type { Question, QuestionItem } from "./question.ts";
import type { ToolCall } from "./tool-call.ts";

/** The tool by which an agent asks the user something, however it is spelt. */
export function isAskUser(name: string): boolean {
  return name.replace(/[-_]/g, "").toLowerCase() === "askuser";
}

/** What the agent wants to know; `undefined` when the input is no question. */
export function questionOf({ id, input, turnId, raw }: ToolCall): Question | undefined {
  const { questions } = isObject(input) ? input : {};
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
