// The messages of the wire, as types.

/** `usage` of a `Finished`. */
export interface CodeyUsage {
  readonly output_tokens: number;
  readonly context_tokens: number;
  readonly cache_creation_tokens: number;
  readonly cache_read_tokens: number;
}

/** A tool call as `ToolRequest` lists it. */
export interface CallFields {
  readonly call_id: string;
  readonly name: string;
  readonly params: unknown;
  readonly background: boolean;
}

export interface HistoryEntry {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly timestamp: string | null;
}

export interface PendingEntry {
  readonly agent_id: number;
  readonly call_id: string;
  readonly name: string;
  readonly params: unknown;
}

/** What the server says, with its fields in the order in which they are written. */
export type ServerMessage =
  | { readonly type: "Connected"; readonly session_id: string }
  | { readonly type: "TextDelta" | "ThinkingDelta"; readonly agent_id: number; readonly content: string }
  | { readonly type: "ToolRequest"; readonly agent_id: number; readonly calls: readonly CallFields[] }
  | ({ readonly type: "ToolAwaitingApproval"; readonly agent_id: number } & CallFields)
  | {
      readonly type: "ToolStarted";
      readonly agent_id: number;
      readonly call_id: string;
      readonly name: string;
    }
  | {
      readonly type: "ToolDelta" | "ToolCompleted";
      readonly agent_id: number;
      readonly call_id: string;
      readonly content: string;
    }
  | {
      readonly type: "ToolError";
      readonly agent_id: number;
      readonly call_id: string;
      readonly error: string;
    }
  | { readonly type: "Finished"; readonly agent_id: number; readonly usage: CodeyUsage }
  | {
      readonly type: "Retrying";
      readonly agent_id: number;
      readonly attempt: number;
      readonly error: string;
    }
  | { readonly type: "History"; readonly messages: readonly HistoryEntry[] }
  | {
      readonly type: "State";
      readonly agents: readonly {
        readonly id: number;
        readonly name: string | null;
        readonly is_streaming: boolean;
      }[];
      readonly pending_approvals: readonly PendingEntry[];
    }
  | { readonly type: "Pong" }
  | { readonly type: "Error"; readonly message: string; readonly fatal: boolean };

/** A message of the client that the server understands. */
export type ClientMessage =
  | { readonly type: "SendMessage"; readonly content: string; readonly agent_id: number | null }
  | { readonly type: "ToolDecision"; readonly call_id: string; readonly approved: boolean }
  | { readonly type: "Cancel" | "GetHistory" | "GetState" | "Ping" };

/** The agent that answers, and the only one of the real server. */
export const ROOT = 0;
