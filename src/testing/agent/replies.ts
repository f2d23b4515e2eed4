import type { Answers, Question, Ruling } from "../../core/values.ts";
import { checkNames, InvalidMockInput } from "../names.ts";
import { isObject } from "./checks.ts";

/** @throws InvalidInputError for a value that is no decision */
export function readDecision(value: unknown): Pick<Ruling, "decision" | "reason"> {
  if (value === true) return { decision: "once" };
  if (value === false) return { decision: "reject" };
  const [decision, reason] = isObject(value) ? fieldsOf(value) : [value, undefined];
  const isKnown = decision === "once" || decision === "always" || decision === "reject";
  if (isKnown && reason === undefined) return { decision };
  if (isKnown && typeof reason === "string") return { decision, reason };
  throw new InvalidMockInput(
    "that is no decision on a tool call.",
    'Give true, false, "once", "always", "reject", or { decision, reason }.',
  );
}

function fieldsOf(value: object): readonly [decision: unknown, reason: unknown] {
  checkNames(value, { decision: true, reason: true }, "decision field");
  return [Reflect.get(value, "decision"), Reflect.get(value, "reason")];
}

/** @throws InvalidInputError for a value that does not answer these questions */
export function readAnswer({ questions }: Question, answer: unknown): Answers {
  if (answer === null) return undefined;
  const lists = listsOf(answer, questions.length);
  if (lists?.length === questions.length) return lists;
  throw new InvalidMockInput(
    `the answer does not fit ${questions.length} question${questions.length === 1 ? "" : "s"}.`,
    "Give a list of strings for each question, a string for an only one, or null to refuse.",
  );
}

function listsOf(answer: unknown, questions: number): Answers {
  if (typeof answer === "string") return [[answer]];
  if (!Array.isArray(answer)) return undefined;
  const items: readonly unknown[] = answer;
  if (areStrings(items)) return questions === 1 ? [items] : items.map((item) => [item]);
  const lists: (readonly string[])[] = [];
  for (const item of items) {
    if (!Array.isArray(item) || !areStrings(item)) return undefined;
    lists.push(item);
  }
  return lists;
}

function areStrings(items: readonly unknown[]): items is readonly string[] {
  return items.every((item) => typeof item === "string");
}
