// The records of the mock agent: prompts, decisions, answers, cancels.
import type { PromptFile } from "../../core/turn/prompt-files.ts";
import type { PromptImage } from "../../core/turn/prompt-input.ts";
import type { Reply, Ruling } from "../../core/values.ts";

/** A prompt that the backend received. */
export interface MockAgentPrompt {
  /** 1, 2, 3, ... in the order of arrival, across all clients of the agent. */
  readonly n: number;
  /** With the transcript in front, after `chat.resume("with-transcript")`. */
  readonly text: string;
  readonly images: readonly PromptImage[];
  /** The files that the prompt names. */
  readonly files: readonly PromptFile[];
  readonly turnId: string;
}

/** The outcome of an approval request. */
export interface MockAgentDecision extends Ruling {
  /** The id of the call. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  readonly turnId: string;
}

/** The outcome of a question. */
export interface MockAgentAnswer extends Reply {
  /** The id of the question. */
  readonly id: string;
  readonly turnId: string;
}

/** A turn that was stopped after the backend had received its prompt. */
export interface MockAgentCancel {
  readonly turnId: string;
  readonly by: "user" | "signal" | "timeout";
}
