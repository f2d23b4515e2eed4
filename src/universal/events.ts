// The vocabulary: the type of every universal event, item and content part.
import type { GrantScope, ToolCallState, ToolPreview } from "../core/values.ts";

export type { ToolPreview } from "../core/values.ts";

/**
 * The universal events: one vocabulary for every backend. A stream of these events can be shown, stored as JSONL and
 * replayed. Readers ignore unknown fields. An event has the same field names as its JSON.
 */

/** Any JSON value, from a backend. */
export type Json = unknown;

/** `agent`: the backend stated this in a message. `daemon`: this library did. */
export type EventOrigin = "agent" | "daemon";

/** The fields that every event has. */
export interface Envelope<Type extends string, Data> {
  /** `evt_` and the sequence. Unique together with `session_id`. */
  readonly event_id: string;
  /** 1, 2, 3, ... in its session, without gaps. */
  readonly sequence: number;
  /** RFC 3339, UTC, with milliseconds. */
  readonly time: string;
  /** Made by this library. */
  readonly session_id: string;
  /** The backend's id of the session, thread or run. Null until known. */
  readonly native_session_id: string | null;
  /** The event fills a gap. Then `source` is `daemon`. */
  readonly synthetic: boolean;
  readonly source: EventOrigin;
  readonly type: Type;
  readonly data: Data;
  /** With `includeRaw`: the backend's message, on the first event that it causes. Otherwise null. */
  readonly raw: Json | null;
}

export interface SessionStartedData {
  readonly metadata: Json | null;
}

/** The start and the end of stderr. If it is not truncated, `head` has everything. */
export interface UniversalStderr {
  readonly head?: string;
  readonly tail?: string;
  readonly truncated: boolean;
  readonly total_lines?: number;
}

export interface SessionEndedData {
  readonly reason: "completed" | "error" | "terminated";
  readonly terminated_by: EventOrigin;
  /** Like `exit_code` and `stderr`, only with the reason `error`. */
  readonly message?: string;
  readonly exit_code?: number;
  readonly stderr?: UniversalStderr;
  readonly metadata?: Json;
}

export interface TurnStartedData {
  readonly phase: "started";
  readonly turn_id: string;
  readonly metadata?: TurnStartMetadata;
}

export interface TurnStartMetadata {
  readonly native_turn_id?: string;
  /** The backend worked without a prompt. */
  readonly unsolicited?: true;
  /** The key of the prompt: the id of the user's message. */
  readonly prompt_id?: string;
  /** The id of the message that this turn retries or replaces. */
  readonly branch_of?: string;
  readonly [name: string]: Json;
}

/** Tokens of one turn. `total_output_tokens`: of the session so far. */
export interface UniversalUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_output_tokens?: number;
  readonly context_tokens?: number;
  /** The model's limit, in tokens. */
  readonly context_window?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
}

/** `currency`: `credits`, or an ISO 4217 code. */
export interface UniversalCost {
  readonly total: number;
  readonly currency: string;
}

export interface TurnEndMetadata {
  readonly status: "completed" | "failed" | "cancelled";
  readonly stop_reason?: string;
  readonly usage?: UniversalUsage;
  readonly cost?: UniversalCost;
  readonly model?: string;
  readonly [name: string]: Json;
}

export interface TurnEndedData {
  readonly phase: "ended";
  readonly turn_id: string;
  readonly metadata: TurnEndMetadata;
}

export interface ItemData {
  readonly item: UniversalItem;
  /** The call's state: on the start of a `tool_call`, and on the start and end of a `tool_result`. */
  readonly state?: ToolCallState;
}

export type Visibility = "public" | "private";

/** The stream that a delta belongs to. */
export interface DeltaPart {
  readonly type: "text" | "reasoning" | "tool_arguments" | "tool_output";
  readonly visibility?: Visibility;
}

export interface ItemDeltaData {
  readonly item_id: string;
  readonly native_item_id: string | null;
  readonly delta: string;
  readonly part?: DeltaPart;
}

export type PermissionStatus = "requested" | "accept" | "accept_for_session" | "reject";

/** The cause of a decision or of an answer. */
export type ResolvedReason = "user" | "policy" | "cancelled" | "disconnected" | "timeout";

export interface PermissionData {
  /** `<session_id>.<n>`: unique over all sessions and clients. For `chat.decide`. */
  readonly permission_id: string;
  /** The name of the tool. */
  readonly action: string;
  readonly status: PermissionStatus;
  /**
   * `toolName`, `input`, and facts of the protocol. `request_id`: for `client.decide`. `native_id`: the backend's id,
   * or null. `grant`: what a lasting decision covers, in words. `agent`: the sub-agent that asks.
   */
  readonly metadata: Json | null;
  /** The item of the call. */
  readonly item_id?: string;
  readonly call_id?: string;
  readonly reason?: ResolvedReason;
  /** The state of the call. */
  readonly state?: ToolCallState;
  /** Only in `permission.resolved`. */
  readonly scope?: GrantScope;
  /** The changes that the call would make, if known. */
  readonly preview?: readonly ToolPreview[];
}

export interface UniversalQuestion {
  readonly question: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multi_select: boolean;
}

export interface UniversalAnswer {
  readonly question_index: number;
  readonly selected?: readonly string[];
  readonly other_text?: string;
}

export interface QuestionData {
  /** `<session_id>.<n>`, like a `permission_id`. For `chat.answer`. */
  readonly question_id: string;
  /** The first question, its labels and its answer. `questions` and `answers` have all. */
  readonly prompt: string;
  readonly options: readonly string[];
  readonly response: string | null;
  readonly status: "requested" | "answered" | "rejected";
  readonly questions?: readonly UniversalQuestion[];
  readonly answers?: readonly UniversalAnswer[];
  /** `request_id`: for `client.answer`. `native_id`: the backend's id of the question, or null. */
  readonly metadata?: Json | null;
  readonly call_id?: string;
  readonly reason?: ResolvedReason;
}

export interface ErrorData {
  readonly message: string;
  /** `<protocol>.<reason>`, or `connection.lost`, `timeout`, `process_exit`, `process_spawn`, `cancel_unconfirmed`. */
  readonly code: string | null;
  readonly details: Json | null;
  /** Whether the session ends. */
  readonly fatal?: boolean;
  readonly retryable?: boolean;
  readonly turn_id?: string;
}

export interface UnparsedData {
  readonly error: string;
  /** Such as `codey-ws/frame` or `codebuff-cli/line`. */
  readonly location: string;
  /** SHA-256 of the message, in hexadecimal. */
  readonly raw_hash: string | null;
}

export type SessionStarted = Envelope<"session.started", SessionStartedData>;
export type SessionEnded = Envelope<"session.ended", SessionEndedData>;
export type TurnStarted = Envelope<"turn.started", TurnStartedData>;
export type TurnEnded = Envelope<"turn.ended", TurnEndedData>;
export type ItemStarted = Envelope<"item.started", ItemData>;
export type ItemCompleted = Envelope<"item.completed", ItemData>;
export type ItemDelta = Envelope<"item.delta", ItemDeltaData>;
export type PermissionRequested = Envelope<"permission.requested", PermissionData>;
export type PermissionResolved = Envelope<"permission.resolved", PermissionData>;
export type QuestionRequested = Envelope<"question.requested", QuestionData>;
export type QuestionResolved = Envelope<"question.resolved", QuestionData>;
export type ErrorEvent = Envelope<"error", ErrorData>;
/** A message that could not be read. Each one is a bug of the backend or of this library. */
export type AgentUnparsed = Envelope<"agent.unparsed", UnparsedData>;

/** One event. `event.type` narrows `event.data`. */
export type UniversalEvent =
  | SessionStarted
  | SessionEnded
  | TurnStarted
  | TurnEnded
  | ItemStarted
  | ItemCompleted
  | ItemDelta
  | PermissionRequested
  | PermissionResolved
  | QuestionRequested
  | QuestionResolved
  | ErrorEvent
  | AgentUnparsed;

export type UniversalEventType = UniversalEvent["type"];

/** The data type of each event type. */
export type DataOf<Type extends UniversalEventType> = Extract<
  UniversalEvent,
  { readonly type: Type }
>["data"];

export type ItemKind = "message" | "tool_call" | "tool_result" | "system" | "status" | "unknown";
export type ItemRole = "user" | "assistant" | "system" | "tool";
export type ItemStatus = "in_progress" | "completed" | "failed";

export interface UniversalItem {
  /** `itm_` and a number. */
  readonly item_id: string;
  /** The backend's id. The call and the result of one tool have the same native id. */
  readonly native_item_id: string | null;
  /** An earlier item: the item of the sub-agent, or the call of a result. */
  readonly parent_id: string | null;
  readonly kind: ItemKind;
  readonly role: ItemRole | null;
  readonly content: readonly ContentPart[];
  readonly status: ItemStatus;
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** The sources of the text. */
  readonly annotations?: readonly Annotation[];
}

/** A source of a text. `start`, `end`: the UTF-16 range of the text that the source supports. */
export interface Annotation {
  readonly url?: string;
  readonly path?: string;
  readonly title?: string;
  readonly start?: number;
  readonly end?: number;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly visibility: Visibility;
}

export interface ToolCallPart {
  readonly type: "tool_call";
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
  readonly call_id: string;
  /** What the call does, in words. */
  readonly title?: string;
  readonly tool_kind?: ToolKind;
  readonly locations?: readonly ToolLocation[];
}

/** What a tool does, for icons and for grants. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "other";

/** A location that a call concerns. `line`: from 1. */
export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

export interface ToolResultPart {
  readonly type: "tool_result";
  readonly call_id: string;
  readonly output: string;
}

export interface FileRefPart {
  readonly type: "file_ref";
  /** A path, or a `data:` URL. */
  readonly path: string;
  readonly action: "read" | "write" | "patch";
  /** A unified diff. */
  readonly diff: string | null;
}

export interface ImagePart {
  readonly type: "image";
  /** A path, a URL or a `data:` URL. */
  readonly path: string;
  readonly mime: string | null;
}

export interface JsonPart {
  readonly type: "json";
  readonly json: Json;
}

export interface StatusPart {
  readonly type: "status";
  readonly label: string;
  readonly detail: string | null;
}

export type ContentPart =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | FileRefPart
  | ImagePart
  | JsonPart
  | StatusPart;

/** All types of events: the closed list. */
export const UNIVERSAL_EVENT_TYPES = [
  "session.started",
  "session.ended",
  "turn.started",
  "turn.ended",
  "item.started",
  "item.delta",
  "item.completed",
  "permission.requested",
  "permission.resolved",
  "question.requested",
  "question.resolved",
  "error",
  "agent.unparsed",
] as const satisfies readonly UniversalEventType[];

/** The name of this schema. */
export const UNIVERSAL_SCHEMA = "universal@2026-02+ext";
