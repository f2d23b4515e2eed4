// Checks the steps of a script.
import type { Usage } from "../../core/values.ts";
import type { StatusWords } from "../../universal/engine/status-words.ts";
import type { TranscriptChoice } from "../../universal/transcript/transcript.ts";
import { InvalidMockInput, type NamesOf } from "../names.ts";
import { type Check, checkValues, isAnything, isDelay, isDeltas, isFlag, isObject } from "./checks.ts";
import type { MockFailure } from "./errors.ts";
import type {
  MockDeltas,
  MockLoss,
  MockQuestion,
  MockQuestionDetails,
  MockSubagent,
  MockTool,
} from "./script.ts";

const isString: Check = ["a string", (value) => typeof value === "string"];
const isNumber: Check = ["a number", (value) => typeof value === "number"];
const isFunction: Check = ["a function", (value) => typeof value === "function"];
const isStrings: Check = [
  "an array of strings",
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
];
const isArray: Check = ["an array", (value) => Array.isArray(value)];
const isSteps: Check = [
  "an array, a generator or an async generator of steps",
  (value) => isObjectOrArray(value) && (Symbol.iterator in value || Symbol.asyncIterator in value),
];
const isAction: Check = [
  '"read", "write" or "patch"',
  (value) => value === "read" || value === "write" || value === "patch",
];
const isOptions: Check = [
  "an array of labels, each a string or { label, description }",
  (value) =>
    Array.isArray(value) &&
    value.every((each: unknown) => typeof each === "string" || (isObject(each) && "label" in each)),
];

const isPreview: Check = [
  'an array of { path, diff, by: "tool" }',
  (value) => Array.isArray(value) && value.every(isFilePreview),
];
const isSeverity: Check = [
  '"info", "warning" or "error"',
  (value) => value === "info" || value === "warning" || value === "error",
];
const isStage: Check = ['"started" or "completed"', (value) => value === "started" || value === "completed"];

function isFilePreview(value: unknown): boolean {
  const { path, diff, by } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof path === "string" && typeof diff === "string" && (by === "tool" || by === "agent");
}

function isObjectOrArray(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

type Fields<Value> = NamesOf<Value> & Readonly<Record<string, Check>>;

export const TOOL: Fields<MockTool> = {
  name: isString,
  input: isAnything,
  id: isString,
  output: isAnything,
  streams: isStrings,
  error: isString,
  approval: isFlag,
  grant: isString,
  preview: isPreview,
  title: isString,
  kind: isString,
  locations: isArray,
  denied: isFunction,
  during: isArray,
};
export const QUESTION: Fields<MockQuestion> = { questions: isArray, id: isString };
export const ITEM: Fields<MockQuestionDetails & { readonly question: string }> = {
  question: isString,
  header: isString,
  options: isOptions,
  multiSelect: isFlag,
};
export const SUBAGENT: Fields<MockSubagent> = {
  type: isString,
  name: isString,
  prompt: isString,
  steps: isSteps,
  fails: isFlag,
};
export const DELTAS: Fields<{ readonly deltas?: MockDeltas }> = { deltas: isDeltas };
export const FILE: Fields<{ readonly action?: "read" | "write" | "patch"; readonly diff?: string }> = {
  action: isAction,
  diff: isString,
};
export const USAGE: Fields<Usage> = { inputTokens: isNumber, outputTokens: isNumber };
export const CONTEXT: Fields<StatusWords["context"]> = {
  used: isNumber,
  size: isNumber,
  cost: isAnything,
};
export const CHOICE: Fields<TranscriptChoice> = { current: isAnything, available: isArray };
export const FAILURE: Fields<MockFailure> = {
  kind: isString,
  retryable: isFlag,
  status: isNumber,
  retryAfter: isNumber,
  balance: isNumber,
};
const LOSS: Fields<MockLoss> = {
  message: isString,
  back: isFlag,
  recovers: isFlag,
  forgets: isFlag,
  forGood: isFlag,
};

/**
 * The fields of a step, if all exist and hold what they must. A field of `needed` must be there.
 * @throws InvalidMockInput that names the step and the field
 */
export function checkedStep<Value extends object>(
  step: string,
  value: Value,
  table: Fields<Value>,
  ...needed: readonly (keyof Value & string)[]
): Value {
  if (!isObject(value as unknown))
    throw new InvalidMockInput(
      `agentStep.${step}: the fields are no object.`,
      `These exist: ${Object.keys(table).join(", ")}.`,
    );
  checkValues(value, table, `agentStep.${step}: field`);
  for (const name of needed) {
    const [expects] = table[name] as Check;
    if (value[name] === undefined)
      throw new InvalidMockInput(
        `agentStep.${step}: field \`${name}\` is missing.`,
        `It must be ${expects}.`,
      );
  }
  return value;
}

/** Checks the arguments of a step that are no object of fields, by their names. */
export function checkArguments(step: string, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    const [expects, holds] = ARGUMENTS[name] ?? isString;
    if (value === null && NULLABLE.has(name)) continue;
    if (!holds(value))
      throw new InvalidMockInput(`agentStep.${step}: \`${name}\` is wrong.`, `It must be ${expects}.`);
  }
}

/** Arguments that are no strings. */
const ARGUMENTS: Readonly<Record<string, Check>> = {
  ms: isDelay,
  amount: isNumber,
  then: isFunction,
  entries: isArray,
  available: isArray,
  severity: isSeverity,
  state: isStage,
};
const NULLABLE: ReadonlySet<string> = new Set(["detail", "mime"]);

/** How a link is lost. @throws InvalidMockInput */
export function checkedLoss(loss: MockLoss): MockLoss {
  if (!isObject(loss as unknown))
    throw new InvalidMockInput(
      "the loss is no object.",
      `These fields exist: ${Object.keys(LOSS).join(", ")}.`,
    );
  checkValues(loss, LOSS, "field of the loss");
  return loss;
}
