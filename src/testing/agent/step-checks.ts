// Checks the steps of a script.
import {
  type Check,
  type Checks,
  checks,
  checkValues,
  describe,
  isObject,
  oneOf,
} from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { checkNames } from "../../core/names.ts";
import type { Usage } from "../../core/values.ts";
import type { StatusWords } from "../../universal/engine/status-words.ts";
import type { TranscriptChoice } from "../../universal/transcript/transcript.ts";
import { isDeltas } from "./options.ts";
import type {
  MockDeltas,
  MockFailure,
  MockLoss,
  MockQuestion,
  MockQuestionDetails,
  MockSubagent,
  MockTool,
} from "./script.ts";

const isNumber: Check = { expects: "a number", holds: (value) => typeof value === "number" };
const isStrings: Check = {
  expects: "an array of strings",
  holds: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};
const isSteps: Check = {
  expects: "an array, a generator or an async generator of steps",
  holds: (value) =>
    typeof value === "object" &&
    value !== null &&
    (Symbol.iterator in value || Symbol.asyncIterator in value),
};
const isAction = oneOf("read", "write", "patch");
const isOptions: Check = {
  expects: "an array of labels, each a string or { label, description }",
  holds: (value) =>
    Array.isArray(value) &&
    value.every((each: unknown) => typeof each === "string" || (isObject(each) && "label" in each)),
};

const isPreview: Check = {
  expects: 'an array of { path, diff, by: "tool" }',
  holds: (value) => Array.isArray(value) && value.every(isFilePreview),
};
const isSeverity = oneOf("info", "warning", "error");
const isStage = oneOf("started", "completed");

function isFilePreview(value: unknown): boolean {
  const { path, diff, by } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof path === "string" && typeof diff === "string" && (by === "tool" || by === "agent");
}

export const TOOL: Checks<MockTool> = {
  name: checks.string,
  input: checks.any,
  id: checks.string,
  output: checks.any,
  streams: isStrings,
  error: checks.string,
  approval: checks.boolean,
  grant: checks.string,
  preview: isPreview,
  title: checks.string,
  kind: checks.string,
  locations: checks.array,
  denied: checks.function,
  during: checks.array,
};
export const QUESTION: Checks<MockQuestion> = { questions: checks.array, id: checks.string };
export const ITEM: Checks<MockQuestionDetails & { readonly question: string }> = {
  question: checks.string,
  header: checks.string,
  options: isOptions,
  multiSelect: checks.boolean,
};
export const SUBAGENT: Checks<MockSubagent> = {
  type: checks.string,
  name: checks.string,
  prompt: checks.string,
  steps: isSteps,
  fails: checks.boolean,
};
export const DELTAS: Checks<{ readonly deltas?: MockDeltas }> = { deltas: isDeltas };
export const FILE: Checks<{ readonly action?: "read" | "write" | "patch"; readonly diff?: string }> = {
  action: isAction,
  diff: checks.string,
};
export const USAGE: Checks<Usage> = { inputTokens: isNumber, outputTokens: isNumber };
export const CONTEXT: Checks<StatusWords["context"]> = {
  used: isNumber,
  size: isNumber,
  cost: checks.any,
};
export const CHOICE: Checks<TranscriptChoice> = { current: checks.any, available: checks.array };
export const FAILURE: Checks<MockFailure> = {
  kind: checks.string,
  retryable: checks.boolean,
  status: isNumber,
  retryAfter: isNumber,
  balance: isNumber,
};
const LOSS: Checks<MockLoss> = {
  message: checks.string,
  back: checks.boolean,
  recovers: checks.boolean,
  forgets: checks.boolean,
  forGood: checks.boolean,
};

/**
 * Returns the fields of a step. The fields of `needed` are required.
 * @throws InvalidInputError that names the step and the unknown or invalid field
 */
export function checkedStep<Value extends object>(
  step: string,
  value: Value,
  table: Checks<Value>,
  ...needed: readonly (keyof Value & string)[]
): Value {
  checkAll(`agentStep.${step}: the fields are`, value, table, `agentStep.${step}: field`);
  for (const name of needed)
    if (value[name] === undefined)
      throw new InvalidInputError(
        `agentStep.${step}: field \`${name}\` is missing.`,
        `It must be ${table[name].expects}.`,
      );
  return value;
}

/** Checks positional arguments of a step. */
export function checkArguments(step: string, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    const { expects, holds } = ARGUMENTS[name] ?? checks.string;
    if (holds(value) || (value === null && NULLABLE.has(name))) continue;
    throw new InvalidInputError(
      `agentStep.${step}: \`${name}\` is ${describe(value)}.`,
      `It must be ${expects}.`,
    );
  }
}

/** The expected types of arguments that are not strings. */
const ARGUMENTS: Readonly<Record<string, Check>> = {
  ms: checks.delay,
  amount: isNumber,
  then: checks.function,
  entries: checks.array,
  available: checks.array,
  severity: isSeverity,
  state: isStage,
};
const NULLABLE: ReadonlySet<string> = new Set(["detail", "mime"]);

/** Checks how a connection is lost. @throws InvalidInputError */
export function checkedLoss(loss: MockLoss): MockLoss {
  checkAll("the loss is", loss, LOSS, "field of the loss");
  return loss;
}

/** @throws InvalidInputError for a value that is not an object, and for the first unknown or invalid field */
function checkAll<Value extends object>(
  subject: string,
  value: Value,
  table: Checks<Value>,
  what: string,
): void {
  if (!isObject(value as unknown))
    throw new InvalidInputError(
      `${subject} ${describe(value)}.`,
      `These exist: ${Object.keys(table).join(", ")}.`,
    );
  checkNames(value, table, what);
  checkValues(value, table, what);
}
