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
 * The state of a turn: `queued` (not sent yet), `sent`, `streaming` (its first event arrived), `recovering` (its link was lost,
 * and the client looks for the answer), `cancelling` (stopped here, the server may not know yet), then one of three ends.
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
  /** As the server sent it: check it before you rely on it. */
  readonly input: unknown;
  /** The turn it belongs to, where the server says so. */
  readonly turnId?: string;
  /** The message as it came. */
  readonly raw: unknown;
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

/** `user`: a callback, or `client.decide`. `policy`: a rule or limit of this client. */
export type Denier = "user" | "policy" | "server";

/** A snapshot of one call of a turn; each change is a new object. */
export interface TurnToolCall extends Omit<ToolCall, "turnId"> {
  readonly state: ToolCallState;
  /** Text that grows while the tool runs, or the result of a handler of this machine. */
  readonly output?: unknown;
  /** Why it failed. */
  readonly error?: string;
  readonly deniedBy?: Denier;
  /** Why it was denied, where that is known. */
  readonly reason?: string;
  /** The server does not tell when a call starts: `running` was inferred from the approval. */
  readonly startInferred?: true;
  /** Whether it runs beside other calls. */
  readonly background?: boolean;
  /** The agent that makes the call, where the server has several. */
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
  /** The turn it belongs to, where the server says so. */
  readonly turnId?: string;
  /** The message as it came. */
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

/** `true` is `once`, `false` is `reject`. `always` holds for all calls of this tool in this session. */
export type Decision =
  | boolean
  | "once"
  | "always"
  | "reject"
  | { readonly decision: "once" | "always" | "reject"; readonly reason?: string };

/**
 * The cause of a decision: a rule, or nothing to ask (`policy`); an earlier `always` (`session`); the callback; `client.decide` or
 * `client.answer` (`reply`); the time limit; a callback that failed (`error`). Or something came first: a decision on the server
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

/** How a call was decided. */
export interface Ruling {
  readonly decision: "once" | "always" | "reject";
  readonly by: DecidedBy;
  readonly reason?: string;
}

/** How a question was settled. */
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

/** How a request ended. */
export type SettledRequest =
  | { readonly type: "approval"; readonly id: string; readonly call: ToolCall; readonly ruling: Ruling }
  | { readonly type: "question"; readonly id: string; readonly question: Question; readonly reply: Reply };
