// Pure: questions as a form of ACP, and what the user has filled in.
import type { ElicitationPropertySchema, ElicitationSchema } from "@agentclientprotocol/sdk";
import { fieldsOf } from "../core/checks.ts";
import type { UniversalQuestion } from "../universal/events.ts";

/** The field of free text beside the options of another field. */
const OTHER = "_custom";

const fieldName = (at: number): string => `question_${at + 1}`;

/** One field for each question, and a second one for words of the user's own beside options. */
export function formOf(questions: readonly UniversalQuestion[]): ElicitationSchema {
  const properties: Record<string, ElicitationPropertySchema> = {};
  const required: string[] = [];
  for (const [at, { question, header = question, options, multi_select }] of questions.entries()) {
    const name = fieldName(at);
    const words = { title: header, description: question };
    const choices = options.map(({ label, description }) => ({
      const: label,
      title: label,
      ...(description === undefined ? {} : { description }),
    }));
    if (choices.length === 0) {
      properties[name] = { type: "string", ...words };
      required.push(name);
      continue;
    }
    properties[name] = multi_select
      ? { type: "array", ...words, items: { anyOf: choices } }
      : { type: "string", ...words, oneOf: choices };
    properties[`${name}${OTHER}`] = {
      type: "string",
      title: "Other",
      description: "An answer in your own words",
    };
  }
  return { type: "object", properties, required };
}

/** The answer to each question. Null if the user declines, and if a question has no answer. */
export function answersIn(
  response: unknown,
  questions: readonly UniversalQuestion[],
): readonly (readonly string[])[] | null {
  const { action, content } = fieldsOf(response);
  if (action !== "accept") return null;
  const fields = fieldsOf(content);
  const answers = questions.map(({ multi_select, options }, at) => {
    const chosen = textsIn(fields[fieldName(at)]);
    const own = options.length === 0 ? [] : textsIn(fields[`${fieldName(at)}${OTHER}`]);
    if (own.length === 0) return chosen;
    return multi_select ? [...chosen, ...own] : own;
  });
  return answers.some((answer) => answer.length === 0) ? null : answers;
}

function textsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === "string" && each.trim() !== "");
}
