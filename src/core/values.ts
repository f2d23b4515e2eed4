// The shared public types: usage, cost, states, tool calls, questions, decisions.

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
 * The state of a turn: `queued` (not sent yet), `sent`, `streaming` (the first event arrived), `recovering` (the
 * connection was lost, and the client is recovering the answer), `cancelling` (stopped by the client; the server may
 * still work on it), then one of three ends.
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
  /** The id for `client.decide`. Unique for the life of the client. */
  readonly id: string;
  readonly name: string;
  /** The tool's input as the server sent it. Check it before you rely on it. */
  readonly input: unknown;
  /** The id of the call's turn, if the server names it. */
  readonly turnId?: string;
  /**
   * The calls that a grant would cover, in words: "`npm test` in the project", "edits of src/a.ts". Set while the call
   * waits for a decision. Absent if the input cannot be read, because the call then gets no grant. The words quote the
   * agent: print them with `reveal`.
   */
  readonly grant?: string;
  /** The name of the sub-agent that makes the call. Absent for the main agent, or if unknown. */
  readonly agent?: string;
  /** What the call would change, while it waits for the user. Text of files and the agent: use `reveal`. */
  readonly preview?: readonly ToolPreview[];
  /** The server's message, unchanged. */
  readonly raw: unknown;
}

/**
 * What a call would change in one file. Field names as in universal events. A tool has 2 s to tell it; after that, or
 * after an error, the approval has none, and the client warns `preview-failed`. A call has at most 100 files, and 131,072
 * characters of diffs.
 */
export interface ToolPreview {
  readonly path: string;
  /** A unified diff. A note in brackets says why there is none, or that the rest was cut. */
  readonly diff: string;
  /** `tool`: computed on this machine from the file. `agent`: the agent's own claim. */
  readonly by: "tool" | "agent";
  /** The whole text before and after, up to 64 KiB each. Absent if there is none or it is longer. */
  readonly old_text?: string;
  readonly new_text?: string;
}

/**
 * The state of a call: `requested` (the server intends it), `awaiting` (a decision is pending), `approved`, `running`,
 * then one of four ends. `denied` is final: the call was not allowed, by the user, a rule, a time limit, a cancel or a
 * lost connection. `abandoned`: the turn ended first, and the tool may still be running.
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

/** Whether the call has ended, in one of the four ways. */
export function hasEnded({ state }: { readonly state: ToolCallState }): boolean {
  return state === "done" || state === "failed" || state === "denied" || state === "abandoned";
}

/** Who denied a call. `user`: by a callback or `client.decide`. `policy`: a rule or limit of this client. */
type Denier = "user" | "policy" | "server";

/** A snapshot of one call of a turn. Each change makes a new object. */
export interface TurnToolCall extends Omit<ToolCall, "turnId" | "grant" | "agent"> {
  readonly state: ToolCallState;
  /** Text that grows while the tool runs, or the result of a handler on this machine. */
  readonly output?: unknown;
  /** The error of a failed call, or the server's confirmation of a denial. */
  readonly error?: string;
  readonly deniedBy?: Denier;
  /** The reason of a denial, if known. */
  readonly reason?: string;
  /** Set if `running` was inferred from the approval, because the server does not report the start. */
  readonly startInferred?: true;
  /** Whether the call runs in parallel to other calls. */
  readonly background?: boolean;
  /** The agent that makes the call, if the server has several agents. */
  readonly agentId?: number | string;
}

/** One item of a {@link Question}. */
export interface QuestionItem {
  readonly question: string;
  /** A short title. */
  readonly header?: string;
  /** The choices. The user may also answer with free text. */
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
}

/** A question of an agent to the user, with one or more items. */
export interface Question {
  /** The id for `client.answer`. Unique for the life of the client. */
  readonly id: string;
  readonly questions: readonly QuestionItem[];
  /** The id of the question's turn, if the server names it. */
  readonly turnId?: string;
  /** The server's message, unchanged. */
  readonly raw: unknown;
}

/**
 * The user's answers: labels of options, or free text.
 *
 * - a string: the answer to a single question
 * - a list of strings: one per question, or all selected labels of a single question
 * - a list of lists: the selected labels per question
 * - `null`: the user declines to answer
 */
export type Answer = string | readonly string[] | readonly (readonly string[])[] | null;

/** The selected labels per question. Undefined if the user declined to answer. */
export type Answers = readonly (readonly string[])[] | undefined;

/**
 * `true` means `once`, and `false` means `reject`. `always` is `once` with the scope `session`.
 *
 * The scopes `turn` and `session` grant later calls too: those of the same tool on the same subject, as `call.grant`
 * says, run without asking. `tool: true` widens the grant to every call of the tool. A call without `grant` is allowed
 * only once.
 *
 * The subject of a call that runs a command: its exact text, its folder, and whether it runs in the background. Of an
 * edit or a deletion: the path. Of a read, a list or a search: the folder, for the files directly in it; a pattern that
 * may leave the folder is part of the subject. Of a fetch: the origin. Of another tool: the whole input, in any order of
 * keys. A path that could lead elsewhere (`..`, `~`, a drive) stands for itself, as does an address that programs read
 * in different ways; a field that this library does not know is part of the subject.
 *
 * At most 1,000 grants stand; one more ends the oldest. Sub-agents share them. They are in memory alone, and rules of
 * `toolPolicy` come first.
 */
export type Decision =
  | boolean
  | "once"
  | "always"
  | "reject"
  | {
      readonly decision: "once" | "always" | "reject";
      /**
       * How long the decision applies. Not for `reject`. With `always` only `session`. @default `session` for `always`,
       * else `once`
       */
      readonly scope?: GrantScope;
      /** Grants every call of the tool, whatever its subject. Only with the scope `turn` or `session`. */
      readonly tool?: true;
      readonly reason?: string;
    };

/** How long a decision applies: to one call, until the end of the turn, or until the end of the session. */
export type GrantScope = "once" | "turn" | "session";

/** A grant: later calls that a decision allows. A session ends with its connection or the client. */
export interface Grant {
  /** The id for `client.revoke`. Unique across all clients. */
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The calls that the grant covers, in words. The words quote the agent: print them with `reveal`. */
  readonly grant: string;
  readonly scope: Exclude<GrantScope, "once">;
  /** The id of the turn, for the scope `turn`. */
  readonly turnId?: string;
}

/**
 * What decided a request: a rule, or no way to ask (`policy`); a grant (`session`); the callback; `client.decide` or
 * `client.answer` (`reply`); the time limit; a failed callback (`error`). Or this client did not decide: the server did
 * (`elsewhere`), the turn was `cancelled` or had `ended`, or the connection was lost (`disconnected`).
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
  /** Set if a grant for the turn allowed the call, or the decision made one. For the session: `always`. */
  readonly scope?: "turn";
  /** The grant covers every call of the tool. */
  readonly tool?: true;
  readonly by: DecidedBy;
  readonly reason?: string;
}

/** The outcome of a question. */
export interface Reply {
  /** The selected labels per question. Undefined without an answer. */
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
