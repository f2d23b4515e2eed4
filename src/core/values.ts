/** What an event of any turn has; the rest is the protocol's. */
export interface AnyEvent {
  readonly type: string;
}

/** Tokens, or whatever unit the backend counts in. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** What a turn cost, in the unit of the backend. */
export interface Cost {
  readonly amount: number;
  readonly unit: string;
}

/** Where a client's connection is. */
export type ClientStatus =
  | "idle"
  | "connecting"
  | "handshaking"
  | "ready"
  | "reconnecting"
  | "draining"
  | "closed";

/**
 * Where a turn is: `queued` (not sent yet), `sent`, `streaming` (its first event arrived), `recovering` (its link was lost, and
 * its answer is looked for), `cancelling` (stopped here, the server may not know yet), then one of three ends.
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

/** A tool that a server wants to be run: by itself, with leave, or on this machine. */
export interface ToolCall {
  /** Unique for the life of the client; what `client.decide` takes. */
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
 * Where a call is: `requested` (the server means to make it), `awaiting` (a decision is open), `approved`, `running`,
 * then one of four ends. `denied` is final once the decision is made; `abandoned` means that its turn ended before
 * it did, and what it had begun may go on.
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

/** Who said no: the user (a callback, or `client.decide`), a rule or limit of this client, or the server. */
export type Denier = "user" | "policy" | "server";

/** One call of a turn as it is now, for a renderer; each change is a new object. */
export interface TurnToolCall extends Omit<ToolCall, "turnId"> {
  readonly state: ToolCallState;
  /** What came of it: text that grows while it runs, or what a handler of this machine gave. */
  readonly output?: unknown;
  /** Why it failed. */
  readonly error?: string;
  readonly deniedBy?: Denier;
  /** Why it was denied, where somebody said. */
  readonly reason?: string;
  /** The server does not tell when a call starts; that it runs was concluded from its approval. */
  readonly startInferred?: true;
  /** It runs beside the others. */
  readonly background?: boolean;
  /** Which agent makes it, where the server has several. */
  readonly agentId?: number | string;
}

/** One thing that an agent wants to know. */
export interface QuestionItem {
  readonly question: string;
  /** A few words that name it. */
  readonly header?: string;
  /** What to choose from; anything else is an answer too. */
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
}

/** What an agent asks the user, perhaps several things at once. */
export interface Question {
  /** Unique for the life of the client; what `client.answer` takes. */
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
 * - a string: to the only question
 * - a list of strings: one per question; to an only question, all that was selected
 * - a list of lists: what was selected, per question
 * - `null`: the user does not want to answer
 */
export type Answer = string | readonly string[] | readonly (readonly string[])[] | null;

/** What was selected per question; `undefined` when the user did not want to answer. */
export type Answers = readonly (readonly string[])[] | undefined;

/** What a callback, or `client.decide`, says to a call. `true` is `once`, `false` is `reject`; `always` holds for all calls of this tool in this session. */
export type Decision =
  | boolean
  | "once"
  | "always"
  | "reject"
  | { readonly decision: "once" | "always" | "reject"; readonly reason?: string };

/**
 * What brought a decision about: a rule or the lack of anybody to ask (`policy`), an earlier `always` (`session`), the
 * callback, `client.decide` or `client.answer` (`reply`), the time limit, a callback that failed (`error`), or an end that came first: decided by the
 * server (`elsewhere`), the turn `cancelled` or over (`ended`), the link lost (`disconnected`).
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
  /** What was selected, per question; `undefined` when it was not answered. */
  readonly answers: Answers;
  readonly by: DecidedBy;
  readonly reason?: string;
}

/** Something that waits for the user. */
export type PendingRequest =
  | { readonly type: "approval"; readonly id: string; readonly call: ToolCall }
  | { readonly type: "question"; readonly id: string; readonly question: Question };

/** How a request ended, whatever ended it. */
export type SettledRequest =
  | { readonly type: "approval"; readonly id: string; readonly call: ToolCall; readonly ruling: Ruling }
  | { readonly type: "question"; readonly id: string; readonly question: Question; readonly reply: Reply };
