// The messages and parts of a chat, as types for interfaces.
import type { GrantScope, ToolCallState } from "../../core/values.ts";
import type {
  Annotation,
  ContentPart,
  PermissionStatus,
  ResolvedReason,
  ToolKind,
  ToolLocation,
  ToolPreview,
  UniversalAnswer,
  UniversalCost,
  UniversalQuestion,
  UniversalUsage,
  Visibility,
} from "../events.ts";
import type { ErrorDescription } from "../words/error-description.ts";
import type { List } from "./list.ts";

/** Text of the user or of an agent. */
export interface ChatTextPart {
  readonly type: "text";
  readonly id: string;
  readonly text: string;
  /** Whether more may follow. */
  readonly open: boolean;
  /** The sources of the text. */
  readonly annotations?: readonly Annotation[];
}

export interface ChatReasoningPart {
  readonly type: "reasoning";
  readonly id: string;
  readonly text: string;
  readonly visibility: Visibility;
  readonly open: boolean;
}

/** The decision on a tool call. */
export interface ChatApproval {
  /** Goes to `chat.decide`. */
  readonly id: string;
  readonly status: PermissionStatus;
  readonly reason?: ResolvedReason;
  /** How long an approval holds. */
  readonly scope?: GrantScope;
}

/** A tool call, with its decision and its output. */
export interface ChatToolPart {
  readonly type: "tool";
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  /** The parsed arguments. The text itself, if it is no JSON. */
  readonly input: unknown;
  readonly state: ToolCallState;
  /** What the call does, in words of the backend. */
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly locations?: readonly ToolLocation[];
  readonly approval?: ChatApproval;
  /** What the call would change, as far as it can be told before it runs. */
  readonly preview?: readonly ToolPreview[];
  /** The output so far; in the end the whole output. */
  readonly output: string;
  /** What the result holds besides its text: JSON, images, files. */
  readonly content: readonly ContentPart[];
}

/** A question of an agent. */
export interface ChatQuestionPart {
  readonly type: "question";
  /** Goes to `chat.answer`. */
  readonly id: string;
  readonly questions: readonly UniversalQuestion[];
  readonly status: "requested" | "answered" | "rejected";
  readonly answers: readonly UniversalAnswer[];
  readonly reason?: ResolvedReason;
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

/** Progress, such as `thinking` or `retrying`; a `notice` of the backend; a `compaction` of the history. */
export interface ChatStatusPart {
  readonly type: "status";
  readonly id: string;
  readonly label: string;
  readonly detail: string | null;
  /** What else the status holds, such as memories. */
  readonly json?: unknown;
  /** Of a `notice`. */
  readonly severity?: NoticeSeverity;
  /** What the status tells has failed, such as a download. */
  readonly failed?: true;
}

/** An agent that works for the agent. */
export interface ChatSubagentPart {
  readonly type: "subagent";
  readonly id: string;
  /** The type of the agent, such as `file-picker`. */
  readonly agentType: string;
  /** The name to show. */
  readonly name: string;
  /** What the agent is to do, up to 2,000 characters. */
  readonly prompt?: string;
  readonly state: "running" | "done" | "failed";
  readonly parts: List<ChatPart>;
}

/** Something that the backend said and this library does not know, or structured data of an answer. */
export interface ChatDataPart {
  readonly type: "data";
  readonly id: string;
  readonly json: unknown;
  /** The data comes with an answer in words, such as gestures: a screen need not print it. */
  readonly extra?: true;
}

/** A problem that did not end the turn. */
export interface ChatErrorPart {
  readonly type: "error";
  readonly id: string;
  readonly message: string;
  readonly code: string | null;
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

/** The messages of which one is shown: answers to one prompt, or prompts of which each replaces the one before. */
export interface ChatBranches {
  /** Which of them this is, counted from 1. */
  readonly at: number;
  readonly of: number;
  /** Oldest first. Each goes to `chat.selectBranch`. */
  readonly ids: readonly string[];
}

/** One message of the chat: a prompt, the answer of one turn, or a word of the system between turns. */
export interface ChatMessage {
  /** Unique in the chat, also after it was restored. */
  readonly id: string;
  readonly role: "user" | "assistant" | "system";
  /** The turn of the prompt or answer. */
  readonly turnId?: string;
  /** `queued`, `sent`: a prompt. `open`: an answer under way. `recovering`: the link was lost, and the client looks for the answer. */
  readonly status: "queued" | "sent" | "open" | "recovering" | "completed" | "cancelled" | "failed";
  /** In the order of their arrival. */
  readonly parts: List<ChatPart>;
  /** The other messages in this place. Absent: there are none. */
  readonly branches?: ChatBranches;
  /** Why the turn failed, or an error between turns: for a person. */
  readonly error?: ErrorDescription;
  readonly usage?: UniversalUsage;
  readonly cost?: UniversalCost;
  readonly model?: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly endedAt?: number;
}
