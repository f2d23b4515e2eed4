/** A tool that a server wants to be run: by itself, with leave, or on this machine. */
export interface ToolCall {
  /** Unique for the life of the client; what `client.reply` takes. */
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

/** Who said no: the user (a callback, or a reply), a rule or limit of this client, or the server. */
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

export function hasEnded({ state }: TurnToolCall): boolean {
  return state === "done" || state === "failed" || state === "denied" || state === "abandoned";
}
