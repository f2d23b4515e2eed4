// The types of messages and parts, for user interfaces.
import type { GrantScope, ToolCallState } from "../../core/values.ts";
import type {
  ContentPart,
  ErrorData,
  PermissionStatus,
  QuestionData,
  ReasoningPart,
  ResolvedReason,
  StatusPart,
  TextPart,
  ToolCallPart,
  ToolKind,
  ToolPreview,
  TurnEndMetadata,
} from "../events.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import type { List } from "./list.ts";

/** Text of the user or of an agent. */
export interface ChatTextPart extends TextPart {
  readonly id: string;
  /** Whether more text may follow. */
  readonly open: boolean;
}

export interface ChatReasoningPart extends ReasoningPart {
  readonly id: string;
  readonly open: boolean;
}

/** The decision on a tool call. */
export interface ChatApproval {
  /** For `chat.decide`. */
  readonly id: string;
  readonly status: PermissionStatus;
  readonly reason?: ResolvedReason;
  /** How long an approval holds. */
  readonly scope?: GrantScope;
}

/** A tool call, with its decision and its output. */
export interface ChatToolPart extends Pick<ToolCallPart, "name" | "title" | "locations"> {
  readonly type: "tool";
  readonly id: string;
  readonly callId: string;
  /** The parsed arguments, or the text if it is not JSON. */
  readonly input: unknown;
  readonly state: ToolCallState;
  readonly kind?: ToolKind;
  readonly approval?: ChatApproval;
  /** The changes that the call would make, if known before it runs. */
  readonly preview?: readonly ToolPreview[];
  /** The output so far. At the end, the whole output; of a failed or denied call, the error or the reason. */
  readonly output: string;
  /** The result's content besides text: JSON, images, files. */
  readonly content: readonly ContentPart[];
}

/** A question of an agent. */
export interface ChatQuestionPart
  extends Pick<QuestionData, "status" | "reason">,
    Required<Pick<QuestionData, "questions" | "answers">> {
  readonly type: "question";
  /** For `chat.answer`. */
  readonly id: string;
}

/** A file or an image, of the user or of an agent. */
export interface ChatFilePart {
  readonly type: "file";
  readonly id: string;
  /** A path, a URL or a `data:` URL. */
  readonly path: string;
  readonly mediaType: string | null;
  readonly action?: "read" | "write" | "patch";
  /** A unified diff. */
  readonly diff?: string;
}

/** How serious a notice is. */
export type NoticeSeverity = "info" | "warning" | "error";

/**
 * Progress, such as `thinking` or `retrying`; a `notice` of the backend; a `compaction` of the history. A label with a
 * dot, such as `codebuff.usage`, is a word of one backend: show only its `detail`.
 */
export interface ChatStatusPart extends StatusPart {
  readonly id: string;
  /** Further data of the status, such as memories. */
  readonly json?: unknown;
  /** Only for a `notice`. */
  readonly severity?: NoticeSeverity;
  /** Set if the reported operation has failed, such as a download. */
  readonly failed?: true;
}

/** A sub-agent. */
export interface ChatSubagentPart {
  readonly type: "subagent";
  readonly id: string;
  /** The type of the agent, such as `file-picker`. */
  readonly agentType: string;
  /** The display name. */
  readonly name: string;
  /** The sub-agent's task, up to 2,000 characters. */
  readonly prompt?: string;
  readonly state: "running" | "done" | "failed";
  readonly parts: List<ChatPart>;
}

/** A message of an unknown type, or structured data of an answer. */
export interface ChatDataPart {
  readonly type: "data";
  readonly id: string;
  readonly json: unknown;
  /** The data accompanies an answer in words, such as gestures. A UI need not show it. */
  readonly extra?: true;
}

/** An error that did not end the turn. */
export interface ChatErrorPart extends Pick<ErrorData, "message" | "code"> {
  readonly type: "error";
  readonly id: string;
}

export type ChatPart =
  | ChatTextPart
  | ChatReasoningPart
  | ChatToolPart
  | ChatQuestionPart
  | ChatFilePart
  | ChatStatusPart
  | ChatSubagentPart
  | ChatDataPart
  | ChatErrorPart;

/** Messages of which one is shown: the answers to one prompt, or a prompt and its edited versions. */
export interface ChatBranches {
  /** The number of this message, from 1. */
  readonly at: number;
  readonly of: number;
  /** Oldest first. For `chat.selectBranch`. */
  readonly ids: readonly string[];
}

/** A prompt, the answer of one turn, or a system message between turns. */
export interface ChatMessage extends Pick<TurnEndMetadata, "usage" | "cost" | "model"> {
  /** Unique in the chat, also after the chat is restored. */
  readonly id: string;
  readonly role: "user" | "assistant" | "system";
  /** The turn of the prompt or answer. */
  readonly turnId?: string;
  /** `queued`, `sent`: prompts. `open`: an unfinished answer. `recovering`: its connection was lost. */
  readonly status: "queued" | "sent" | "open" | "recovering" | "completed" | "cancelled" | "failed";
  /** In the order of arrival. */
  readonly parts: List<ChatPart>;
  /** The other branches in this place. Absent if there are none. */
  readonly branches?: ChatBranches;
  /** Why the turn failed, or an error between turns, in words for the user. */
  readonly error?: ErrorDescription;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly endedAt?: number;
}
