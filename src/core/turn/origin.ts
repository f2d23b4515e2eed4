// Notes on each turn and conversation which client it comes from, for the layers above the clients.
import type { TurnOptions } from "./turn.ts";

/** The key under which a turn or a conversation keeps its origin, for layers above the clients. A symbol: users do not see it. */
export const ORIGIN: unique symbol = Symbol.for("agentwire.origin");

/** Where a turn or a conversation comes from. */
export interface Origin {
  readonly client: object;
}

export interface TurnOrigin extends Origin {
  /** The caller's input. */
  readonly input: unknown;
  /** What the caller's options say of the prompt. */
  readonly said: Pick<TurnOptions, "key" | "branchOf" | "shown">;
  /** Whether the prompt was sent, or its program started. */
  readonly wasSent: boolean;
  /** The backend's session that the prompt goes on with, once it was sent, for a backend that is told the session with each prompt. */
  readonly sessionId: string | undefined;
  /** The conversation that made the turn. */
  readonly conversation: object | undefined;
}
