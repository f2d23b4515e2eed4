import type { ErrorData, Json, ResolvedReason, SessionEndedData, TurnEndMetadata } from "../events.ts";
import type { AgentKey } from "./agents.ts";
import type { Stated } from "./envelope.ts";

/** How a turn ends. */
export interface TurnClose {
  readonly metadata: TurnEndMetadata;
  /** Whether a message of the backend ended the turn. */
  readonly stated: Stated;
  /** The reason for what still waits for the user. */
  readonly reason: ResolvedReason;
  readonly error?: Omit<ErrorData, "turn_id">;
  /** The session ends with the turn. */
  readonly session?: SessionEndedData;
  /** The message that ended the turn, if no event has shown it. */
  readonly raw?: Json | undefined;
}

/** What a status says besides its label and detail. */
export interface StatusDetails {
  readonly json?: Json;
  readonly stated?: Stated;
  readonly status?: "completed" | "failed";
  readonly agent?: AgentKey;
}
