// The types that users see everywhere: usage, cost, states, tool calls, questions, decisions.

/** An event of any protocol. */
export interface AnyEvent {
  readonly type: string;
}

/** Tokens, or another unit of the backend. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** The cost of a turn, in the unit of the backend. */
export interface Cost {
  readonly amount: number;
  readonly unit: string;
}

/** The state of a client's connection. */
export type ClientStatus =
  | "idle"
  | "connecting"
  | "handshaking"
  | "ready"
  | "reconnecting"
  | "draining"
  | "closed";

/**
 * The state of a turn: `queued` (not sent yet), `sent`, `streaming` (the first event arrived), `recovering` (the link was lost, and the
 * client looks for the answer), `cancelling` (stopped by the client; the server may still work on the turn), then one of three ends.
 */
export type TurnStatus =
  | "queued"
  | "sent"
  | "streaming"
  | "recovering"
  | "cancelling"
  | "completed"
  | "cancelled"
  | "failed";

/** A tool that a server wants to run: by itself, with approval, or on this machine. */
export interface ToolCall {
  /** Unique for the life of the client; goes to `client.decide`. */
  readonly id: string;
  readonly name: string;
  /** The tool's input, as the server sent it: check it before you rely on it. */
  readonly input: unknown;
  /** The id of the call's turn, if the server names the turn. */
  readonly turnId?: string;
  /**
   * What a grant of this call covers, in words: "`npm test` in the project", "edits of src/a.ts". Set while the call is decided. Absent:
   * the input cannot be read, and the call gets no grant. The words quote the agent: print them by `reveal`.
   */
  readonly grant?: string;
  /** The name of the sub-agent that makes the call. Absent: the main agent, or the server does not say. */
  readonly agent?: string;
  /** What the call would change, if it waits for the user and that can be told. Text of files and of the agent: print it by `reveal`. */
  readonly preview?: readonly ToolPreview[];
  /** The server's message, unchanged. */
  readonly raw: unknown;
}

/** What a call would change in one file. Names as in universal events. */
export interface ToolPreview {
  readonly path: string;
  /** A unified diff. In brackets: why there is none, or that the rest is left out. */
  readonly diff: string;
  /** `tool`: computed on this machine from the file. `agent`: the agent's own claim. */
  readonly by: "tool" | "agent";
  /** The whole text before and after, up to 64 KiB each. Absent: there is no such text, or it is longer. */
  readonly old_text?: string;
  readonly new_text?: string;
}

/**
 * The state of a call: `requested` (the server intends it), `awaiting` (a decision is open), `approved`, `running`, then one of
 * four ends. `denied` is final. `abandoned`: the turn ended first, and the tool may still run.
 */
export type ToolCallState =
  | "requested"
  | "awaiting"
  | "approved"
  | "running"
  | "done"
  | "failed"
  | "denied"
  | "abandoned";

/** Whether the call is in one of its four ends. */
export function hasEnded({ state }: { readonly state: ToolCallState }): boolean {
  return state === "done" || state === "failed" || state === "denied" || state === "abandoned";
}

/** `user`: a callback, or `client.decide`. `policy`: a rule or limit of this client. */
export type Denier = "user" | "policy" | "server";

/** A snapshot of one call of a turn. Each change makes a new object. */
export interface TurnToolCall extends Omit<ToolCall, "turnId" | "grant" | "agent"> {
  readonly state: ToolCallState;
  /** Text that grows while the tool runs, or the result of a handler on this machine. */
  readonly output?: unknown;
  /** The error of a failed call. */
  readonly error?: string;
  readonly deniedBy?: Denier;
  /** The reason of a denial, where known. */
  readonly reason?: string;
  /** The server does not report the start of a call: `running` was inferred from the approval. */
  readonly startInferred?: true;
  /** Whether the call runs beside other calls. */
  readonly background?: boolean;
  /** The agent that makes the call, if the server has several agents. */
  readonly agentId?: number | string;
}

/** One item of a {@link Question}. */
export interface QuestionItem {
  readonly question: string;
  /** A short title. */
  readonly header?: string;
  /** The choices. Free text is an answer too. */
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
}

/** A question of an agent to the user, of one or more items. */
export interface Question {
  /** Unique for the life of the client; goes to `client.answer`. */
  readonly id: string;
  readonly questions: readonly QuestionItem[];
  /** The id of the question's turn, if the server names the turn. */
  readonly turnId?: string;
  /** The server's message, unchanged. */
  readonly raw: unknown;
}

/**
 * The answers: labels of options, or free text.
 *
 * - a string: the answer to a single question
 * - a list of strings: one per question; for a single question, all selected labels
 * - a list of lists: the selected labels per question
 * - `null`: the user does not want to answer
 */
export type Answer = string | readonly string[] | readonly (readonly string[])[] | null;

/** The selected labels per question; `undefined` when the user did not want to answer. */
export type Answers = readonly (readonly string[])[] | undefined;

/**
 * `true` is `once`; `false` is `reject`. `always` is `once` with the scope `session`.
 *
 * A `scope` of `turn` or `session` grants more than the one call: every later call of the same tool that is about the same, as
 * `call.grant` says, is allowed without asking. `tool: true` widens the grant to every call of the tool. A call without `grant` gets no
 * grant: it is allowed once.
 */
export type Decision =
  | boolean
  | "once"
  | "always"
  | "reject"
  | {
      readonly decision: "once" | "always" | "reject";
      /** How long the decision holds. Not for `reject`; with `always` only `session`. @default `session` for `always`, else `once` */
      readonly scope?: GrantScope;
      /** The grant covers every call of the tool, whatever it is about. Only with the scope `turn` or `session`. */
      readonly tool?: true;
      readonly reason?: string;
    };

/** How long a decision holds: for one call, until the end of the turn, or until the end of the session. */
export type GrantScope = "once" | "turn" | "session";

/** What a decision allows beyond its call. A session ends with its connection, where the backend has one, and with the client. */
export interface Grant {
  /** Unique over all clients. Goes to `client.revoke`. */
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** What it covers, in words. The words quote the agent: print them by `reveal`. */
  readonly grant: string;
  readonly scope: Exclude<GrantScope, "once">;
  /** The turn of the scope `turn`. */
  readonly turnId?: string;
}

/**
 * The cause of a decision: a rule, or no way to ask (`policy`); a grant (`session`); the callback; `client.decide` or
 * `client.answer` (`reply`); the time limit; a callback that failed (`error`). Or no decision was made by this client: the server decided
 * (`elsewhere`), the turn was `cancelled` or over (`ended`), the link was lost (`disconnected`).
 */
export type DecidedBy =
  | "policy"
  | "session"
  | "callback"
  | "reply"
  | "timeout"
  | "error"
  | "elsewhere"
  | "cancelled"
  | "ended"
  | "disconnected";

/** The decision on a call. */
export interface Ruling {
  readonly decision: "once" | "always" | "reject";
  /** The call was allowed by a grant for its turn, or gave one. A grant for the session is `always`. */
  readonly scope?: "turn";
  /** The grant covers every call of the tool. */
  readonly tool?: true;
  readonly by: DecidedBy;
  readonly reason?: string;
}

/** The outcome of a question. */
export interface Reply {
  /** The selected labels per question; `undefined` without an answer. */
  readonly answers: Answers;
  readonly by: DecidedBy;
  readonly reason?: string;
}

/** A request that waits for the user. */
export type PendingRequest =
  | { readonly type: "approval"; readonly id: string; readonly call: ToolCall }
  | { readonly type: "question"; readonly id: string; readonly question: Question };

/** The outcome of a request. */
export type SettledRequest =
  | { readonly type: "approval"; readonly id: string; readonly call: ToolCall; readonly ruling: Ruling }
  | { readonly type: "question"; readonly id: string; readonly question: Question; readonly reply: Reply };
