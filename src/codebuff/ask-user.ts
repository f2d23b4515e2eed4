import type { ToolOutput } from "../codebuff-events/print-mode.ts";
import { isUsersWord } from "../core/gate/decision.ts";
import type { Gate } from "../core/gate/gate.ts";
import type { Answers, Question, QuestionItem } from "../core/values.ts";
import type { Job } from "./task.ts";

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
