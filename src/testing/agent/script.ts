// The types of a mock agent's script.
import { InvalidInputError } from "../../core/errors.ts";
import type { ConversationMessage } from "../../core/turn/conversation.ts";
import type { Cost, QuestionItem, ToolPreview, Usage } from "../../core/values.ts";
import type { ToolKind, ToolLocation } from "../../universal/events.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { MockAgentEvent, MockTurn } from "./events.ts";
import type { MockAgentPrompt } from "./record.ts";

/**
 * How prompts are answered: a function that returns the steps of one answer, or a list of replies. Each prompt takes
 * the next reply of the list. The last reply answers all further prompts. Steps are an array, a generator or an async
 * generator.
 *
 * @example
 * ```ts
 * agent.script(function* ({ text }) {
 *   yield `You said: ${text}. `;
 *   const { state } = yield* agentStep.tool({ name: "delete_file", input: { path: "a.txt" }, approval: true, output: "deleted" });
 *   yield state === "denied" ? "As you like." : "Done.";
 * });
 * ```
 */
export type MockAgentScript = ((prompt: MockPromptContext) => MockAgentSteps) | readonly MockAgentReply[];

/** One reply of a script's list. */
export type MockAgentReply = string | readonly MockAgentStep[];

/** The steps of one answer. In a generator, `yield` returns the value of the step. */
export type MockAgentSteps = StepSource<MockAgentStep, MockStepValue>;

/** A prompt, and the context for its script. */
interface MockPromptContext extends MockAgentPrompt {
  readonly turn: MockTurn;
  /** The earlier messages of the conversation. Empty for a prompt outside conversations. */
  readonly messages: readonly ConversationMessage[];
  /** Aborted when the answer is stopped. */
  readonly signal: AbortSignal;
}

/** The outcome of a tool call. */
export interface MockToolOutcome {
  readonly state: "done" | "failed" | "denied";
  /** The reason of a denial. */
  readonly reason?: string;
}

/** The selected labels of each question; `undefined` if there was no answer. */
export type MockAgentAnswers = readonly (readonly string[])[] | undefined;

/** The value of a step: the outcome of a tool, the answers to a question, otherwise undefined. */
export type MockStepValue = MockToolOutcome | MockAgentAnswers;

/** A scripted tool call. */
export interface MockTool {
  readonly name: string;
  /** @default {} */
  readonly input?: unknown;
  /** @default `call_1`, `call_2` and so on */
  readonly id?: string;
  /** The output. @default "" */
  readonly output?: unknown;
  /** Output deltas, streamed before `output`. Without `output`, the joined deltas are the output. */
  readonly streams?: readonly string[];
  /** The call fails with this message. */
  readonly error?: string;
  /** Whether the call needs an approval. @default false */
  readonly approval?: boolean;
  /** What a grant covers. Calls with the same text share a grant; "" allows no grant. @default the whole input */
  readonly grant?: string;
  /** The preview of the change, shown with the approval request. */
  readonly preview?: readonly ToolPreview[];
  /** A description of the call. */
  readonly title?: string;
  /** The kind of action, such as `edit`. */
  readonly kind?: ToolKind;
  /** The subject of the call. */
  readonly locations?: readonly ToolLocation[];
  /** The steps that follow a denial. */
  readonly denied?: (reason: string | undefined) => MockAgentSteps;
  /** The steps that run during the call. */
  readonly during?: readonly MockAgentStep[];
}

/** A question with one or more items. */
export interface MockQuestion {
  /** Items; a string is a free-text question. */
  readonly questions: readonly (string | (Pick<QuestionItem, "question"> & MockQuestionDetails))[];
  /** @default `question_1`, `question_2` and so on */
  readonly id?: string;
}

export interface MockQuestionDetails {
  readonly header?: string;
  /** Labels, or labels with a description. @default none: free text */
  readonly options?: readonly (string | QuestionItem["options"][number])[];
  /** @default false */
  readonly multiSelect?: boolean;
}

/** A scripted sub-agent. */
export interface MockSubagent {
  /** Such as `file-picker`. */
  readonly type: string;
  /** @default the type */
  readonly name?: string;
  /** The sub-agent's task. */
  readonly prompt?: string;
  readonly steps: MockAgentSteps;
  /** @default false */
  readonly fails?: boolean;
}

/** The fields of a failure. */
export interface MockFailure {
  /** The kind of the failure, such as `overloaded`. @default "error" */
  readonly kind?: string;
  /** @default false */
  readonly retryable?: boolean;
  /** An HTTP status. */
  readonly status?: number;
  /** The retry delay that the backend requests, in ms. */
  readonly retryAfter?: number;
  /** The account balance. */
  readonly balance?: number;
}

/** How a connection is lost. */
export interface MockLoss {
  /** @default "the link was cut" */
  readonly message?: string;
  /**
   * Whether reconnecting succeeds. `false`: all attempts fail until `agent.set({ refuseConnect: false })`, or until the
   * client gives up. @default true
   */
  readonly back?: boolean;
  /** The running turns become `recovering`, and continue after the reconnect. @default false: the turns fail */
  readonly recovers?: boolean;
  /** The backend loses its memory: `context-lost`. @default false */
  readonly forgets?: boolean;
  /** The client closes and does not reconnect. @default false */
  readonly forGood?: boolean;
}

/** How a text is split: into words, into a number of characters, or not at all. */
export type MockDeltas = number | "words" | "whole";

/** One step of an answer. A string is text; {@link agentStep} makes the other steps. */
export type MockAgentStep =
  | string
  | { readonly kind: "text" | "reasoning"; readonly text: string; readonly deltas: MockDeltas | undefined }
  | { readonly kind: "event"; readonly event: Exclude<MockAgentEvent, { readonly type: "finish" }> }
  | MockToolStep
  | MockQuestionStep
  | { readonly kind: "subagent"; readonly subagent: MockSubagent }
  | { readonly kind: "usage"; readonly usage?: Usage; readonly cost?: Cost }
  | { readonly kind: "fail"; readonly message: string; readonly failure: MockFailure }
  | { readonly kind: "wait"; readonly gate: string }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "lose"; readonly loss: MockLoss }
  | { readonly kind: "hang" };

export interface MockToolStep {
  readonly kind: "tool";
  readonly tool: MockTool;
  [Symbol.iterator](): Generator<MockAgentStep, MockToolOutcome, MockStepValue>;
}

export interface MockQuestionStep {
  readonly kind: "question";
  readonly items: readonly QuestionItem[];
  readonly id: string | undefined;
  /** The steps that follow the answer. */
  readonly then: ((answers: MockAgentAnswers) => MockAgentSteps) | undefined;
  [Symbol.iterator](): Generator<MockAgentStep, MockAgentAnswers, MockStepValue>;
}

/** The default script. */
export const echo: MockAgentScript = ({ text }) => [`You said: ${text}`];

/**
 * Returns the steps that answer a prompt.
 * @throws InvalidInputError for an empty list of replies
 */
export function stepsFor(script: MockAgentScript, prompt: MockPromptContext): MockAgentSteps {
  if (typeof script === "function") return script(prompt);
  const reply = script[Math.min(prompt.n, script.length) - 1];
  if (reply === undefined)
    throw new InvalidInputError(
      "the list of replies is empty.",
      'Pass one reply or more, such as ["Hello"].',
    );
  return typeof reply === "string" ? [reply] : reply;
}
