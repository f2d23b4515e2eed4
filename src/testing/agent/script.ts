// The language of scripts for the mock agent, as types.
import { InvalidInputError } from "../../core/errors.ts";
import type { ConversationMessage } from "../../core/turn/conversation.ts";
import type { Cost, QuestionItem, ToolPreview, Usage } from "../../core/values.ts";
import type { ToolKind, ToolLocation } from "../../universal/events.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { MockAgentEvent, MockTurn } from "./events.ts";
import type { MockAgentPrompt } from "./record.ts";

/**
 * How prompts are answered: a function that returns the steps of one answer, or a list of replies. The first prompt gets the first
 * reply; the last reply answers all further prompts. Steps are an array, a generator or an async generator.
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

/** One reply of a list. */
export type MockAgentReply = string | readonly MockAgentStep[];

/** The steps of one answer. A generator is told the value of each step that it has yielded. */
export type MockAgentSteps = StepSource<MockAgentStep, MockStepValue>;

/** A prompt, and what its script may need. */
export interface MockPromptContext extends MockAgentPrompt {
  readonly turn: MockTurn;
  /** What was said before in the conversation of the prompt. Empty outside of conversations. */
  readonly messages: readonly ConversationMessage[];
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** What became of a tool call. */
export interface MockToolOutcome {
  readonly state: "done" | "failed" | "denied";
  /** The reason of a denial. */
  readonly reason?: string;
}

/** The selected labels for each question; `undefined` without an answer. */
export type MockAgentAnswers = readonly (readonly string[])[] | undefined;

/** The value of a step: of a tool, its outcome; of a question, its answers; otherwise undefined. */
export type MockStepValue = MockToolOutcome | MockAgentAnswers;

/** A tool call. It runs by itself. */
export interface MockTool {
  readonly name: string;
  /** @default {} */
  readonly input?: unknown;
  /** @default `call_1`, `call_2` and so on */
  readonly id?: string;
  /** The output. @default "" */
  readonly output?: unknown;
  /** Output that streams before `output`. Without `output` these pieces together are the output. */
  readonly streams?: readonly string[];
  /** The call fails with these words. */
  readonly error?: string;
  /** Whether the user is asked first. @default false */
  readonly approval?: boolean;
  /** What a grant of the call covers, in words. Calls of the tool with the same words share a grant; with "" it gets none. @default the whole input */
  readonly grant?: string;
  /** What the approval says that the call would change. */
  readonly preview?: readonly ToolPreview[];
  /** What the call does, in words. */
  readonly title?: string;
  /** What the tool does, such as `edit`. */
  readonly kind?: ToolKind;
  /** What the call is about. */
  readonly locations?: readonly ToolLocation[];
  /** The steps behind a denial. */
  readonly denied?: (reason: string | undefined) => MockAgentSteps;
  /** The steps while the call runs. */
  readonly during?: readonly MockAgentStep[];
}

/** A question of one or more items. */
export interface MockQuestion {
  /** Items, or words alone for free text. */
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

/** An agent that works for the agent. */
export interface MockSubagent {
  /** Such as `file-picker`. */
  readonly type: string;
  /** @default the type */
  readonly name?: string;
  /** What the sub-agent is to do. */
  readonly prompt?: string;
  readonly steps: MockAgentSteps;
  /** @default false */
  readonly fails?: boolean;
}

/** The fields of a failure that ends a turn. */
export interface MockFailure {
  /** The name of the failure, such as `overloaded`. @default "error" */
  readonly kind?: string;
  /** @default false */
  readonly retryable?: boolean;
  /** An HTTP status. */
  readonly status?: number;
  /** The wait that the backend asks for, in ms. */
  readonly retryAfter?: number;
  /** The balance of the account. */
  readonly balance?: number;
}

/** How a link is lost. */
export interface MockLoss {
  /** @default "the link was cut" */
  readonly message?: string;
  /**
   * Whether the client finds the backend again. `false`: each attempt to reconnect fails until `agent.set({ refuseConnect: false })`, or
   * until the client gives up. @default true
   */
  readonly back?: boolean;
  /** The turns under way are `recovering`. Their scripts go on when the client is back. @default false: the turns fail */
  readonly recovers?: boolean;
  /** The backend has forgotten everything: `context-lost`. @default false */
  readonly forgets?: boolean;
  /** The client does not come back: it is closed. @default false */
  readonly forGood?: boolean;
}

/** The shared field of all text: pieces, or the number of characters of a piece. */
export type MockDeltas = number | "words" | "whole";

/** One step of an answer: a string is text, the others are made by {@link agentStep}. */
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
  /** The steps behind the answer. */
  readonly then: ((answers: MockAgentAnswers) => MockAgentSteps) | undefined;
  [Symbol.iterator](): Generator<MockAgentStep, MockAgentAnswers, MockStepValue>;
}

/** The answer of an agent without a script. */
export const echo: MockAgentScript = ({ text }) => [`You said: ${text}`];

/**
 * The steps of the answer to a prompt.
 * @throws InvalidInputError for a list without replies
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
