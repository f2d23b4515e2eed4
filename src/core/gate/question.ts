import { InvalidInputError } from "../errors.ts";
import type { Answers, Question } from "../values.ts";

/** @throws InvalidInputError for what is no answer to these questions. */
export function readAnswer({ questions }: Question, answer: unknown): Answers {
  if (answer === null) return undefined;
  const answers = listsOf(answer, questions.length);
  if (answers?.length === questions.length) return answers;
  throw new InvalidInputError(
    `the answer does not fit ${questions.length} question${questions.length === 1 ? "" : "s"}.`,
    "Give a list of strings for each question, a string for an only one, or null to refuse.",
  );
}

function listsOf(answer: unknown, questions: number): Answers {
  if (typeof answer === "string") return [[answer]];
  const texts = stringsOf(answer);
  if (texts) return questions === 1 ? [texts] : texts.map((text) => [text]);
  if (!Array.isArray(answer)) return undefined;
  const lists = Array.from(answer, stringsOf);
  return lists.every((list) => list !== undefined) ? lists : undefined;
}

/** A copy, which nobody can change any more; one that shows the holes of a sparse list, which `every` does not see. */
function stringsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: unknown[] = Array.from(value);
  return items.every((item) => typeof item === "string") ? items : undefined;
}
