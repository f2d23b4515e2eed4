import type { ToolOutput } from "../codebuff-events/print-mode.ts";
import { isUsersWord } from "../core/gate/decision.ts";
import type { Gate } from "../core/gate/gate.ts";
import type { Answers, Question, QuestionItem } from "../core/values.ts";
import type { ToolCallRequest } from "./extensions.ts";
import type { CodebuffToolCall } from "./handlers.ts";
import type { Named } from "./known-prompts.ts";
import type { Job } from "./task.ts";

/** ms that a tool gets when neither the request nor its input says. */
const TOOL_TIMEOUT = 30_000;

/** ms that a tool gets on top to report its own time-out: the server gives up 5 s after the limit. */
const TOOL_GRACE = 4_000;

/** A call in the form that handlers, rules and approvals get, whichever of the two shapes it came in. */
export function toolCallOf(raw: ToolCallRequest, id: string, turnId: string | undefined): CodebuffToolCall {
  const { toolName: name, input, toolArgs, mcpConfig } = raw;
  return {
    id,
    name,
    input: input ?? toolArgs ?? {},
    ...(turnId === undefined ? {} : { turnId }),
    ...(mcpConfig ? { mcpConfig } : {}),
    raw,
  };
}

/** Why a tool is not run, by the standing of its prompt. Tools run only for a prompt under way. */
export const REFUSED: { readonly [standing in Named["standing"]]?: string } = {
  completed: "the prompt has ended",
  other: "the prompt was cancelled or has failed",
  silent: "the prompt has failed",
  unknown: "this client has sent no such prompt",
  unsent: "this client has sent no such prompt",
};

/** What the server is told of a call that came to nothing. */
export function toolError(requestId: string, errorMessage: string): object {
  return { requestId, output: [{ type: "json", value: { errorMessage } }] };
}

/** ms until the answer is needed, 0 for no limit. */
export function toolTimeout({ input, raw: { timeout } }: CodebuffToolCall): number {
  const asked = input["timeout_seconds"];
  const limit = timeout ?? (typeof asked === "number" ? asked * 1_000 : TOOL_TIMEOUT);
  return limit < 0 ? 0 : limit + TOOL_GRACE;
}

/** Asks the user. The answers are the output of the tool. */
export function asking(gate: Gate, question: Question): Job<readonly ToolOutput[]>["ask"] {
  return (task, turn) =>
    gate.askQuestion(question, {
      turn,
      answered: ({ answers, by, reason = by }) => {
        // A user who refuses to answer has answered; a time-out is a failure.
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
