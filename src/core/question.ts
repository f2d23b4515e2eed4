import { InvalidInputError } from "./errors.ts";

/** One thing that an agent wants to know. */
export interface QuestionItem {
  readonly question: string;
  /** A few words that name it. */
  readonly header?: string;
  /** What to choose from; anything else is an answer too. */
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
}

/** What an agent asks the user, perhaps several things at once. */
export interface Question {
  /** Unique for the life of the client; what `client.reply` takes. */
  readonly id: string;
  readonly questions: readonly QuestionItem[];
  /** The turn it belongs to, where the server says so. */
  readonly turnId?: string;
  /** The message as it came. */
  readonly raw: unknown;
}

/**
 * The answers: labels of options, or free text.
 *
 * - a string: to the only question
 * - a list of strings: one per question; to an only question, all that was selected
 * - a list of lists: what was selected, per question
 * - `null`: the user does not want to answer
 */
export type Answer = string | readonly string[] | readonly (readonly string[])[] | null;

/** What was selected per question; `undefined` when the user did not want to answer. */
export type Answers = readonly (readonly string[])[] | undefined;

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
