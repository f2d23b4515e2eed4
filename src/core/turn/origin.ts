// Records the origin of each turn and conversation: its client and input.
import type { TurnOptions } from "./turn.ts";

/** The key of a turn's or conversation's origin. A symbol, so that users do not see it. */
export const ORIGIN: unique symbol = Symbol.for("agentwire.origin");

/** The origin of a turn or a conversation. */
export interface Origin {
  readonly client: object;
}

export interface TurnOrigin extends Origin {
  /** The caller's input. */
  readonly input: unknown;
  /** The caller's options about the prompt. */
  readonly said: Pick<TurnOptions, "key" | "branchOf" | "shown">;
  /** Whether the prompt was sent, or its program started. */
  readonly wasSent: boolean;
  /** The backend's session of a sent prompt, if the backend needs the session with each prompt. */
  readonly sessionId: string | undefined;
  /** The conversation that made the turn. */
  readonly conversation: object | undefined;
}
