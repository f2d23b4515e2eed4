// The types of a UI message that holds an agent's answer: its metadata and its data parts.
import type { UIMessage, UIMessageChunk } from "ai";
import type { FileRefPart, ToolPreview, UniversalCost, UniversalQuestion } from "../universal/events.ts";
import type { NoticeSeverity } from "../universal/transcript/message.ts";
import type {
  PlanEntry,
  TranscriptChoice,
  TranscriptCommand,
  TranscriptContext,
} from "../universal/transcript/transcript.ts";

/** The metadata of an answer. Grows while the answer streams. */
export interface AgentwireMetadata {
  /** The id of the prompt in the chat. */
  readonly promptId?: string;
  /** The id of the chat's message that this answer replaces. */
  readonly branchOf?: string;
  /** Set at the end. */
  readonly status?: "completed" | "failed" | "cancelled";
  readonly stopReason?: string;
  readonly model?: string;
  /** Tokens of the turn, in the AI SDK's words. */
  readonly usage?: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly totalTokens?: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
  };
  /** How many tokens of the model's context are used, and how many there are. */
  readonly context?: TranscriptContext;
  readonly cost?: UniversalCost;
}

/** The data parts of an answer: `data-plan` has the data of `plan`. */
export type AgentwireData = {
  /** A sub-agent, with all of its text so far. */
  readonly subagent: {
    readonly type: string;
    readonly name: string;
    readonly prompt?: string;
    readonly status: "running" | "done" | "failed";
    readonly text: string;
  };
  /** The agent's newest plan. */
  readonly plan: { readonly entries: readonly PlanEntry[] };
  /** A message of the backend to the user. */
  readonly notice: { readonly severity: NoticeSeverity; readonly text: string };
  readonly compaction: { readonly state: "started" | "completed"; readonly summary?: string };
  readonly title: { readonly title: string };
  /** A file that the agent names by its path. */
  readonly file: Pick<FileRefPart, "path" | "action" | "diff">;
  /** Transient: progress, or a message of the system. */
  readonly status: {
    readonly label: string;
    readonly detail: string | null;
    readonly json?: unknown;
    readonly failed?: true;
  };
  /** Transient: an error that did not end the turn. */
  readonly error: { readonly message: string; readonly code: string | null };
  /** Transient, like `model` and `commands`: what the user can choose from. */
  readonly mode: TranscriptChoice;
  readonly model: TranscriptChoice;
  readonly commands: { readonly available: readonly TranscriptCommand[] };
};

/** A message of `useChat` whose answers come from Agentwire: `useChat<AgentwireUIMessage>({ transport })`. */
export type AgentwireUIMessage = UIMessage<AgentwireMetadata, AgentwireData>;

/** What the approval of a tool part has as its `descriptor`. */
export interface AgentwireApproval {
  /** What the call would change. */
  readonly preview?: readonly ToolPreview[];
  /** The calls that a lasting decision would cover, in words. */
  readonly grant?: string;
  /** The name of the sub-agent that asks. */
  readonly agent?: string;
}

/** The input of the tool part `ask_user`, by which an agent asks the user. */
export interface AskUserInput {
  readonly questions: readonly UniversalQuestion[];
}

export type Chunk = UIMessageChunk<AgentwireMetadata, AgentwireData>;

/** Takes the chunks of a stream, in order. */
export interface ChunkSink {
  put(chunk: Chunk): void;
  /** Begins a step before new content, unless one is open. */
  step(): void;
  /** An id of the session, unique over all sessions. */
  key(id: string): string;
}
