// The types of the protocol's messages.

/** The id of the answering agent. The real server has no other agent. */
export const ROOT = 0;

/** `usage` of a `Finished`. */
export interface WireUsage {
  readonly output_tokens: number;
  readonly context_tokens: number;
  readonly cache_creation_tokens: number;
  readonly cache_read_tokens: number;
}

export interface HistoryEntry {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly timestamp: string | null;
}

interface OfAgent {
  readonly agent_id: number;
}

interface OfCall extends OfAgent {
  readonly call_id: string;
}

/** A tool call as `ToolRequest` lists it. */
interface CallFields {
  readonly call_id: string;
  readonly name: string;
  readonly params: unknown;
  readonly background: boolean;
}

interface AgentState {
  readonly id: number;
  readonly name: string | null;
  readonly is_streaming: boolean;
}

interface StateFields {
  readonly agents: readonly AgentState[];
  readonly pending_approvals: readonly (OfCall & { readonly name: string; readonly params: unknown })[];
}

/** A server message. The fields are in the order in which the server writes them. */
export type ServerMessage =
  | { readonly type: "Connected"; readonly session_id: string }
  | (OfAgent & { readonly type: "TextDelta" | "ThinkingDelta"; readonly content: string })
  | (OfAgent & { readonly type: "ToolRequest"; readonly calls: readonly CallFields[] })
  | (OfAgent & { readonly type: "ToolAwaitingApproval" } & CallFields)
  | (OfCall & { readonly type: "ToolStarted"; readonly name: string })
  | (OfCall & { readonly type: "ToolDelta" | "ToolCompleted"; readonly content: string })
  | (OfCall & { readonly type: "ToolError"; readonly error: string })
  | (OfAgent & { readonly type: "Finished"; readonly usage: WireUsage })
  | (OfAgent & { readonly type: "Retrying"; readonly attempt: number; readonly error: string })
  | { readonly type: "History"; readonly messages: readonly HistoryEntry[] }
  | ({ readonly type: "State" } & StateFields)
  | { readonly type: "Pong" }
  | { readonly type: "Error"; readonly message: string; readonly fatal: boolean };

/** A client message that the server understands. */
export type ClientMessage =
  | { readonly type: "SendMessage"; readonly content: string; readonly agent_id: number | null }
  | { readonly type: "ToolDecision"; readonly call_id: string; readonly approved: boolean }
  | { readonly type: "Cancel" | "GetHistory" | "GetState" | "Ping" };
